import { padBox } from '../../geo/box.ts';
import type { Centerlines } from './centrelines.ts';
import { boxOfSegment, type Ground, isInside, isWellInside } from './grounds.ts';
import { HALF_WAY_M, PARALLEL_COS } from './rules.ts';
import { addPiece, lengthOf, piecesAlong, pointDistance, type Stretch } from './segments.ts';

/**
 * The stretches of centerline inside a parcel, or a part of one, with ground on one side or both. The middle
 * of a piece is inside when it is further than CONTACT_M from the boundary; a side counts where the parcel
 * goes on beyond half of the way.
 */
export function stretchesThrough(roads: Centerlines, ground: Ground): Stretch[] {
  const stretches: Stretch[] = [];
  const [west, south, east, north] = ground.box;
  // In their order, so that the stretches of a road follow on one another.
  const segments = roads.index?.search(west, south, east, north).sort((a, b) => a - b) ?? [];
  for (const segment of segments) {
    const rank = roads.classOf[segment]!;
    const { pieces, x, y, stepX, stepY, alongX, alongY } = piecesAlong(roads, segment);
    for (let k = 0; k < pieces; k++) {
      const px = x + (k + 0.5) * stepX;
      const py = y + (k + 0.5) * stepY;
      if (px < west || px > east || py < south || py > north || !isWellInside(ground, px, py)) continue;
      const left = isInside(ground, px - HALF_WAY_M * alongY, py + HALF_WAY_M * alongX);
      const right = isInside(ground, px + HALF_WAY_M * alongY, py - HALF_WAY_M * alongX);
      if (left || right) addPiece(stretches, roads, segment, k, pieces, rank, left && right ? 2 : 1);
    }
  }
  return stretches;
}

/**
 * The same, those once that are mapped twice: a piece is left out beside which, within HALF_WAY_M and roughly
 * parallel, a segment runs that goes before it or lies outside of the parcel.
 */
export function stretchesThroughOnce(roads: Centerlines, ground: Ground): Stretch[] {
  const kept: Stretch[] = [];
  let parallels: number[] = [];
  let segment = -1;
  for (const stretch of stretchesThrough(roads, ground)) {
    if (stretch.i !== segment) parallels = parallelsOf(roads, stretch.i);
    segment = stretch.i;
    if (parallels.length === 0) {
      kept.push(stretch);
      continue;
    }
    const { x, y, stepX, stepY } = piecesAlong(roads, segment);
    for (let k = stretch.from; k < stretch.to; k++) {
      const [px, py] = [x + (k + 0.5) * stepX, y + (k + 0.5) * stepY];
      if (!parallels.some(other => countsInstead(roads, ground, other, segment, px, py)))
        addPiece(kept, roads, segment, k, stretch.pieces, stretch.rank, stretch.sides);
    }
  }
  return kept;
}

/**
 * Segments that may run beside pieces of this one: not those that it goes on in at a
 * corner, however straight.
 */
function parallelsOf(roads: Centerlines, segment: number): number[] {
  const { x1, y1, x2, y2 } = roads;
  const ax = x1[segment]!;
  const ay = y1[segment]!;
  const bx = x2[segment]!;
  const by = y2[segment]!;
  const lengthM = lengthOf(roads, segment);
  return roads.index!.search(...padBox(boxOfSegment(roads, segment), HALF_WAY_M), other => {
    const dx = x2[other]! - x1[other]!;
    const dy = y2[other]! - y1[other]!;
    const otherM = lengthOf(roads, other);
    if (other === segment || otherM === 0) return false;
    if (Math.abs((bx - ax) * dx + (by - ay) * dy) < PARALLEL_COS * lengthM * otherM) return false;
    const alongA = (ax - x1[other]!) * dx + (ay - y1[other]!) * dy;
    const alongB = (bx - x1[other]!) * dx + (by - y1[other]!) * dy;
    return Math.max(alongA, alongB) > 0 && Math.min(alongA, alongB) < otherM * otherM;
  });
}

/** Does another segment run beside (x, y) that counts in its place? */
function countsInstead(
  roads: Centerlines,
  ground: Ground,
  other: number,
  segment: number,
  x: number,
  y: number,
): boolean {
  const ax = roads.x1[other]!;
  const ay = roads.y1[other]!;
  const dx = roads.x2[other]! - ax;
  const dy = roads.y2[other]! - ay;
  const share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  if (share < 0 || share > 1) return false;
  const footX = ax + share * dx;
  const footY = ay + share * dy;
  if (pointDistance(x, y, footX, footY) > HALF_WAY_M) return false;
  return other < segment || !isWellInside(ground, footX, footY);
}
