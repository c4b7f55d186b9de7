import { aheadOfCorner, BETWEEN, gap, nearestOn } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { CONTACT_M, FACING_COS, HALF_WAY_M, OVERLAP_M } from './rules.ts';
import { isBlocked } from './sight.ts';

const foot = new Float64Array(2);

/**
 * The rule itself, for one point of a boundary: the nearest segment of road that it faces, or -1.
 * @param nx, ny the unit vector to the outer side
 * @param candidates all segments of road within reach and any others, from `from` up to `to`
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
    const end = nearestOn(roads, segment, x, y, foot);
    const distanceM = gap(foot[0]!, foot[1]!, x, y);
    // Segments stand in the order of their class: of two as near the first is taken.
    const isNearer = distanceM < leastM || (distanceM === leastM && segment < nearest);
    if (!isNearer || distanceM > reachM[roads.classOf[segment]!]!) continue;
    // A road is faced where it is nearest, not at a joint from which it comes nearer still.
    if (end !== BETWEEN && aheadOfCorner(roads, segment, end, x, y) > 0) continue;
    if (!isFaced(near, x, y, nx, ny, foot[0]!, foot[1]!, distanceM)) continue;
    nearest = segment;
    leastM = distanceM;
  }
  return nearest;
}

function isFaced(
  near: Neighbourhood,
  x: number,
  y: number,
  nx: number,
  ny: number,
  roadX: number,
  roadY: number,
  distanceM: number,
): boolean {
  if (distanceM <= CONTACT_M) return true;
  const ux = (roadX - x) / distanceM;
  const uy = (roadY - y) / distanceM;
  if (ux * nx + uy * ny < FACING_COS) return false;
  if (distanceM <= HALF_WAY_M + OVERLAP_M) return true;
  const endM = distanceM - HALF_WAY_M;
  return !isBlocked(near, x + OVERLAP_M * ux, y + OVERLAP_M * uy, x + endM * ux, y + endM * uy);
}
