import { distanceTo, nearestOn } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { CONTACT_M, FACING_COS, HALF_WAY_M, OVERLAP_M } from './rules.ts';
import { isBlocked } from './sight.ts';

const road = new Float64Array(2);

/**
 * The rule itself, for one point of a boundary: the segment of road that it faces, or -1.
 * @param nx, ny the unit vector to the outer side
 * @param candidates segments of road with the nearest among them, from `from` up to `to`
 * @param reachM by rank of class
 */
export function roadFaced(
  near: Neighbourhood,
  x: number,
  y: number,
  nx: number,
  ny: number,
  candidates: { at: Uint32Array; from: number; to: number },
  reachM: readonly number[],
): number {
  const { roads } = near;
  let nearest = -1;
  let leastM = Infinity;
  for (let k = candidates.from; k < candidates.to; k++) {
    const segment = candidates.at[k]!;
    const distanceM = distanceTo(roads, segment, x, y);
    // Segments stand in the order of their class: of two as near the first is taken.
    if (distanceM < leastM || (distanceM === leastM && segment < nearest)) {
      nearest = segment;
      leastM = distanceM;
    }
  }
  if (nearest < 0 || leastM > reachM[roads.classOf[nearest]!]!) return -1;
  if (leastM <= CONTACT_M) return nearest;
  nearestOn(roads, nearest, x, y, road);
  const ux = (road[0]! - x) / leastM;
  const uy = (road[1]! - y) / leastM;
  if (ux * nx + uy * ny < FACING_COS) return -1;
  if (leastM <= HALF_WAY_M + OVERLAP_M) return nearest;
  const endM = leastM - HALF_WAY_M;
  return isBlocked(near, x + OVERLAP_M * ux, y + OVERLAP_M * uy, x + endM * ux, y + endM * uy) ? -1 : nearest;
}
