import type { MultiPolygon, Position, Ring } from './types.ts';

/** 0.1 micrometres on the ground: a hundred times the rounding of a double near 180 degrees, and far below any survey. */
export const NEAR_DEG = 1e-12;

/**
 * Puts a corner into every edge that runs past another corner by less than the rounding of coordinates, so that what nearly touches
 * touches exactly: a crossing rounded to doubles lies a last bit off its edges (cf. Hobby 1999, Practical segment intersection
 * with finite precision output).
 * Rings stay closed. Quadratic: for the few boundaries that stay invalid after a union.
 */
export function nodeNearMisses(polygons: MultiPolygon): MultiPolygon {
  const corners = polygons.flat(2);
  return polygons.map(polygon => polygon.map(ring => nodeRing(ring, corners)));
}

function nodeRing(ring: Ring, corners: Position[]): Ring {
  const noded: Ring = [ring[0]!];
  for (let i = 1; i < ring.length; i++) {
    const from = ring[i - 1]!;
    const to = ring[i]!;
    const passed = corners.filter(corner => passesBy(corner, from, to));
    passed.sort((a, b) => along(a, from, to) - along(b, from, to));
    noded.push(...passed, to);
  }
  return noded;
}

/** Is the corner within `NEAR_DEG` of the edge, between its ends and not one of them? */
function passesBy(corner: Position, from: Position, to: Position): boolean {
  for (const k of [0, 1] as const) {
    if (corner[k] < Math.min(from[k], to[k]) - NEAR_DEG || corner[k] > Math.max(from[k], to[k]) + NEAR_DEG)
      return false;
  }
  const fraction = along(corner, from, to);
  if (fraction <= 0 || fraction >= 1) return false;
  const dLon = to[0] - from[0];
  const dLat = to[1] - from[1];
  const cross = dLon * (corner[1] - from[1]) - dLat * (corner[0] - from[0]);
  if (Math.abs(cross) > NEAR_DEG * Math.hypot(dLon, dLat)) return false;
  return !(corner[0] === from[0] && corner[1] === from[1]) && !(corner[0] === to[0] && corner[1] === to[1]);
}

/** How far along the edge a corner lies: 0 at its beginning, 1 at its end. */
function along(corner: Position, from: Position, to: Position): number {
  const dLon = to[0] - from[0];
  const dLat = to[1] - from[1];
  return ((corner[0] - from[0]) * dLon + (corner[1] - from[1]) * dLat) / (dLon * dLon + dLat * dLat);
}
