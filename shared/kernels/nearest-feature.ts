import Flatbush from 'flatbush';
import { boxesIntersect, boxOf } from '../geo/box.ts';
import type { Box, MultiPolygon, Position } from '../geo/geometry-types.ts';

/** The lines of a feature. A point is a line of one position, and an area has its rings. */
export type NearFeature = readonly (readonly Position[])[];

export type Nearest = { feature: number; meters: number };

export type PreparedNearest = {
  /**
   * The feature with a line closest to the shape, if it is within the limit. Of features that are equally
   * close, the first. An area around the whole shape counts by its rings.
   */
  of(shape: MultiPolygon): Nearest | null;
};

/** Distances that differ by less, in meters, count as equal, because neighbors share their edges. */
const SAME_M = 0.001;

/** How many segments, by their boxes, give the first bound of the distance. */
const FIRST = 4;

/**
 * Prepares features to measure distances up to `limitM` from shapes.
 * @param within the box of all shapes with a margin of `limitM`. Segments outside it are ignored
 */
export function prepareNearest(
  features: readonly NearFeature[],
  limitM: number,
  within: Box,
): PreparedNearest {
  const ends: number[] = [];
  const owners: number[] = [];
  for (const [feature, lines] of features.entries()) {
    for (const line of lines) {
      for (let i = line.length === 1 ? 0 : 1; i < line.length; i++) {
        const [x1, y1] = line[Math.max(0, i - 1)]!;
        const [x2, y2] = line[i]!;
        const box: Box = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
        if (!boxesIntersect(box, within)) continue;
        ends.push(x1, y1, x2, y2);
        owners.push(feature);
      }
    }
  }
  if (owners.length === 0) return { of: () => null };
  const segments = { ends: Float64Array.from(ends), owners: Uint32Array.from(owners) };
  const index = new Flatbush(owners.length);
  for (let i = 0; i < ends.length; i += 4) {
    const [x1, y1, x2, y2] = [ends[i]!, ends[i + 1]!, ends[i + 2]!, ends[i + 3]!];
    index.add(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2));
  }
  index.finish();
  return { of: shape => nearestOf(shape, segments, index, limitM) };
}

type Segments = { ends: Float64Array; owners: Uint32Array };

function nearestOf(shape: MultiPolygon, segments: Segments, index: Flatbush, limitM: number): Nearest | null {
  const [west, south, east, north] = boxOf(shape);
  const frame = frameAround([(west + east) / 2, (south + north) / 2]);
  const edges = edgesOf(shape, frame);
  let best: Nearest | null = null;
  const visit = (i: number): false => {
    const feature = segments.owners[i]!;
    const meters = distanceTo(edges, frame, segments.ends, 4 * i, (best?.meters ?? limitM) + SAME_M);
    const isCloser = meters < (best?.meters ?? limitM + SAME_M) - SAME_M;
    const isFirst = best !== null && feature < best.feature && meters <= best.meters + SAME_M;
    if (isCloser || isFirst) best = { feature, meters };
    return false;
  };
  for (const i of index.neighbors(frame.lon, frame.lat, FIRST)) visit(i);
  const reachM = ((best as Nearest | null)?.meters ?? limitM) + SAME_M;
  const [across, up] = [reachM / frame.metersX, reachM / frame.metersY];
  index.search(west - across, south - up, east + across, north + up, visit);
  return best;
}

/** Meters per degree around a place. */
type Frame = { lon: number; lat: number; metersX: number; metersY: number };

/** Semi-major axis of WGS84 in meters, and its first eccentricity squared (NIMA TR8350.2). */
const A = 6_378_137;
const E2 = (2 - 1 / 298.257223563) / 298.257223563;
const RAD = Math.PI / 180;

/** Up to ten miles from a place in the United States, distances are off by at most half a percent. */
function frameAround([lon, lat]: Position): Frame {
  const curve = 1 - E2 * Math.sin(lat * RAD) ** 2;
  const metersX = (RAD * A * Math.cos(lat * RAD)) / Math.sqrt(curve);
  return { lon, lat, metersX, metersY: (RAD * A * (1 - E2)) / curve ** 1.5 };
}

/** The shape's edges, in meters from the frame's origin: x1, y1, x2, y2 of each. */
function edgesOf(shape: MultiPolygon, { lon, lat, metersX, metersY }: Frame): Float64Array {
  const rings = shape.flat();
  const edges = new Float64Array(4 * rings.reduce((sum, ring) => sum + ring.length - 1, 0));
  let at = 0;
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i++) {
      for (const [x, y] of [ring[i - 1]!, ring[i]!]) {
        edges[at++] = (x - lon) * metersX;
        edges[at++] = (y - lat) * metersY;
      }
    }
  }
  return edges;
}

/** The distance from a segment to a shape, 0 inside it. Any distance over `limitM` is infinite. */
function distanceTo(
  edges: Float64Array,
  { lon, lat, metersX, metersY }: Frame,
  ends: Float64Array,
  at: number,
  limitM: number,
): number {
  const x1 = (ends[at]! - lon) * metersX;
  const y1 = (ends[at + 1]! - lat) * metersY;
  const x2 = (ends[at + 2]! - lon) * metersX;
  const y2 = (ends[at + 3]! - lat) * metersY;
  const [west, east] = x1 < x2 ? [x1, x2] : [x2, x1];
  const [south, north] = y1 < y2 ? [y1, y2] : [y2, y1];
  let best = limitM * limitM;
  let isInside = false;
  for (let i = 0; i < edges.length; i += 4) {
    const ax = edges[i]!;
    const ay = edges[i + 1]!;
    const bx = edges[i + 2]!;
    const by = edges[i + 3]!;
    if (ay > y1 !== by > y1 && x1 < ax + ((y1 - ay) / (by - ay)) * (bx - ax)) isInside = !isInside;
    const dx = Math.max(0, Math.min(ax, bx) - east, west - Math.max(ax, bx));
    const dy = Math.max(0, Math.min(ay, by) - north, south - Math.max(ay, by));
    if (dx * dx + dy * dy >= best) continue;
    if (doCross(ax, ay, bx, by, x1, y1, x2, y2)) return 0;
    best = Math.min(
      best,
      squareTo(ax, ay, bx, by, x1, y1),
      squareTo(ax, ay, bx, by, x2, y2),
      squareTo(x1, y1, x2, y2, ax, ay),
      squareTo(x1, y1, x2, y2, bx, by),
    );
  }
  if (isInside) return 0;
  return best < limitM * limitM ? Math.sqrt(best) : Number.POSITIVE_INFINITY;
}

const side = (ax: number, ay: number, bx: number, by: number, x: number, y: number): number =>
  (bx - ax) * (y - ay) - (by - ay) * (x - ax);

function doCross(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): boolean {
  return (
    side(ax, ay, bx, by, x1, y1) * side(ax, ay, bx, by, x2, y2) < 0 &&
    side(x1, y1, x2, y2, ax, ay) * side(x1, y1, x2, y2, bx, by) < 0
  );
}

/** Squared distance from (x, y) to a segment. */
function squareTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square));
  return (ax + along * dx - x) ** 2 + (ay + along * dy - y) ** 2;
}
