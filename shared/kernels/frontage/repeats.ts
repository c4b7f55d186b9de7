import type { Centrelines } from './centrelines.ts';
import { isInside } from './grounds.ts';
import { distanceTo, gap } from './nearest.ts';
import { CONTACT_M, HALF_WAY_M, PARALLEL_COS } from './rules.ts';
import { type Bounds, type ThroughRun, walkThrough } from './through.ts';

/**
 * The stretches of centreline that run inside a parcel, those once that are mapped twice (by two feeds, or by one feed lane by lane).
 * A piece is left out when beside its middle, within HALF_WAY_M and roughly parallel, another segment runs that goes before it (of
 * a higher class, or given earlier) or that is outside of the parcel, so that the boundary between the two faces it. What runs further
 * off, such as the other carriageway of a divided highway, is a road of its own.
 */
export function walkThroughOnce(roads: Centrelines, ground: Bounds, found: ThroughRun): void {
  let walked = -1;
  let others: number[] = [];
  walkThrough(roads, ground, (segment, from, to, pieces, sides) => {
    if (segment !== walked) others = besides(roads, segment);
    walked = segment;
    if (others.length === 0) {
      found(segment, from, to, pieces, sides);
      return;
    }
    const x = roads.x1[segment]!;
    const y = roads.y1[segment]!;
    const stepX = (roads.x2[segment]! - x) / pieces;
    const stepY = (roads.y2[segment]! - y) / pieces;
    for (let k = from; k < to; k++) {
      const [px, py] = [x + (k + 0.5) * stepX, y + (k + 0.5) * stepY];
      if (!others.some(other => takesPlace(roads, ground, other, segment, px, py)))
        found(segment, k, k + 1, pieces, sides);
    }
  });
}

/** Segments that may run beside pieces of this one: not those that it goes on in at a corner, however straight. */
function besides(roads: Centrelines, segment: number): number[] {
  const { x1, y1, x2, y2 } = roads;
  const ax = x1[segment]!;
  const ay = y1[segment]!;
  const bx = x2[segment]!;
  const by = y2[segment]!;
  const lengthM = gap(ax, ay, bx, by);
  return roads.index!.search(
    Math.min(ax, bx) - HALF_WAY_M,
    Math.min(ay, by) - HALF_WAY_M,
    Math.max(ax, bx) + HALF_WAY_M,
    Math.max(ay, by) + HALF_WAY_M,
    other => {
      const dx = x2[other]! - x1[other]!;
      const dy = y2[other]! - y1[other]!;
      const otherM = gap(0, 0, dx, dy);
      if (other === segment || otherM === 0) return false;
      if (Math.abs((bx - ax) * dx + (by - ay) * dy) < PARALLEL_COS * lengthM * otherM) return false;
      const alongA = (ax - x1[other]!) * dx + (ay - y1[other]!) * dy;
      const alongB = (bx - x1[other]!) * dx + (by - y1[other]!) * dy;
      return Math.max(alongA, alongB) > 0 && Math.min(alongA, alongB) < otherM * otherM;
    },
  );
}

/** Does another segment run beside (x, y) that counts in its place? */
function takesPlace(
  roads: Centrelines,
  ground: Bounds,
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
  if (gap(x, y, footX, footY) > HALF_WAY_M) return false;
  return other < segment || !isWellInside(ground, footX, footY);
}

/** As walkThrough has it: a road on the boundary itself is faced by it. */
function isWellInside({ edges, from, to }: Bounds, x: number, y: number): boolean {
  for (let e = from; e < to; e++) if (distanceTo(edges, e, x, y) <= CONTACT_M) return false;
  return isInside(edges, from, to, x, y);
}
