import { padBox } from '../../geo/box.ts';
import type { Centerlines } from './centrelines.ts';
import { boxOfSegment, isInside, isWellInside, type PreparedPolygon } from './grounds.ts';
import { HALF_RIGHT_OF_WAY_M, PARALLEL_COS } from './rules.ts';
import { addPiece, lengthOf, piecesAlong, pointDistance, type Stretch } from './segments.ts';

/**
 * Stretches of centerline inside a parcel or one of its polygons. A piece is inside if its middle is more
 * than CONTACT_M from the boundary. A side counts if the parcel extends beyond half a right-of-way.
 */
export function centerlinesInside(roads: Centerlines, polygon: PreparedPolygon): Stretch[] {
  const stretches: Stretch[] = [];
  const [west, south, east, north] = polygon.box;
  // Sorted so that the stretches of a road are consecutive.
  const segments = roads.index?.search(west, south, east, north).sort((a, b) => a - b) ?? [];
  for (const segment of segments) {
    const rank = roads.classOf[segment]!;
    const { pieces, x, y, stepX, stepY, alongX, alongY } = piecesAlong(roads, segment);
    for (let k = 0; k < pieces; k++) {
      const px = x + (k + 0.5) * stepX;
      const py = y + (k + 0.5) * stepY;
      if (px < west || px > east || py < south || py > north || !isWellInside(polygon, px, py)) continue;
      const left = isInside(polygon, px - HALF_RIGHT_OF_WAY_M * alongY, py + HALF_RIGHT_OF_WAY_M * alongX);
      const right = isInside(polygon, px + HALF_RIGHT_OF_WAY_M * alongY, py - HALF_RIGHT_OF_WAY_M * alongX);
      if (left || right) addPiece(stretches, roads, segment, k, pieces, rank, left && right ? 2 : 1);
    }
  }
  return stretches;
}

/**
 * Like `centerlinesInside`, but counts a road that is mapped twice only once. Skips a piece if a roughly
 * parallel segment within half a right-of-way comes earlier in the order or is outside the parcel.
 */
export function centerlinesInsideOnce(roads: Centerlines, polygon: PreparedPolygon): Stretch[] {
  const kept: Stretch[] = [];
  let parallels: number[] = [];
  let segment = -1;
  for (const stretch of centerlinesInside(roads, polygon)) {
    if (stretch.i !== segment) parallels = parallelSegments(roads, stretch.i);
    segment = stretch.i;
    if (parallels.length === 0) {
      kept.push(stretch);
      continue;
    }
    const { x, y, stepX, stepY } = piecesAlong(roads, segment);
    for (let k = stretch.from; k < stretch.to; k++) {
      const [px, py] = [x + (k + 0.5) * stepX, y + (k + 0.5) * stepY];
      if (!parallels.some(other => countsInstead(roads, polygon, other, segment, px, py)))
        addPiece(kept, roads, segment, k, stretch.pieces, stretch.rank, stretch.sides);
    }
  }
  return kept;
}

/** Nearby segments that are roughly parallel to this one, except those that continue it at a corner. */
function parallelSegments(roads: Centerlines, segment: number): number[] {
  const { x1, y1, x2, y2 } = roads;
  const ax = x1[segment]!;
  const ay = y1[segment]!;
  const bx = x2[segment]!;
  const by = y2[segment]!;
  const lengthM = lengthOf(roads, segment);
  return roads.index!.search(...padBox(boxOfSegment(roads, segment), HALF_RIGHT_OF_WAY_M), other => {
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

/** Whether another segment next to (x, y) counts instead. */
function countsInstead(
  roads: Centerlines,
  polygon: PreparedPolygon,
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
  if (pointDistance(x, y, footX, footY) > HALF_RIGHT_OF_WAY_M) return false;
  return other < segment || !isWellInside(polygon, footX, footY);
}
