import { aheadOfCorner, courseTo, deadEndAt } from './corners.ts';
import { BETWEEN, gap, nearestOn } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { BULB_M, CONTACT_M, FACING_COS, HALF_STREET_M, HALF_WAY_M, OVERLAP_M } from './rules.ts';
import { isBlocked } from './sight.ts';

/** A point of a boundary and the unit vector to the outer side there. */
export type BoundaryPoint = { x: number; y: number; normalX: number; normalY: number };

const foot = new Float64Array(2);

/**
 * The rule itself, for one point of a boundary: the nearest segment of road that it faces, or -1.
 * @param candidates all segments of road that come into question and any others, from `from` up to `to`
 * @param reachM by rank of class
 */
export function roadFaced(
  near: Neighbourhood,
  point: BoundaryPoint,
  candidates: { at: Uint32Array; from: number; to: number },
  reachM: readonly number[],
): number {
  const { roads } = near;
  const { x, y } = point;
  let nearest = -1;
  let leastM = Infinity;
  for (let k = candidates.from; k < candidates.to; k++) {
    const segment = candidates.at[k]!;
    const end = nearestOn(roads, segment, x, y, foot);
    const [footX, footY] = foot as unknown as [number, number];
    const distanceM = gap(footX, footY, x, y);
    // Segments stand in the order of their class: of two as near the first is taken.
    const isNearer = distanceM < leastM || (distanceM === leastM && segment < nearest);
    const withinM = reachM[roads.classOf[segment]!]!;
    if (!isNearer || distanceM > withinM + BULB_M) continue;
    // A road is faced where it is nearest, not at a joint from which it comes nearer still.
    if (end !== BETWEEN && aheadOfCorner(roads, segment, end, x, y) > 0) continue;
    const deadEnd = deadEndAt(roads, segment, footX, footY);
    if (deadEnd < 0 && distanceM > withinM) continue;
    const isFaced =
      distanceM <= CONTACT_M
        ? runsAlong(near, point, segment)
        : distanceM > 0 && hasWay(near, point, segment, footX, footY, distanceM);
    if (!isFaced && (deadEnd < 0 || !liesAcross(near, point, segment, deadEnd))) continue;
    nearest = segment;
    leastM = distanceM;
  }
  return nearest;
}

/** For a point on a centreline, from which there is no way to go: does the road run along the boundary rather than across it? */
function runsAlong({ roads }: Neighbourhood, { normalX, normalY }: BoundaryPoint, segment: number): boolean {
  const dx = roads.x2[segment]! - roads.x1[segment]!;
  const dy = roads.y2[segment]! - roads.y1[segment]!;
  return Math.abs(dx * normalY - dy * normalX) >= FACING_COS * Math.sqrt(dx * dx + dy * dy);
}

/** Does the way to the road leave outwards, and is it free? */
function hasWay(
  near: Neighbourhood,
  { x, y, normalX, normalY }: BoundaryPoint,
  segment: number,
  footX: number,
  footY: number,
  distanceM: number,
): boolean {
  const ux = (footX - x) / distanceM;
  const uy = (footY - y) / distanceM;
  if (ux * normalX + uy * normalY < FACING_COS) return false;
  if (distanceM <= HALF_WAY_M + OVERLAP_M) return true;
  const endM = distanceM - HALF_WAY_M;
  return !isBlocked(near, segment, x + OVERLAP_M * ux, y + OVERLAP_M * uy, x + endM * ux, y + endM * uy);
}

/** Does a street end at this boundary or before it, not far to the side, and does the boundary lie across its end? */
function liesAcross(
  near: Neighbourhood,
  { x, y, normalX, normalY }: BoundaryPoint,
  segment: number,
  deadEnd: number,
): boolean {
  const { roads } = near;
  const [dx, dy] = courseTo(roads, segment, deadEnd);
  if (-(dx * normalX + dy * normalY) < FACING_COS) return false;
  const endX = deadEnd === 0 ? roads.x1[segment]! : roads.x2[segment]!;
  const endY = deadEnd === 0 ? roads.y1[segment]! : roads.y2[segment]!;
  if (Math.abs(dx * (y - endY) - dy * (x - endX)) > HALF_STREET_M) return false;
  if ((endX - x) * normalX + (endY - y) * normalY < -CONTACT_M) return false;
  // The way may be along the boundary itself: it is looked at from a little back towards the street.
  const fromX = x - OVERLAP_M * dx;
  const fromY = y - OVERLAP_M * dy;
  const distanceM = gap(fromX, fromY, endX, endY);
  if (distanceM <= HALF_WAY_M) return true;
  const share = HALF_WAY_M / distanceM;
  return !isBlocked(
    near,
    segment,
    fromX,
    fromY,
    endX + share * (fromX - endX),
    endY + share * (fromY - endY),
  );
}
