import { countCrossings } from './count-crossings.ts';
import { toUnits } from './geometry-codec.ts';
import type { Polygon, Position, Ring } from './geometry-types.ts';
import { findRingFault, type RingFault } from './ring-faults.ts';

/**
 * The union of these elements, in WGS84 degrees. Rings are closed and don't cross. Holes are inside their
 * shells.
 */
export type QueryGeometry = { points: Position[]; lines: Position[][]; polygons: Polygon[] };

/**
 * Limits on vertices, not counting those that close a ring (the API documents 10,000), on the nesting depth
 * of collections, and on the number of edges crossed by one line of latitude or longitude. Such a line
 * crosses up to 36 edges of Alaska's outline, about 250 of a random walk of 10,000 steps, and all edges of a
 * zigzag.
 */
export const QUERY_LIMITS = { maxVertices: 10_000, maxDepth: 8, maxCrossings: 500 };
export type QueryLimits = typeof QUERY_LIMITS;

/**
 * `range`: a longitude or latitude is out of range. `ring`: a ring is unclosed, too short, crossing, or
 * misplaced. `too_complex`: the geometry is over a limit.
 */
export type QueryFaultKind = 'syntax' | 'range' | 'ring' | 'too_complex';

export type ParsedQuery =
  | { ok: true; geometry: QueryGeometry }
  | { ok: false; kind: QueryFaultKind; message: string };

/** Thrown while reading a geometry, and caught by `parseGeometry`. It never leaves this folder. */
class QueryFault extends Error {
  readonly kind: QueryFaultKind;

