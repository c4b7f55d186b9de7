import { aheadOfCorner, reachOfEnd } from './corners.ts';
import { BETWEEN, gap, nearestOn } from './nearest.ts';
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
    const withinM = reachM[roads.classOf[segment]!]!;
    if (!isNearer || distanceM > (end === BETWEEN ? withinM : reachOfEnd(roads, segment, end, withinM)))
      continue;
    // A road is faced where it is nearest, not at a joint from which it comes nearer still.
    if (end !== BETWEEN && aheadOfCorner(roads, segment, end, x, y) > 0) continue;
    const isAlong = distanceM <= CONTACT_M;
    if (isAlong ? !runsAlong(near, segment, nx, ny) : !isFaced(near, x, y, nx, ny, distanceM)) continue;
    nearest = segment;
    leastM = distanceM;
  }
  return nearest;
}

/** For a point on the centreline, from which there is no way to go: does the road run along the boundary rather than across it? */
function runsAlong({ roads }: Neighbourhood, segment: number, nx: number, ny: number): boolean {
  const dx = roads.x2[segment]! - roads.x1[segment]!;
  const dy = roads.y2[segment]! - roads.y1[segment]!;
  return Math.abs(dx * ny - dy * nx) >= FACING_COS * Math.sqrt(dx * dx + dy * dy);
}

/** From (x, y) to `foot`. */
function isFaced(
  near: Neighbourhood,
  x: number,
  y: number,
  nx: number,
  ny: number,
  distanceM: number,
): boolean {
  const ux = (foot[0]! - x) / distanceM;
  const uy = (foot[1]! - y) / distanceM;
  if (ux * nx + uy * ny < FACING_COS) return false;
  if (distanceM <= HALF_WAY_M + OVERLAP_M) return true;
  const endM = distanceM - HALF_WAY_M;
  return !isBlocked(near, x + OVERLAP_M * ux, y + OVERLAP_M * uy, x + endM * ux, y + endM * uy);
}
