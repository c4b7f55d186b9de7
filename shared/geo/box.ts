import { bbox } from '@turf/bbox';
import type { Geometry } from 'geojson';
import type { Box, MultiPolygon, Position } from './geometry-types.ts';

// Import the @turf modules one by one, because loading all of @turf/turf takes 200 ms per process.

/** An empty box to be grown with `growBox`. */
export const emptyBox = (): Box => [Infinity, Infinity, -Infinity, -Infinity];
export const isEmptyBox = (box: Box): boolean => box[0] > box[2];

export function growBox(box: Box, other: Readonly<Box>): void {
  box[0] = Math.min(box[0], other[0]);
  box[1] = Math.min(box[1], other[1]);
  box[2] = Math.max(box[2], other[2]);
  box[3] = Math.max(box[3], other[3]);
}

export function boxAround(boxes: Iterable<Readonly<Box>>): Box {
  const around = emptyBox();
  for (const box of boxes) growBox(around, box);
  return around;
}

/** The bounding box of a boundary, or `emptyBox` if it has no parts. */
export function boxOf(polygons: MultiPolygon): Box {
  return bbox({ type: 'MultiPolygon', coordinates: polygons }) as Box;
}

export function boxOfLine(line: readonly Position[]): Box {
  return bbox({ type: 'LineString', coordinates: line as Position[] }) as Box;
}

/**
 * The bounding box of an unchecked GeoJSON geometry of any type; null if it has no positions or isn't within
 * the ranges of longitude and latitude.
 */
export function boxOfGeometry(geometry: Geometry | null): Box | null {
  if (geometry === null) return null;
  const box = emptyBox();
  growByGeometry(box, geometry);
  const [west, south, east, north] = box;
  const onGlobe = west >= -180 && south >= -90 && east <= 180 && north <= 90;
  return onGlobe && !isEmptyBox(box) ? box : null;
}

function growByGeometry(box: Box, geometry: Geometry): void {
  const { coordinates, geometries } = geometry as { coordinates?: unknown; geometries?: unknown };
  if (Array.isArray(coordinates)) growByPositions(box, coordinates);
  else if (Array.isArray(geometries)) for (const part of geometries) if (part) growByGeometry(box, part);
}

/** A coordinate that isn't a number makes the box NaN, which the range check rejects. */
function growByPositions(box: Box, coordinates: readonly unknown[]): void {
  if (Array.isArray(coordinates[0])) {
    for (const inner of coordinates) if (Array.isArray(inner)) growByPositions(box, inner);
  } else if (coordinates.length > 1) {
    const [lon, lat] = [Number(coordinates[0]), Number(coordinates[1])];
    growBox(box, [lon, lat, lon, lat]);
  }
}

export function boxesIntersect(a: Readonly<Box>, b: Readonly<Box>): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

export function boxContains([west, south, east, north]: Readonly<Box>, x: number, y: number): boolean {
  return west <= x && x <= east && south <= y && y <= north;
}

export const boxArea = ([west, south, east, north]: Readonly<Box>): number => (east - west) * (north - south);

export function padBox([west, south, east, north]: Readonly<Box>, across: number, up = across): Box {
  return [west - across, south - up, east + across, north + up];
}

/** Meters per degree of latitude at the equator of WGS84, where a degree is shortest. */
const METERS_PER_DEGREE = 110_574;
/** Closer to a pole, a margin in degrees of longitude would grow without bound. */
const MAX_LATITUDE_DEG = 89;

/** Degrees of latitude and longitude that cover at least `meters` anywhere between two latitudes. */
function marginDeg(meters: number, southDeg: number, northDeg: number): { lat: number; lon: number } {
  const lat = meters / METERS_PER_DEGREE;
  const farthest = Math.min(MAX_LATITUDE_DEG, Math.max(Math.abs(southDeg), Math.abs(northDeg)) + lat);
  return { lat, lon: lat / Math.cos((farthest * Math.PI) / 180) };
}

export function withMargin(box: Readonly<Box>, meters: number): Box {
  const { lat, lon } = marginDeg(meters, box[1], box[3]);
  return padBox(box, lon, lat);
}

/** Like `withMargin`, but for a box in 1e-7 degrees. */
export function withMarginE7(box: Readonly<Box>, meters: number): Box {
  const { lat, lon } = marginDeg(meters, box[1] / 1e7, box[3] / 1e7);
  return padBox(box, Math.ceil(lon * 1e7), Math.ceil(lat * 1e7));
}

/** Converts a box from degrees to integers of 1e-7 degrees. Each side is rounded. */
export const boxToE7 = (box: Readonly<Box>): Box => box.map(degrees => Math.round(degrees * 1e7)) as Box;

/** The text of a PostgreSQL `box`. Box columns are in 1e-7 degrees. */
export function boxSql([west, south, east, north]: Readonly<Box>): string {
  return `(${east},${north}),(${west},${south})`;
}

/** The text of a PostgreSQL `box[]`, which uses a semicolon as the delimiter. */
export const boxArraySql = (boxes: readonly Readonly<Box>[]): string => `{${boxes.map(boxSql).join(';')}}`;

export type BoxColumns = { west: number; south: number; east: number; north: number };

export const boxOfColumns = ({ west, south, east, north }: BoxColumns): Box => [west, south, east, north];
