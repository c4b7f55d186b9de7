import type { Geometry } from 'geojson';
import {
  checkPosition,
  collectCoordinates,
  type Fault,
  fault,
  REPAIRS,
  type Repair,
} from './geometry-checks.ts';
import { toE7 } from './geometry-codec.ts';
import type { MultiPolygon, Polygon, Position, Ring } from './geometry-types.ts';
import { resolveOverlaps } from './overlay.ts';
import { pointInRing } from './point-in-polygon.ts';
import { cleanRing, planarArea, windRings } from './ring.ts';

export type PreparedBoundary = { ok: true; polygons: MultiPolygon; repairs: Repair[] } | Fault;

/**
 * Turns a GeoJSON area in WGS84 degrees into polygons that are valid according to the OGC, with ring
 * directions as in RFC 7946. No repair drops land or counts it twice. Holes that touch in a closed chain are
 * kept, even though they disconnect the interior.
 */
export function prepareBoundary(geometry: Geometry | null): PreparedBoundary {
  const raw: unknown[] = [];
  const refused = collectCoordinates(geometry, 'Polygon', raw);
  if (refused !== null) return refused;
  if (raw.length === 0) return fault('no_geometry', 'the geometry has no coordinates');

  const repairs = new Set<Repair>();
  const cleaned: MultiPolygon = [];
  for (const coordinates of raw) {
    const polygon = cleanPolygon(coordinates, repairs);
    if (polygon === null) repairs.add('zero_area_dropped');
    else if (Array.isArray(polygon)) cleaned.push(polygon);
    else return polygon;
  }
  if (cleaned.length === 0) return emptyFault(raw as Position[][][]);

  if (cleaned.length > 1) moveHoles(cleaned, repairs);
  const polygons = resolveOverlaps(cleaned, repairs);
  if (polygons === null) return fault('unrepairable', 'the rings cross in a way that cannot be repaired');
  if (polygons.length === 0) return fault('no_area', 'the holes cover the whole shell');
  for (const polygon of polygons) if (windRings(polygon)) repairs.add('winding_reversed');
  return { ok: true, polygons, repairs: REPAIRS.filter(repair => repairs.has(repair)) };
}

function cleanPolygon(coordinates: unknown, repairs: Set<Repair>): Polygon | Fault | null {
  if (!Array.isArray(coordinates)) return fault('malformed', 'a polygon is not an array of rings');
  const polygon: Polygon = [];
  for (let i = 0; i < coordinates.length; i++) {
    const ring = cleanRing(coordinates[i], repairs);
    if (ring === null) {
      if (i === 0) return null;
      repairs.add('zero_area_dropped');
    } else if (Array.isArray(ring)) polygon.push(ring);
    else return ring;
  }
  return polygon.length === 0 ? null : polygon;
}

function moveHoles(polygons: MultiPolygon, repairs: Set<Repair>): void {
  const isWithin = (hole: Ring, shell: Ring): boolean => {
    const sides = hole.map(position => pointInRing(position, shell));
    return sides.includes('inside') && !sides.includes('outside');
  };
  const isBeyond = (hole: Ring, shell: Ring): boolean =>
    hole.every(position => pointInRing(position, shell) !== 'inside');
  for (const polygon of polygons) {
    const [shell, ...holes] = polygon;
    for (const hole of holes) {
      if (!isBeyond(hole, shell!)) continue;
      const holders = polygons.filter(other => other !== polygon && isWithin(hole, other[0]!));
      const [holder] = holders.sort((a, b) => planarArea([[a[0]!]]) - planarArea([[b[0]!]]));
      if (holder === undefined) continue;
      polygon.splice(polygon.indexOf(hole), 1);
      holder.push(hole);
      repairs.add('hole_moved');
    }
  }
}

function emptyFault(raw: Position[][][]): Fault {
  const most = Math.max(...raw.map(([shell]) => new Set(shell?.map(([lon, lat]) => `${lon} ${lat}`)).size));
  return most < 3
    ? fault('too_few_points', `a ring needs 3 distinct points; the best has ${most}`)
    : fault('no_area', 'the ring encloses no area');
}

export type PreparedLines = { ok: true; lines: Position[][]; repairs: Repair[] } | Fault;

/** Turns GeoJSON lines in WGS84 degrees into lines of at least two positions that differ in 1e-7 degrees. */
export function prepareLines(geometry: Geometry): PreparedLines {
  const raw: unknown[] = [];
  const refused = collectCoordinates(geometry, 'LineString', raw);
  if (refused) return refused;
  if (raw.length === 0) return fault('no_geometry', 'the geometry has no coordinates');
  const repairs = new Set<Repair>();
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

function cleanLine(coordinates: unknown, repairs: Set<Repair>): Position[] | Fault {
  if (!Array.isArray(coordinates)) return fault('malformed', 'a line is not an array of positions');
  const line: Position[] = [];
  for (const value of coordinates as unknown[]) {
    const position = checkPosition(value, line.length, 'line', repairs);
    if (!Array.isArray(position)) return position;
    const before = line.at(-1);
    if (before && toE7(before[0]) === toE7(position[0]) && toE7(before[1]) === toE7(position[1]))
      repairs.add('duplicate_points_dropped');
    else line.push(position);
  }
  return line;
}
