import { aheadOfCorner, type Centerlines, deadEndAt, directionTo } from './centrelines.ts';
import { isInside, type PreparedParcels, type PreparedPolygon } from './grounds.ts';
import { BULB_M, CONTACT_M, FACING_COS, HALF_RIGHT_OF_WAY_M, HALF_STREET_M, OVERLAP_M } from './rules.ts';
import { interpolate, nearestShare, pointDistance } from './segments.ts';
import type { PublicWays } from './ways.ts';

export type Neighborhood = { parcels: PreparedParcels; roads: Centerlines; ways: PublicWays };

export type BoundaryPoint = {
  x: number;
  y: number;
  /** Unit normal, pointing out of the parcel. */
  normalX: number;
  normalY: number;
  /** Polygons of parcels within OVERLAP_M of the point's edge. */
  parts: readonly PreparedPolygon[];
};

/** Returns the nearest of the candidate road segments that a point faces, or -1. */
export type FacingRule = (point: BoundaryPoint, candidates: readonly number[]) => number;

/** @param reachM reach in meters, by rank of the road's class */
export function facingRule({ parcels, roads, ways }: Neighborhood, reachM: readonly number[]): FacingRule {
  const { x1, y1, x2, y2 } = roads;
  const isBlocked = lineOfSight(parcels, roads, ways);
  return (point, candidates) => {
    const { x, y } = point;
    let nearest = -1;
    let leastM = Infinity;
    for (const segment of candidates) {
      const share = nearestShare(roads, segment, x, y);
      const footX = interpolate(x1[segment]!, x2[segment]!, share);
      const footY = interpolate(y1[segment]!, y2[segment]!, share);
      const distanceM = pointDistance(footX, footY, x, y);
      // Segments are ordered by class, so if two are equally far away, the first one wins.
      const isNearer = distanceM < leastM || (distanceM === leastM && segment < nearest);
      const withinM = reachM[roads.classOf[segment]!]!;
      if (!isNearer || distanceM > withinM + BULB_M) continue;
      // Skip a corner if the road comes closer to the point after it, because the point faces that segment
      // instead.
      if ((share === 0 || share === 1) && aheadOfCorner(roads, segment, share, x, y) > 0) continue;
      const deadEnd = deadEndAt(roads, segment, footX, footY);
      if (deadEnd < 0 && distanceM > withinM) continue;
      const isFaced =
        distanceM <= CONTACT_M
          ? runsAlong(roads, point, segment)
          : distanceM > 0 && hasClearPath(isBlocked, point, segment, footX, footY, distanceM);
      if (!isFaced && (deadEnd < 0 || !liesAcross(roads, isBlocked, point, segment, deadEnd))) continue;
      nearest = segment;
      leastM = distanceM;
    }
    return nearest;
  };
}

/**
 * Whether the road runs along the boundary rather than across it. Used for points on a centerline, which have
 * no direction to the road.
 */
function runsAlong(
  { x1, y1, x2, y2 }: Centerlines,
  { normalX, normalY }: BoundaryPoint,
  segment: number,
): boolean {
  const dx = x2[segment]! - x1[segment]!;
  const dy = y2[segment]! - y1[segment]!;
  return Math.abs(dx * normalY - dy * normalX) >= FACING_COS * Math.sqrt(dx * dx + dy * dy);
}

/** Whether the straight line to the road points outward and meets no other parcel. */
function hasClearPath(
  isBlocked: LineOfSight,
  { x, y, normalX, normalY, parts }: BoundaryPoint,
  segment: number,
  footX: number,
  footY: number,
  distanceM: number,
): boolean {
  const ux = (footX - x) / distanceM;
  const uy = (footY - y) / distanceM;
  if (ux * normalX + uy * normalY < FACING_COS) return false;
  if (distanceM <= HALF_RIGHT_OF_WAY_M + OVERLAP_M) return true;
  const endM = distanceM - HALF_RIGHT_OF_WAY_M;
  return !isBlocked(segment, parts, x + OVERLAP_M * ux, y + OVERLAP_M * uy, x + endM * ux, y + endM * uy);
}

/** Whether a street ends at or before this boundary, with the boundary running across its end. */
function liesAcross(
  roads: Centerlines,
  isBlocked: LineOfSight,
  { x, y, normalX, normalY, parts }: BoundaryPoint,
  segment: number,
  deadEnd: number,
): boolean {
  const { x1, y1, x2, y2 } = roads;
  const [dx, dy] = directionTo(roads, segment, deadEnd);
  if (-(dx * normalX + dy * normalY) < FACING_COS) return false;
  const endX = deadEnd === 0 ? x1[segment]! : x2[segment]!;
  const endY = deadEnd === 0 ? y1[segment]! : y2[segment]!;
  if (Math.abs(dx * (y - endY) - dy * (x - endX)) > HALF_STREET_M) return false;
  if ((endX - x) * normalX + (endY - y) * normalY < -CONTACT_M) return false;
  // The line may run along the boundary itself, so the check starts a little toward the street.
  const fromX = x - OVERLAP_M * dx;
  const fromY = y - OVERLAP_M * dy;
  const distanceM = pointDistance(fromX, fromY, endX, endY);
  if (distanceM <= HALF_RIGHT_OF_WAY_M) return true;
  const share = HALF_RIGHT_OF_WAY_M / distanceM;
  return !isBlocked(
    segment,
    parts,
    fromX,
    fromY,
    endX + share * (fromX - endX),
    endY + share * (fromY - endY),
  );
}

/** Margin added to a search for edges, so that consecutive points of a boundary share one result. */
const SEARCH_MARGIN_M = 6;

export type LineOfSight = (
  segment: number,
  parts: readonly PreparedPolygon[],
  ax: number,
  ay: number,
  bx: number,
  by: number,
) => boolean;

type CachedSearch = { minX: number; minY: number; maxX: number; maxY: number; edges: number[] };

/**
 * Checks whether a parcel blocks the line from a to b: a is inside one of `parts`, or a boundary crosses it.
 * The road's own public way doesn't block it.
 */
export function lineOfSight({ edges }: PreparedParcels, roads: Centerlines, ways: PublicWays): LineOfSight {
  const { x1, y1, x2, y2, index } = edges;
  /** The last search for edges, by road segment. */
  const searches = new Map<number, CachedSearch>();

  const isOfWay = (edge: number, ownWays: readonly PreparedPolygon[]): boolean =>
    ownWays.some(({ from, to }) => edge >= from && edge < to);

  function edgesAround(segment: number, minX: number, minY: number, maxX: number, maxY: number): number[] {
    const last = searches.get(segment);
    if (last && last.minX <= minX && last.minY <= minY && last.maxX >= maxX && last.maxY >= maxY)
      return last.edges;
    const box = [
      minX - SEARCH_MARGIN_M,
      minY - SEARCH_MARGIN_M,
      maxX + SEARCH_MARGIN_M,
      maxY + SEARCH_MARGIN_M,
    ] as const;
    const hits = index!.search(...box);
    searches.set(segment, { minX: box[0], minY: box[1], maxX: box[2], maxY: box[3], edges: hits });
    return hits;
  }

  return (segment, parts, ax, ay, bx, by) => {
    const ownWays = ways[roads.roadOf[segment]!]!;
    // Check the start first, because on a side or rear line, it is in the next lot.
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
      // A corner counts as being on one side only, so that a line through it crosses just one of its two
      // edges.
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