  constructor(kind: QueryFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export function throwQueryFault(kind: QueryFaultKind, message: string): never {
  throw new QueryFault(kind, message);
}

/** A geometry while it is being read. `count` excludes positions that close a ring. */
export type Builder = {
  geometry: QueryGeometry;
  limits: QueryLimits;
  count: number;
  /** For messages about each polygon, the names of its rings and the number of each vertex in the request. */
  names: { places: string[]; numbers: number[][] }[];
};

export function parseGeometry(limits: QueryLimits, read: (builder: Builder) => void): ParsedQuery {
  const builder: Builder = { geometry: { points: [], lines: [], polygons: [] }, limits, count: 0, names: [] };
  try {
    read(builder);
    if (builder.count > limits.maxVertices) tooComplex(builder);
    requireFewCrossings(builder);
    requireSoundRings(builder);
  } catch (error) {
    if (error instanceof QueryFault) return { ok: false, kind: error.kind, message: error.message };
    throw error;
  }
  return { ok: true, geometry: builder.geometry };
}

/** Checks and counts a position. `place` describes where it is. It is called only if a message is needed. */
export function validatePosition(builder: Builder, lon: number, lat: number, place: () => string): Position {
  if (!(Math.abs(lon) <= 180)) {
    throwQueryFault('range', `longitude ${lon} is not between -180 and 180: ${place()}`);
  }
  if (!(Math.abs(lat) <= 90)) {
    throwQueryFault(
      'range',
      `latitude ${lat} is not between -90 and 90: ${place()}; a position is longitude, latitude`,
    );
  }
  builder.count++;
  // Allow one position more than the limit, because it may close a ring.
  if (builder.count > builder.limits.maxVertices + 1) tooComplex(builder);
  return [lon, lat];
}

/** Checks a ring after its last position, and subtracts the closing position from the count. */
export function endRing(builder: Builder, ring: Ring, place: string): void {
  const [first, last] = [ring[0]!, ring.at(-1)!];
  if (!coincide(first, last)) {
    const ends = `it starts at ${first.join(' ')} and ends at ${last.join(' ')}`;
    throwQueryFault(
      'ring',
      `${place} is not closed: ${ends} (vertex ${ring.length}); repeat the first position`,
    );
  }
  if (ring.length < 4) {
    const has = `${ring.length} position${ring.length === 1 ? '' : 's'}`;
    throwQueryFault('ring', `${place} has ${has}; a ring needs at least 4, the last repeating the first`);
  }
  builder.count--;
}

function tooComplex({ limits }: Builder): never {
  throwQueryFault('too_complex', `the geometry has more than ${limits.maxVertices} vertices`);
}

/** Runs before any computation whose time grows with the number of long edges. */
function requireFewCrossings({ geometry, limits: { maxCrossings } }: Builder): void {
  const crossings = countCrossings([...geometry.lines, ...geometry.polygons.flat()]);
  if (crossings <= maxCrossings) return;
  throwQueryFault(
    'too_complex',
    `the geometry has too many long edges: one line of latitude or longitude crosses ${crossings} of them, ` +
      `and the limit is ${maxCrossings}. Simplify it, or split it into several requests`,
  );
}

function requireSoundRings({ geometry, names }: Builder): void {
  for (const [i, polygon] of geometry.polygons.entries()) {
    const fault = findRingFault(polygon);
    if (fault !== null) throwQueryFault('ring', faultMessage(fault, names[i]!.places, names[i]!.numbers));
  }
}

/**
 * Adds a polygon of rings that passed `endRing`. Whether they cross is checked after everything is read.
 * @param places the rings' names for messages
 */
export function addPolygon(builder: Builder, rings: Ring[], places: string[]): void {
  const numbers: number[][] = [];
  const polygon: Polygon = [];
  for (const [r, ring] of rings.entries()) {
    const kept: Ring = [];
    const numbersKept: number[] = [];
    for (const [i, vertex] of ring.entries()) {
      const before = kept.at(-1);
      if (before !== undefined && coincide(before, vertex)) continue;
      kept.push(vertex);
      numbersKept.push(i + 1);
    }
    if (kept.length < 4) throwQueryFault('ring', `${places[r]} has fewer than 3 different positions`);
    polygon.push(kept);
    numbers.push(numbersKept);
  }
  builder.geometry.polygons.push(polygon);
  builder.names.push({ places, numbers });
}

/** Whether two positions are equal in the units of later computations. */
function coincide(a: Position, b: Position): boolean {
  return toUnits(a[0]) === toUnits(b[0]) && toUnits(a[1]) === toUnits(b[1]);
}

function faultMessage({ what, a, b, at }: RingFault, places: string[], numbers: number[][]): string {
  const where = `at ${at[0]} ${at[1]}`;
  if (what === 'outside_shell') return `${places[a.ring]} is a hole outside its shell: it starts ${where}`;
  if (what === 'in_hole') return `${places[a.ring]} is a hole inside another hole: it starts ${where}`;
  const verb = what === 'crosses' ? 'crosses' : 'runs along';
  const from = (edge: { ring: number; vertex: number }) => numbers[edge.ring]![edge.vertex]!;
  if (a.ring === b.ring) {
    return `${places[a.ring]} ${verb} itself ${where}: the edges from vertex ${from(a)} and vertex ${from(b)}`;
  }
  const [hole, other] = a.ring > b.ring ? [a, b] : [b, a];
  return (
    `${places[hole.ring]} ${verb} ${places[other.ring]} ${where}: ` +
    `the edges from vertex ${from(hole)} and vertex ${from(other)}`
  );
}

/**
 * Reads a GeoJSON Polygon or MultiPolygon with the checks and messages of `parseWkt`. Heights are dropped.
 */
export function parseGeoJsonArea(value: unknown, limits: QueryLimits): ParsedQuery {
  return parseGeometry(limits, builder => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throwQueryFault('syntax', 'must be a GeoJSON Polygon or MultiPolygon');
    }
    const { type, coordinates } = value as { type?: unknown; coordinates?: unknown };
    if (type === 'Polygon') readPolygon(builder, coordinates, 'coordinates');
    else if (type === 'MultiPolygon') {
      for (const [i, polygon] of array(coordinates, 'coordinates').entries()) {
        readPolygon(builder, polygon, `coordinates[${i}]`);
      }
    } else
      throwQueryFault(
        'syntax',
        `the type is ${JSON.stringify(type)?.slice(0, 40)}, expected Polygon or MultiPolygon`,
      );
  });
}

function readPolygon(builder: Builder, value: unknown, path: string): void {
  const number = builder.geometry.polygons.length + 1;
  const rings: Ring[] = [];
  const places: string[] = [];
  for (const [r, raw] of array(value, path).entries()) {
    const place = `polygon ${number}, ring ${r + 1}`;
    const ring: Ring = [];
    for (const [v, at] of array(raw, `${path}[${r}]`).entries()) {
      ring.push(readPosition(builder, at, () => `${place}, vertex ${v + 1} (${path}[${r}][${v}])`));
    }
    if (ring.length === 0) throwQueryFault('ring', `${place} is empty`);
    endRing(builder, ring, place);
    rings.push(ring);
    places.push(place);
  }
  if (rings.length > 0) addPolygon(builder, rings, places);
}

function readPosition(builder: Builder, value: unknown, place: () => string): Position {
  if (!Array.isArray(value) || value.length < 2)
    throwQueryFault('syntax', `${place()} is not [longitude, latitude]`);
  const [lon, lat] = value as unknown[];
  if (typeof lon !== 'number' || typeof lat !== 'number')
    throwQueryFault('syntax', `${place()} must contain numbers`);
  return validatePosition(builder, lon, lat, place);
}

function array(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throwQueryFault('syntax', `${path} is not an array`);
  return value;
}
