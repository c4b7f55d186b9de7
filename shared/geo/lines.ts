import type { Geometry } from 'geojson';
import { toE7 } from './codec.ts';
import type { Position } from './types.ts';

/** Why a geometry cannot be a road; the reasons of boundaries (prepare.ts) where they are the same. */
export type LineFault =
  | 'no_geometry'
  | 'not_a_line'
  | 'malformed'
  | 'not_finite'
  | 'out_of_range'
  | 'no_length';

/** What was done to lines to make them usable. */
export type LineRepair = 'z_dropped' | 'duplicate_points_dropped' | 'zero_length_dropped';

export type PreparedLines =
  | { ok: true; lines: Position[][]; repairs: LineRepair[] }
  | { ok: false; reason: LineFault; message: string };

type Fault = Extract<PreparedLines, { ok: false }>;

const fault = (reason: LineFault, message: string): Fault => ({ ok: false, reason, message });

/**
 * A GeoJSON geometry in WGS84 degrees as lines of at least two positions that differ on the grid of 1e-7 degrees.
 * LineString, MultiLineString and GeometryCollection of those are lines; anything else is a fault with its reason. Each
 * kind of repair is named once.
 */
export function prepareLines(geometry: Geometry): PreparedLines {
  const raw: unknown[] = [];
  const refused = collect(geometry, raw);
  if (refused) return refused;
  if (raw.length === 0) return fault('no_geometry', 'the geometry has no coordinates');
  const repairs = new Set<LineRepair>();
  const lines: Position[][] = [];
  for (const coordinates of raw) {
    const line = cleanLine(coordinates, repairs);
    if (!Array.isArray(line)) return line;
    if (line.length > 1) lines.push(line);
    else repairs.add('zero_length_dropped');
  }
  if (lines.length === 0) return fault('no_length', 'all positions of the line are the same');
  return { ok: true, lines, repairs: [...repairs].sort() };
}

/** Gathers the coordinates of every line, or says why the geometry is none. */
function collect(geometry: Geometry | null | undefined, raw: unknown[]): Fault | null {
  if (geometry?.type === 'LineString') {
    if (!Array.isArray(geometry.coordinates)) return fault('malformed', 'a LineString without positions');
    if (geometry.coordinates.length > 0) raw.push(geometry.coordinates);
  } else if (geometry?.type === 'MultiLineString') {
    if (!Array.isArray(geometry.coordinates)) return fault('malformed', 'a MultiLineString without lines');
    for (const line of geometry.coordinates) raw.push(line);
  } else if (geometry?.type === 'GeometryCollection') {
    if (!Array.isArray(geometry.geometries))
      return fault('malformed', 'a GeometryCollection without geometries');
    for (const member of geometry.geometries) {
      const refused = collect(member, raw);
      if (refused) return refused;
    }
  } else {
    return fault('not_a_line', `${String(geometry?.type)} is not a line; LineString or MultiLineString is`);
  }
  return null;
}

function cleanLine(coordinates: unknown, repairs: Set<LineRepair>): Position[] | Fault {
  if (!Array.isArray(coordinates)) return fault('malformed', 'a line is not an array of positions');
  const line: Position[] = [];
  for (const position of coordinates as unknown[]) {
    if (!Array.isArray(position) || position.length < 2)
      return fault('malformed', `position ${line.length} of a line is not [longitude, latitude]`);
    const [lon, lat] = position as [unknown, unknown];
    if (!isFiniteNumber(lon) || !isFiniteNumber(lat))
      return fault('not_finite', `position ${String(lon)}, ${String(lat)} is not two finite numbers`);
    if (Math.abs(lon) > 180 || Math.abs(lat) > 90) {
      const message = `position ${lon}, ${lat} is not a longitude and latitude in degrees; is the CRS right?`;
      return fault('out_of_range', message);
    }
    if (position.length > 2) repairs.add('z_dropped');
    const before = line.at(-1);
    if (before && toE7(before[0]) === toE7(lon) && toE7(before[1]) === toE7(lat))
      repairs.add('duplicate_points_dropped');
    else line.push([lon, lat]);
  }
  return line;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
