import type { Geometry } from 'geojson';
import type { Position, Ring } from '../../shared/geo/geometry-types.ts';
import { nestRings } from '../../shared/geo/nest-rings.ts';
import { doubleSignedArea } from '../../shared/geo/ring.ts';

/**
 * Converts Esri JSON geometries
 * (https://developers.arcgis.com/rest/services-reference/enterprise/geometry-objects/) to GeoJSON. We don't
 * use @terraformer/arcgis, which doesn't support curves, relies on ring direction, and compares every edge
 * with every other.
 */

type Curve = { c?: unknown; a?: unknown; b?: unknown };
type Paths = (unknown[] | Curve)[][];

/** Arcs are drawn in steps of 3 degrees: 3 cm off at a radius of 100 m. */
const STEP = Math.PI / 60;
const BEZIER_STEPS = 24;

/**
 * A geometry in its original coordinates. Null if empty.
 * @throws TypeError if the value is not a geometry
 */
export function fromEsri(geometry: unknown, isDegrees: boolean): Geometry | null {
  if (geometry === null || geometry === undefined) return null;
  const { x, y, points, paths, curvePaths, rings, curveRings } = geometry as Record<string, unknown>;
  if (rings || curveRings) return fromRings(drawn((curveRings ?? rings) as Paths, isDegrees));
  if (paths || curvePaths) {
    const lines = drawn((curvePaths ?? paths) as Paths, isDegrees).filter(line => line.length > 1);
    return lines.length === 0 ? null : { type: 'MultiLineString', coordinates: lines };
  }
  if (points) {
    const coordinates = (points as unknown[]).map(position);
    return coordinates.length === 0 ? null : { type: 'MultiPoint', coordinates };
  }
  // The coordinate of an empty point is null, or the word NaN.
  if (x === null || x === undefined || x === 'NaN' || Number.isNaN(x)) return null;
  return { type: 'Point', coordinates: position([x, y]) };
}

function position(value: unknown): Position {
  const [x, y] = value as unknown[];
  if (typeof x === 'number' && typeof y === 'number') return [x, y];
  throw new TypeError('a position is not a pair of numbers');
}

function fromRings(rings: Ring[]): Geometry | null {
  for (const ring of rings) {
    const [first, last] = [ring[0], ring.at(-1)];
    if (first && last && (first[0] !== last[0] || first[1] !== last[1])) ring.push([...first]);
  }
  // Keep rings without area, so that a later step counts the error.
  const polygons = nestRings(rings.filter(ring => ring.length > 0));
  if (polygons.length === 0) return null;
  // Shells are clockwise in Esri JSON and counterclockwise in GeoJSON.
  for (const ring of polygons.flat()) ring.reverse();
  polygons.sort((a, b) => Math.abs(doubleSignedArea(a[0]!)) - Math.abs(doubleSignedArea(b[0]!)));
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0]! }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function drawn(paths: Paths, isDegrees: boolean): Position[][] {
  return paths.map(path => {
    const line: Position[] = [];
    for (const part of path) {
      if (Array.isArray(part)) line.push(position(part));
      else line.push(...curve(line.at(-1), part, isDegrees));
    }
    return line;
  });
}

/**
 * The positions of a curve after its start. In degrees, longitude is scaled down while the curve is drawn.
 */
function curve(start: Position | undefined, { c, a, b }: Curve, isDegrees: boolean): Position[] {
  const curvePoints = (c ?? a ?? b) as unknown[] | undefined;
  if (start === undefined || !Array.isArray(curvePoints))
    throw new TypeError('a curve without a start, or of an unknown kind');
  const shrink = isDegrees ? Math.cos((start[1] * Math.PI) / 180) : 1;
  const flat = (value: unknown): Position => {
    const [x, y] = position(value);
    return [x * shrink, y];
  };
  const [from, to, second] = [flat(start), flat(curvePoints[0]), flat(curvePoints[1])];
  let line: Position[];
  if (b !== undefined) line = bezier(from, second, flat(curvePoints[2]), to);
  else if (c !== undefined) line = throughPoint(from, second, to);
  else line = elliptic(from, to, second, curvePoints.slice(2).map(Number));
  return [...line.map(([x, y]): Position => [x / shrink, y]), position(curvePoints[0])];
}

/** The positions of a circular arc from its start (excluded) through a point to its end. */
function throughPoint(from: Position, [px, py]: Position, to: Position): Position[] {
  const [ax, ay] = [from[0] - px, from[1] - py];
  const [bx, by] = [to[0] - px, to[1] - py];
  const cross = 2 * (ax * by - ay * bx);
  const [aa, bb] = [ax * ax + ay * ay, bx * bx + by * by];
  const center: Position = [px + (by * aa - ay * bb) / cross, py + (ax * bb - bx * aa) / cross];
  // There is no circle through collinear points, so the arc is a straight line.
  if (!Number.isFinite(center[0]) || !Number.isFinite(center[1])) return [[px, py]];
  // If start, point, and end turn left, the arc is counterclockwise.
  return elliptic(from, to, center, [0, cross > 0 ? 1 : 0]);
}

/**
 * An arc around a center. `numbers`: [minor, clockwise], then for an ellipse [rotation, long half axis,
 * ratio].
 */
function elliptic(from: Position, to: Position, [cx, cy]: Position, numbers: number[]): Position[] {
  const [, clockwise, rotation = 0, axis = Math.hypot(from[0] - cx, from[1] - cy), ratio = 1] = numbers;
  const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
  const angle = ([x, y]: Position) =>
    Math.atan2((cos * (y - cy) - sin * (x - cx)) / ratio, cos * (x - cx) + sin * (y - cy));
  const begin = angle(from);
  let sweep = angle(to) - begin;
  if (clockwise === 1 && sweep >= 0) sweep -= 2 * Math.PI;
  if (clockwise !== 1 && sweep <= 0) sweep += 2 * Math.PI;
  const steps = Math.ceil(Math.abs(sweep) / STEP);
  return Array.from({ length: Math.max(0, steps - 1) }, (_, i): Position => {
    const t = begin + (sweep * (i + 1)) / steps;
    const [u, v] = [axis * Math.cos(t), axis * ratio * Math.sin(t)];
    return [cx + cos * u - sin * v, cy + sin * u + cos * v];
  });
}

function bezier(from: Position, one: Position, two: Position, to: Position): Position[] {
  return Array.from({ length: BEZIER_STEPS - 1 }, (_, i): Position => {
    const t = (i + 1) / BEZIER_STEPS;
    const s = 1 - t;
    const at = (k: 0 | 1) =>
      s ** 3 * from[k] + 3 * s * s * t * one[k] + 3 * s * t * t * two[k] + t ** 3 * to[k];
    return [at(0), at(1)];
  });
}
