import { aheadOfCorner, type Centerlines, courseTo, deadEndAt } from './centrelines.ts';
import { type Ground, type Grounds, isInside } from './grounds.ts';
import { BULB_M, CONTACT_M, FACING_COS, HALF_STREET_M, HALF_WAY_M, OVERLAP_M } from './rules.ts';
import { interpolate, nearestShare, pointDistance } from './segments.ts';
import type { Ways } from './ways.ts';

export type Neighborhood = { grounds: Grounds; roads: Centerlines; ways: Ways };

export type BoundaryPoint = {
  x: number;
  y: number;
  /** Unit vector to the outer side. */
  normalX: number;
  normalY: number;
  /** Parts of parcels within OVERLAP_M of its edge. */
  parts: readonly Ground[];
};

/** The nearest of the candidates (segments of road) that a point faces, or -1. */
export type FacingRule = (point: BoundaryPoint, candidates: readonly number[]) => number;

/** @param reachM by rank of class */
export function facingRule({ grounds, roads, ways }: Neighborhood, reachM: readonly number[]): FacingRule {
  const { x1, y1, x2, y2 } = roads;
  const isBlocked = sightOf(grounds, roads, ways);

  /**
   * For a point on a centerline, from which there is no way to go: does the road run along the boundary
   * rather than across it?
   */
  function runsAlong({ normalX, normalY }: BoundaryPoint, segment: number): boolean {
    const dx = x2[segment]! - x1[segment]!;
    const dy = y2[segment]! - y1[segment]!;
    return Math.abs(dx * normalY - dy * normalX) >= FACING_COS * Math.sqrt(dx * dx + dy * dy);
  }

  /** Does the way to the road leave outwards, and is it free? */
  function hasWay(
    { x, y, normalX, normalY, parts }: BoundaryPoint,
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
    return !isBlocked(segment, parts, x + OVERLAP_M * ux, y + OVERLAP_M * uy, x + endM * ux, y + endM * uy);
  }

  /**
   * Does a street end at this boundary or before it, not far to the side, and does the boundary
   * lie across its end?
   */
  function liesAcross(
    { x, y, normalX, normalY, parts }: BoundaryPoint,
    segment: number,
    deadEnd: number,
  ): boolean {
    const [dx, dy] = courseTo(roads, segment, deadEnd);
    if (-(dx * normalX + dy * normalY) < FACING_COS) return false;
    const endX = deadEnd === 0 ? x1[segment]! : x2[segment]!;
    const endY = deadEnd === 0 ? y1[segment]! : y2[segment]!;
    if (Math.abs(dx * (y - endY) - dy * (x - endX)) > HALF_STREET_M) return false;
    if ((endX - x) * normalX + (endY - y) * normalY < -CONTACT_M) return false;
    // The way may be along the boundary itself: it is checked from a little back toward the street.
    const fromX = x - OVERLAP_M * dx;
    const fromY = y - OVERLAP_M * dy;
    const distanceM = pointDistance(fromX, fromY, endX, endY);
    if (distanceM <= HALF_WAY_M) return true;
    const share = HALF_WAY_M / distanceM;
    return !isBlocked(
      segment,
      parts,
      fromX,
      fromY,
      endX + share * (fromX - endX),
      endY + share * (fromY - endY),
    );
  }

  return (point, candidates) => {
    const { x, y } = point;
    let nearest = -1;
    let leastM = Infinity;
    for (const segment of candidates) {
      const share = nearestShare(roads, segment, x, y);
      const footX = interpolate(x1[segment]!, x2[segment]!, share);
      const footY = interpolate(y1[segment]!, y2[segment]!, share);
      const distanceM = pointDistance(footX, footY, x, y);
      // Segments stand in the order of their class: of two as near the first is taken.
      const isNearer = distanceM < leastM || (distanceM === leastM && segment < nearest);
      const withinM = reachM[roads.classOf[segment]!]!;
      if (!isNearer || distanceM > withinM + BULB_M) continue;
      // A road is faced where it is nearest, not at a joint from which it comes nearer still.
      if ((share === 0 || share === 1) && aheadOfCorner(roads, segment, share, x, y) > 0) continue;
      const deadEnd = deadEndAt(roads, segment, footX, footY);
      if (deadEnd < 0 && distanceM > withinM) continue;
      const isFaced =
        distanceM <= CONTACT_M
          ? runsAlong(point, segment)
          : distanceM > 0 && hasWay(point, segment, footX, footY, distanceM);
      if (!isFaced && (deadEnd < 0 || !liesAcross(point, segment, deadEnd))) continue;
      nearest = segment;
      leastM = distanceM;
    }
    return nearest;
  };
}

/**
 * Sights to a road that follow on one another share the edges found around them: so far beyond the first one
 * they are looked for.
 */
const AROUND_M = 6;

type CachedSearch = { minX: number; minY: number; maxX: number; maxY: number; edges: number[] };

/**
 * Does a parcel stand between a and b: a inside one of `parts`, or a boundary across? Those that are the
 * road's own way don't count.
 */
function sightOf({ edges }: Grounds, roads: Centerlines, ways: Ways) {
  const { x1, y1, x2, y2, index } = edges;
  /** By segment of road, the last search for edges. */
  const searches = new Map<number, CachedSearch>();

  const isOfWay = (edge: number, ownWays: readonly Ground[]): boolean =>
    ownWays.some(({ from, to }) => edge >= from && edge < to);

  function edgesAround(segment: number, minX: number, minY: number, maxX: number, maxY: number): number[] {
    const last = searches.get(segment);
    if (last && last.minX <= minX && last.minY <= minY && last.maxX >= maxX && last.maxY >= maxY)
      return last.edges;
    const box = [minX - AROUND_M, minY - AROUND_M, maxX + AROUND_M, maxY + AROUND_M] as const;
    const hits = index!.search(...box);
    searches.set(segment, { minX: box[0], minY: box[1], maxX: box[2], maxY: box[3], edges: hits });
    return hits;
  }

  return (
    segment: number,
    parts: readonly Ground[],
    ax: number,
    ay: number,
    bx: number,
    by: number,
  ): boolean => {
    const ownWays = ways[roads.roadOf[segment]!]!;
    // The start first: behind a side or rear line it lies in the next lot.
    for (const part of parts) if (isInside(part, ax, ay) && !ownWays.includes(part)) return true;
    const minX = Math.min(ax, bx);
    const minY = Math.min(ay, by);
    const maxX = Math.max(ax, bx);
    const maxY = Math.max(ay, by);
    for (const e of edgesAround(segment, minX, minY, maxX, maxY)) {
      const px = x1[e]!;
      const py = y1[e]!;
      const qx = x2[e]!;
      const qy = y2[e]!;
      if ((px < minX && qx < minX) || (px > maxX && qx > maxX)) continue;
      if ((py < minY && qy < minY) || (py > maxY && qy > maxY)) continue;
      // A corner belongs to one side, so that a line through it crosses one of the two edges that meet there.
      const p = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
      const q = (bx - ax) * (qy - ay) - (by - ay) * (qx - ax);
      if (p > 0 === q > 0) continue;
      const a = (qx - px) * (ay - py) - (qy - py) * (ax - px);
      const b = (qx - px) * (by - py) - (qy - py) * (bx - px);
      if (a > 0 !== b > 0 && !isOfWay(e, ownWays)) return true;
    }
    return false;
  };
}
