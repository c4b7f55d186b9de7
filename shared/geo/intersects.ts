import Flatbush from 'flatbush';
import { boxOf } from './box.ts';
import { toUnits } from './geometry-codec.ts';
import type { Box, MultiPolygon, Position, Ring } from './geometry-types.ts';
import { pointInMultiPolygon } from './point-in-polygon.ts';
import { onLevelEdge, orientation, segmentRelation } from './predicates.ts';
import type { QueryGeometry } from './query-geometry.ts';

/**
 * Coordinates in units of `toUnits`. Edge e of element elementOf[e] runs from (x1, y1)[e] to (x2, y2)[e]. A
 * point is an edge of length 0.
 */
export type PreparedQuery = {
  x1: Float64Array;
  y1: Float64Array;
  x2: Float64Array;
  y2: Float64Array;
  elementOf: Uint32Array;
  /** For each polygon, line, and point, the first position and whether it is a polygon. */
  firstX: Float64Array;
  firstY: Float64Array;
  isArea: Uint8Array;
  /** A packed Hilbert R-tree of the edges' boxes; null if the query is EMPTY. */
  index: Flatbush | null;
};

/** Indexes the edges of a query, which takes about 1.5 ms for 10,000 vertices. */
export function prepareQuery({ points, lines, polygons }: QueryGeometry): PreparedQuery {
  const paths: { path: Position[]; element: number }[] = [];
  const firsts: Position[] = [];
  const add = (path: Position[], more: Ring[] = []) => {
    for (const member of [path, ...more]) paths.push({ path: member, element: firsts.length });
    firsts.push(path[0]!);
  };
  for (const [shell, ...holes] of polygons) add(shell!, holes);
  for (const line of lines) add(line);
  for (const point of points) add([point, point]);

  const edges = paths.reduce((sum, { path }) => sum + path.length - 1, 0);
  const [x1, y1, x2, y2] = Array.from({ length: 4 }, () => new Float64Array(edges));
  const prepared = {
    x1: x1!,
    y1: y1!,
    x2: x2!,
    y2: y2!,
    elementOf: new Uint32Array(edges),
    firstX: Float64Array.from(firsts, ([lon]) => toUnits(lon)),
    firstY: Float64Array.from(firsts, ([, lat]) => toUnits(lat)),
    isArea: Uint8Array.from(firsts, (_, element) => (element < polygons.length ? 1 : 0)),
    index: edges === 0 ? null : new Flatbush(edges),
  };
  let at = 0;
  for (const { path, element } of paths) {
    for (let i = 1; i < path.length; i++, at++) {
      const ax = toUnits(path[i - 1]![0]);
      const ay = toUnits(path[i - 1]![1]);
      const bx = toUnits(path[i]![0]);
      const by = toUnits(path[i]![1]);
      prepared.x1[at] = ax;
      prepared.y1[at] = ay;
      prepared.x2[at] = bx;
      prepared.y2[at] = by;
      prepared.elementOf[at] = element;
      prepared.index?.add(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by));
    }
  }
  prepared.index?.finish();
  return prepared;
}

/**
 * A query that can be sent to another thread. It has only the index's data, because the index itself would
 * lose its methods.
 */
export type QueryData = Omit<PreparedQuery, 'index'> & { index: Flatbush['data'] | null };

export const toData = ({ index, ...query }: PreparedQuery): QueryData => ({
  ...query,
  index: index?.data ?? null,
});

export const fromData = ({ index, ...query }: QueryData): PreparedQuery => ({
  ...query,
  index: index === null ? null : Flatbush.from(index),
});

/**
 * With at least this many candidate edges, each edge of a boundary searches the index instead of testing them
 * all.
 */
const MANY_CANDIDATES = 64;

/** Whether a query and a prepared boundary share a point. Exact. Touching counts, and holes are respected. */
export function intersects(query: PreparedQuery, boundary: MultiPolygon): boolean {
  if (query.index === null || boundary.length === 0) return false;
  const [west, south, east, north] = boxOf(boundary).map(toUnits) as Box;
  if (!(west <= query.index.maxX && query.index.minX <= east)) return false;
  if (!(south <= query.index.maxY && query.index.minY <= north)) return false;

  const near = query.index.search(west, south, east, north);
  if (near.length === 0) {
    // No edge of the query is near, so the whole box is inside or outside.
    return coversPoint(query, west, south);
  }
  const parcel = boundary.map(polygon =>
    polygon.map(ring => ring.map(([lon, lat]): Position => [toUnits(lon), toUnits(lat)])),
  );
  if (parcel.some(polygon => polygon.some(ring => ringMeets(query, ring, near)))) return true;
  if (parcel.some(([shell]) => coversPoint(query, ...shell![0]!))) return true;
  return [...new Set(near.map(edge => query.elementOf[edge]!))].some(element => {
    const first: Position = [query.firstX[element]!, query.firstY[element]!];
    return pointInMultiPolygon(first, parcel) === 'inside';
  });
}

/** Whether a point (in units) is in the query's areas or on its edges, lines, or points. Exact. */
export function coversPoint(
  { x1, y1, x2, y2, elementOf, isArea, index }: PreparedQuery,
  x: number,
  y: number,
): boolean {
  if (index === null) return false;
  // Elements whose outline is crossed an odd number of times by a ray to the east.
  const odd = new Set<number>();
  for (const e of index.search(x, y, Number.POSITIVE_INFINITY, y)) {
    const ay = y1[e]!;
    const by = y2[e]!;
    const element = elementOf[e]!;
    if (ay > y === by > y) {
      if ((ay === y || by === y) && onLevelEdge(x, y, x1[e]!, ay, x2[e]!, by)) return true;
      continue;
    }
    const ax = x1[e]!;
    const bx = x2[e]!;
    if (ax <= x || bx <= x) {
      const left = orientation(ax, ay, bx, by, x, y);
      if (left === 0) return true;
      if (left > 0 !== by > ay) continue;
    }
    if (isArea[element] === 1 && !odd.delete(element)) odd.add(element);
  }
  return odd.size > 0;
}

function ringMeets(query: PreparedQuery, ring: Ring, near: number[]): boolean {
  const { x1, y1, x2, y2, index } = query;
  for (let i = 1; i < ring.length; i++) {
    const [ax, ay] = ring[i - 1]!;
    const [bx, by] = ring[i]!;
    const west = ax < bx ? ax : bx;
    const east = ax < bx ? bx : ax;
    const south = ay < by ? ay : by;
    const north = ay < by ? by : ay;
    const candidates = near.length < MANY_CANDIDATES ? near : index!.search(west, south, east, north);
    for (const e of candidates) {
      const cx = x1[e]!;
      const dx = x2[e]!;
      if ((cx < west && dx < west) || (cx > east && dx > east)) continue;
      const cy = y1[e]!;
      const dy = y2[e]!;
      if ((cy < south && dy < south) || (cy > north && dy > north)) continue;
      if (segmentRelation(ax, ay, bx, by, cx, cy, dx, dy) !== 'apart') return true;
    }
  }
  return false;
}
