import { fromGeojsonVt } from '@maplibre/vt-pbf';
import { clipLine, clipRing } from '../../shared/drawing/drawing-lines.ts';
import type { Point } from '../../shared/drawing/map-extent.ts';
import type { Box, MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';

/** Vector tile coordinates are 0 to 4096. A tile is drawn 512 pixels wide. */
export const EXTENT = 4_096;
export const PIXELS = 512;
export const UNITS = EXTENT / PIXELS;
/** The clip box. It extends beyond the tile, so that outlines along the edge of the box stay hidden. */
const FRAME: [number, number, number, number] = [-8, -8, PIXELS + 8, PIXELS + 8];

/** The number of features that a browser can draw easily. Beyond this, only the largest are drawn. */
export const MAX_FEATURES = 20_000;

export type Tile = { z: number; x: number; y: number };
export type Feature = {
  id?: number;
  type: 1 | 2 | 3;
  geometry: Point[] | Point[][];
  tags: Record<string, string | number | true>;
};

/** Web Mercator (EPSG:3857): converts degrees to pixels in the tile. */
export function projector({ z, x, y }: Tile): (place: Position) => Point {
  const scale = PIXELS * 2 ** z;
  return place => {
    const sine = Math.sin((place[1]! * Math.PI) / 180);
    return [
      (place[0]! / 360 + 0.5) * scale - x * PIXELS,
      (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * scale - y * PIXELS,
    ];
  };
}

/** West, south, east, and north in degrees, with the margin. */
export function boundsOf({ z, x, y }: Tile): Box {
  const edge = FRAME[2] / PIXELS - 1;
  const lon = (at: number) => Math.max(-180, Math.min(180, (at / 2 ** z - 0.5) * 360));
  const lat = (at: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * at) / 2 ** z))) * 180) / Math.PI;
  return [lon(x - edge), lat(y + 1 + edge), lon(x + 1 + edge), lat(y - edge)];
}

export const pxE7 = ({ z }: Tile): number => 360e7 / 2 ** z / PIXELS;

/** A label belongs only to the tile that contains its point. */
export const isInTile = (at: Point): boolean => at.every(px => px >= 0 && px < PIXELS);

export const toUnits = (at: Point): Point => [Math.round(at[0] * UNITS), Math.round(at[1] * UNITS)];

/** Tiles at this zoom level are reused at higher levels, so their outlines are not simplified. */
const FINEST = 15;
/** The number of points in a closed triangle. */
const LEAST_RING = 4;
/** Tolerance for simplifying outlines, as in geojson-vt. */
const OFF_UNITS = 3;

/**
 * The rings of polygons in the tile. The format requires exterior rings to be clockwise on the screen, and
 * holes to be counterclockwise. QGIS doesn't draw others.
 */
export function rings(polygons: MultiPolygon, project: (place: Position) => Point, zoom: number): Point[][] {
  const drawn: Point[][] = [];
  for (const polygon of polygons) {
    for (const ring of polygon) {
      const outline = ring.map(project);
      // Most parcels are inside their tile. Clipping those too would take up half of the time.
      const units = onGrid(outline.every(isInFrame) ? outline : clipRing(outline.slice(0, -1), FRAME));
      if (units.length > 0 && !isSame(units[0]!, units.at(-1)!)) units.push(units[0]!);
      if (units.length < LEAST_RING) continue;
      const ringUnits = zoom < FINEST ? simplified(units, LEAST_RING) : units;
      if (isClockwise(ringUnits) !== (ring === polygon[0])) ringUnits.reverse();
      drawn.push(ringUnits);
    }
  }
  return drawn;
}

/** Whether a closed ring is clockwise on the screen, where y points down. */
function isClockwise(ring: readonly Point[]): boolean {
  let area = 0;
  for (let i = 1; i < ring.length; i++) area += ring[i - 1]![0] * ring[i]![1] - ring[i]![0] * ring[i - 1]![1];
  return area > 0;
}

// Don't use destructuring, because these run for every vertex.
const isInFrame = (at: Point): boolean =>
  at[0] >= FRAME[0] && at[0] <= FRAME[2] && at[1] >= FRAME[1] && at[1] <= FRAME[3];
const isSame = (a: Point, b: Point): boolean => a[0] === b[0] && a[1] === b[1];

/** Drops points that coincide with the previous one. */
function onGrid(line: Point[]): Point[] {
  const units: Point[] = [];
  for (const point of line) {
    const next = toUnits(point);
    if (units.length === 0 || !isSame(next, units.at(-1)!)) units.push(next);
  }
  return units;
}

/** Simplifies with Douglas-Peucker, unless fewer than `least` points would remain. */
function simplified(line: Point[], least: number): Point[] {
  if (line.length <= least) return line;
  const kept = [line[0]!];
  keepBetween(line, 0, line.length - 1, kept);
  return kept.length < least ? line : kept;
}

function keepBetween(line: readonly Point[], from: number, to: number, kept: Point[]): void {
  let far = OFF_UNITS ** 2;
  let at = 0;
  for (let i = from + 1; i < to; i++) {
    const off = squareTo(line[i]!, line[from]!, line[to]!);
    if (off <= far) continue;
    far = off;
    at = i;
  }
  if (at === 0) kept.push(line[to]!);
  else {
    keepBetween(line, from, at, kept);
    keepBetween(line, at, to, kept);
  }
}

/** The squared distance from a point to the line between two others. */
function squareTo(point: Point, from: Point, to: Point): number {
  const dx = to[0] - from[0];
  const dy = to[1] - from[1];
  const x = point[0] - from[0];
  const y = point[1] - from[1];
  const share = Math.max(0, Math.min(1, (x * dx + y * dy) / (dx * dx + dy * dy || 1)));
  return (x - share * dx) ** 2 + (y - share * dy) ** 2;
}

export function lines(line: Position[][], project: (place: Position) => Point, zoom: number): Point[][] {
  const parts = line.flatMap(part => clipLine(part.map(project), FRAME)).map(part => part.map(toUnits));
  return zoom < FINEST ? parts.map(part => simplified(part, 2)) : parts;
}

export const middleOfBox = ([west, south, east, north]: Readonly<Box>): Position => [
  (west! + east!) / 2,
  (south! + north!) / 2,
];

export function encoded(layers: Record<string, Feature[]>): Buffer {
  const tiles = Object.entries(layers).map(([layer, features]) => [layer, { features }]);
  return Buffer.from(fromGeojsonVt(Object.fromEntries(tiles), { version: 2, extent: EXTENT }));
}
