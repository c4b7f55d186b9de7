import { checkPosition, type Fault, fault, type Repair } from './geometry-checks.ts';
import type { MultiPolygon, Polygon, Position, Ring } from './geometry-types.ts';
import { orientation } from './predicates.ts';

/**
 * Cleans a ring of GeoJSON coordinates: closes it, and drops repeated positions and spikes. Returns null if
 * it has no area. Adds the repairs to `repairs`.
 */
export function cleanRing(input: unknown, repairs: Set<Repair>): Ring | Fault | null {
  if (!Array.isArray(input)) return fault('malformed', 'a ring is not an array of positions');
  const open: Position[] = [];
  let before: Position | undefined;
  for (const position of input as unknown[]) {
    const kept = checkPosition(position, open.length, 'ring', repairs);
    if (!Array.isArray(kept)) return kept;
    if (before !== undefined && isSamePosition(before, kept)) {
      repairs.add('duplicate_points_dropped');
      continue;
    }
    open.push(kept);
    before = kept;
  }
  if (open.length > 1 && isSamePosition(open[0]!, open.at(-1)!)) open.pop();
  else if (open.length > 2) repairs.add('ring_closed');
  const ring = hasSpike(open) ? dropSpikes(open) : open;
  if (ring !== open && ring.length >= 3) repairs.add('spike_dropped');
  if (ring.length < 3) return null;
  ring.push([...ring[0]!]);
  return ring;
}

/** Determined from the turn at the lowest, leftmost position of a simple ring, which is convex. Exact. */
export function isCounterClockwise(ring: Ring): boolean {
  const last = ring.length - 1;
  let low = 0;
  for (let i = 1; i < last; i++) {
    const dLat = ring[i]![1] - ring[low]![1];
    if (dLat < 0 || (dLat === 0 && ring[i]![0] < ring[low]![0])) low = i;
  }
  return turnAt(ring[low === 0 ? last - 1 : low - 1]!, ring[low]!, ring[low + 1]!) > 0;
}

/**
 * Winds exteriors counter-clockwise and holes clockwise (RFC 7946), in place.
 * @returns whether any ring was reversed
 */
export function windRings(polygon: Polygon): boolean {
  const wrong = polygon.filter((ring, i) => isCounterClockwise(ring) !== (i === 0));
  for (const ring of wrong) ring.reverse();
  return wrong.length > 0;
}

/** Area of valid polygons in square degrees. Not exact. */
export function planarArea(polygons: MultiPolygon): number {
  let double = 0;
  for (const polygon of polygons)
    for (const [i, ring] of polygon.entries())
      double += (i === 0 ? 1 : -1) * Math.abs(doubleSignedArea(ring));
  return double / 2;
}

/** Twice the planar area of a closed ring, positive if the ring runs counter-clockwise. */
export function doubleSignedArea(ring: Ring): number {
  const [x0, y0] = ring[0]!;
  let sum = 0;
  for (let i = 2; i < ring.length; i++) {
    const [ax, ay] = ring[i - 1]!;
    const [bx, by] = ring[i]!;
    sum += (ax - x0) * (by - y0) - (bx - x0) * (ay - y0);
  }
  return sum;
}

const turnAt = (a: Position, b: Position, c: Position): number =>
  orientation(a[0], a[1], b[0], b[1], c[0], c[1]);
const isSamePosition = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1];

/** Whether the path turns back at b along the line from a. */
function turnsBack(a: Position, b: Position, c: Position): boolean {
  const dot = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
  return dot < 0 && turnAt(a, b, c) === 0;
}

function hasSpike(open: Position[]): boolean {
  if (open.length < 3) return false;
  let a = open.at(-2)!;
  let b = open.at(-1)!;
  for (const c of open) {
    if (turnsBack(a, b, c)) return true;
    a = b;
    b = c;
  }
  return false;
}

/**
 * Removes the tips of spikes until none are left. A ring with no area shrinks to fewer than three positions.
 */
function dropSpikes(open: Position[]): Position[] {
  const kept: Position[] = [];
  for (const position of open) {
    kept.push(position);
    while (kept.length >= 3 && turnsBack(kept.at(-3)!, kept.at(-2)!, position)) {
      kept.splice(-2, 1);
      if (isSamePosition(kept.at(-2)!, position)) kept.pop();
    }
  }
  // Remove spikes across the ring's start.
  while (kept.length >= 3) {
    if (isSamePosition(kept.at(-1)!, kept[0]!) || turnsBack(kept.at(-2)!, kept.at(-1)!, kept[0]!)) kept.pop();
    else if (turnsBack(kept.at(-1)!, kept[0]!, kept[1]!)) kept.shift();
    else break;
  }
  return kept;
}
