import { padBox } from '../../geo/box.ts';
import type { Box } from '../../geo/geometry-types.ts';
import { lineOfSight, type Neighborhood } from './facing.ts';
import { isInside, type PreparedPolygon } from './grounds.ts';
import {
  CORRIDOR_M,
  HALF_CORRIDOR_M,
  HALF_RIGHT_OF_WAY_M,
  MAX_CORRIDOR_M,
  MAX_STRIP_M,
  MIN_STRIP_ELONGATION,
} from './rules.ts';
import { distanceTo, interpolate, nearestShare, piecesAlong, pointDistance } from './segments.ts';
import { elongatedWidth } from './ways.ts';

/** Spacing of the places to search. Finds every straight corridor that is at least a rod (5.03 m) wide. */
const STEP_M = 1.25;
/** Ends the search in open country. A lot's corridors never have this many places. */
const MAX_PLACES = 6_000;

const DIRECTIONS = Array.from({ length: 8 }, (_, i): [x: number, y: number] => [
  Math.cos((i * Math.PI) / 8),
  Math.sin((i * Math.PI) / 8),
]);

/**
 * Returns a test of whether a corridor, as docs/land.md defines it, leads from a parcel to a road. The test
 * searches the land between parcels, starting along the boundary, until a place has a clear view of a road.
 */
export function corridorRule(
  near: Neighborhood,
  reachM: readonly number[],
): (polygon: PreparedPolygon) => boolean {
  const { edges, parts } = near.parcels;
  const narrow = parts.filter(isStrip);
  const strips = new Set([...near.ways.flat(), ...narrow]);
  const isOfStrip = new Uint8Array(edges.x1.length);
  for (const { from, to } of strips) isOfStrip.fill(1, from, to);
  const ways = near.ways.map(own => [...own, ...narrow]);
  const seesRoad = viewOfRoad({ ...near, ways }, reachM);

  return polygon => {
    const { box, from, to } = polygon;
    const around = padBox(box, CORRIDOR_M);
    if (near.roads.index === null || near.roads.index.search(...padBox(around, MAX_CORRIDOR_M)).length === 0)
      return false;
    // If the parcel is itself a strip, it still blocks.
    const blocks = {
      edge: (e: number) => isOfStrip[e] === 0 || (e >= from && e < to),
      part: (part: PreparedPolygon) => !strips.has(part) || (part.from >= from && part.to <= to),
    };
    return findPath(placesBeside(polygon), around, (x, y) => isInCorridor(near, blocks, x, y), seesRoad);
  };
}

/** Whether a parcel is longer and narrower than any lot, such as a right-of-way or an alley. */
function isStrip(part: PreparedPolygon): boolean {
  const widthM = elongatedWidth(part, MIN_STRIP_ELONGATION);
  return widthM >= 2 * HALF_CORRIDOR_M && widthM <= MAX_STRIP_M;
}

/** A place on the grid, counted from the southwest corner of a box. */
type Place = { column: number; row: number };

/** The places on the grid just outside a parcel. */
function placesBeside(polygon: PreparedPolygon): Place[] {
  const [west, south] = polygon.box;
  const found = new Map<string, Place>();
  const outM = HALF_CORRIDOR_M + STEP_M * Math.SQRT1_2;
  for (let edge = polygon.from; edge < polygon.to; edge++) {
    const { pieces, x, y, stepX, stepY, alongX, alongY } = piecesAlong(polygon.edges, edge);
    for (let piece = 0; piece < pieces; piece++) {
      // The parcel is on the left of its edges.
      const column = Math.round((x + (piece + 0.5) * stepX + outM * alongY - west) / STEP_M);
      const row = Math.round((y + (piece + 0.5) * stepY - outM * alongX - south) / STEP_M);
      found.set(`${column} ${row}`, { column, row });
    }
  }
  return [...found.values()];
}

const STEPS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

