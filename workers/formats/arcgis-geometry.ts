import type { Geometry } from 'geojson';
import { boxOfLine } from '../../shared/geo/box.ts';
import type { Box, Position, Ring } from '../../shared/geo/geometry-types.ts';
import { pointInRing } from '../../shared/geo/point-in-polygon.ts';
import { doubleSignedArea } from '../../shared/geo/ring.ts';

/*
 * Esri JSON geometries
 * (https://developers.arcgis.com/rest/services-reference/enterprise/geometry-objects/) as GeoJSON ones.
 * Not by @terraformer/arcgis: it knows no curves, gives a hole to any shell around it and not the innermost,
 * and compares every edge with every other.
 */

type Curve = { c?: unknown; a?: unknown; b?: unknown };
type Paths = (unknown[] | Curve)[][];

/** An arc is drawn in steps of 3 degrees: 3 cm off at a radius of 100 m. */
const STEP = Math.PI / 60;
const BEZIER_STEPS = 24;

/**
 * One geometry in its own coordinates; null for none or an empty one. @throws TypeError for what is not a
 * geometry
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
  // An empty point is null, or the word NaN.
  if (x === null || x === undefined || x === 'NaN' || Number.isNaN(x)) return null;
  return { type: 'Point', coordinates: position([x, y]) };
}

function position(value: unknown): Position {
  const [x, y] = value as unknown[];
  if (typeof x === 'number' && typeof y === 'number') return [x, y];
  throw new TypeError('a position is not a pair of numbers');
}

/**
 * Clockwise rings are shells, the others holes of the smallest shell around them; one without is a shell
 * wound the wrong way.
 */
function fromRings(rings: Ring[]): Geometry | null {
  type Shell = { rings: Ring[]; box: Box; area: number };
  const shells: Shell[] = [];
  const holes: { ring: Ring; box: Box }[] = [];
  for (const ring of rings) {
    const [first, last] = [ring[0], ring.at(-1)];
    if (first && last && (first[0] !== last[0] || first[1] !== last[1])) ring.push([...first]);
    // One without area stays, so that it is counted with what was wrong with it.
    if (ring.length === 0) continue;
    const area = doubleSignedArea(ring);
    if (area <= 0) shells.push({ rings: [ring], box: boxOfLine(ring), area: -area });
    else holes.push({ ring, box: boxOfLine(ring) });
  }
  shells.sort((a, b) => a.area - b.area);
  const strays: Ring[][] = [];
  for (const { ring, box } of holes) {
    const around = shells.find(shell => holdsBox(shell.box, box) && holds(shell.rings[0]!, ring));
    if (around) around.rings.push(ring);
    else strays.push([ring]);
  }
  const polygons = [...shells.map(shell => shell.rings), ...strays];
  // RFC 7946 winds the other way round.
  for (const ring of polygons.flat()) ring.reverse();
  for (const [shell] of strays) shell!.reverse();
  if (polygons.length === 0) return null;
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0]! }
    : { type: 'MultiPolygon', coordinates: polygons };
}

const holdsBox = (outer: Box, inner: Box): boolean =>
  outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];

/** Whether a hole lies in a shell, by its first position that is not on the shell's edge. */
function holds(shell: Ring, hole: Ring): boolean {
  for (const point of hole) {
    const side = pointInRing(point, shell);
    if (side !== 'boundary') return side === 'inside';
  }
  return true;
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
 * The positions of a curve behind its start. In degrees, a degree of longitude is shortened to one of
 * latitude while it is drawn.
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

/** A circular arc from its start over a point on it to its end, which is left out. */
function throughPoint(from: Position, [px, py]: Position, to: Position): Position[] {
  const [ax, ay] = [from[0] - px, from[1] - py];
  const [bx, by] = [to[0] - px, to[1] - py];
  const cross = 2 * (ax * by - ay * bx);
  const [aa, bb] = [ax * ax + ay * ay, bx * bx + by * by];
  const center: Position = [px + (by * aa - ay * bb) / cross, py + (ax * bb - bx * aa) / cross];
  // Points in line have no circle; the straight way is the arc.
  if (!Number.isFinite(center[0]) || !Number.isFinite(center[1])) return [[px, py]];
  // Start, point and end turn left where the arc does not run clockwise.
  return elliptic(from, to, center, [0, cross > 0 ? 1 : 0]);
}

/** An arc about a center, [minor, clockwise] and of an ellipse its [rotation, long half axis, ratio]. */
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