/** Whether steps over free places within `around` lead from one of `starts` to a goal. */
function findPath(
  starts: readonly Place[],
  around: Box,
  isFree: (x: number, y: number) => boolean,
  isGoal: (x: number, y: number) => boolean,
): boolean {
  const [west, south, east, north] = around;
  const queue: Place[] = [];
  const visited = new Set<string>();
  const visit = ({ column, row }: Place): boolean => {
    const key = `${column} ${row}`;
    if (visited.has(key)) return false;
    visited.add(key);
    const x = west + CORRIDOR_M + column * STEP_M;
    const y = south + CORRIDOR_M + row * STEP_M;
    if (x < west || y < south || x > east || y > north || !isFree(x, y)) return false;
    if (isGoal(x, y)) return true;
    queue.push({ column, row });
    return false;
  };
  if (starts.some(visit)) return true;
  for (let i = 0; i < Math.min(queue.length, MAX_PLACES); i++) {
    const { column, row } = queue[i]!;
    if (STEPS.some(([right, up]) => visit({ column: column + right, row: row + up }))) return true;
  }
  return false;
}

type Blocks = { edge(edge: number): boolean; part(part: PreparedPolygon): boolean };

/** Whether a place is on no parcel, far enough from all of them, and has parcels on two opposite sides. */
function isInCorridor({ parcels }: Neighborhood, blocks: Blocks, x: number, y: number): boolean {
  const { edges, parts, partIndex } = parcels;
  if (partIndex!.collides(x, y, x, y, part => blocks.part(parts[part]!) && isInside(parts[part]!, x, y)))
    return false;
  const nearby = edges.index!.search(...padBox([x, y, x, y], MAX_CORRIDOR_M), blocks.edge);
  if (nearby.some(e => distanceTo(edges, e, x, y) < HALF_CORRIDOR_M)) return false;
  const { x1, y1, x2, y2 } = edges;
  return DIRECTIONS.some(([dx, dy]) => {
    let aheadM = Infinity;
    let behindM = Infinity;
    for (const e of nearby) {
      // Coordinates along the direction and to its left.
      const a = (y1[e]! - y) * dx - (x1[e]! - x) * dy;
      const b = (y2[e]! - y) * dx - (x2[e]! - x) * dy;
      if (a > 0 === b > 0) continue;
      const alongA = (x1[e]! - x) * dx + (y1[e]! - y) * dy;
      const alongB = (x2[e]! - x) * dx + (y2[e]! - y) * dy;
      const alongM = interpolate(alongA, alongB, a / (a - b));
      if (alongM > 0) aheadM = Math.min(aheadM, alongM);
      else behindM = Math.min(behindM, -alongM);
    }
    return aheadM + behindM <= MAX_CORRIDOR_M;
  });
}

/** Whether a road is within reach of a place, without a parcel in between. */
function viewOfRoad(
  { parcels, roads, ways }: Neighborhood,
  reachM: readonly number[],
): (x: number, y: number) => boolean {
  const isBlocked = lineOfSight(parcels, roads, ways);
  const { x1, y1, x2, y2 } = roads;
  return (x, y) => {
    const inView = (segment: number): boolean => {
      const share = nearestShare(roads, segment, x, y);
      const footX = interpolate(x1[segment]!, x2[segment]!, share);
      const footY = interpolate(y1[segment]!, y2[segment]!, share);
      const distanceM = pointDistance(footX, footY, x, y);
      if (distanceM > Math.min(reachM[roads.classOf[segment]!]!, MAX_CORRIDOR_M)) return false;
      if (distanceM <= HALF_RIGHT_OF_WAY_M) return true;
      const end = 1 - HALF_RIGHT_OF_WAY_M / distanceM;
      return !isBlocked(segment, [], x, y, x + end * (footX - x), y + end * (footY - y));
    };
    return roads.index!.collides(...padBox([x, y, x, y], MAX_CORRIDOR_M), inView);
  };
}
