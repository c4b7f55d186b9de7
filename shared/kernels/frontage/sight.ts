import { isInside, type Neighbourhood } from './neighbourhood.ts';
import { SLACK_M } from './rules.ts';

/** Two sight lines, a from (ax, ay) to (as, at) and b from (bx, by) to (bs, bt), in the plane: ax, ay, as, at, bx, by, bs, bt. */
export type SightLines = Float64Array;

/** Does any parcel stand between two points: does a boundary cross the line, or does it begin inside a parcel? */
export function isBlocked(near: Neighbourhood, ax: number, ay: number, bx: number, by: number): boolean {
  const { edges } = near;
  if (edges.index === null) return false;
  let crossed = false;
  edges.index.search(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by), e => {
    crossed ||= crosses(edges.x1[e]!, edges.y1[e]!, edges.x2[e]!, edges.y2[e]!, ax, ay, bx, by);
    return false;
  });
  return crossed || isInAny(near, ax, ay);
}

/**
 * What becomes of all sight lines between two that are parallel or meet behind their ends: 'open' when no boundary comes into the
 * area between the two and it is in no parcel, 'closed' when the area is in a parcel, or (of parallel ones) when one edge lies across
 * all, 'unsure' in other cases.
 */
export function sweep(
  near: Neighbourhood,
  lines: SightLines,
  areParallel: boolean,
): 'open' | 'closed' | 'unsure' {
  const { edges } = near;
  const [ax, ay, as, at, bx, by, bs, bt] = lines as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const minX = Math.min(ax, as, bx, bs) - SLACK_M;
  const minY = Math.min(ay, at, by, bt) - SLACK_M;
  const maxX = Math.max(ax, as, bx, bs) + SLACK_M;
  const maxY = Math.max(ay, at, by, bt) + SLACK_M;
  let met = false;
  let across = false;
  edges.index?.search(minX, minY, maxX, maxY, e => {
    if (across) return false;
    const px = edges.x1[e]!;
    const py = edges.y1[e]!;
    const qx = edges.x2[e]!;
    const qy = edges.y2[e]!;
    if (isApart(px, py, qx, qy, lines)) return false;
    met = true;
    across =
      areParallel &&
      crossesWell(px, py, qx, qy, ax, ay, as, at) &&
      crossesWell(px, py, qx, qy, bx, by, bs, bt);
    return false;
  });
  if (across) return 'closed';
  if (met) return 'unsure';
  return isInAny(near, ax, ay) ? 'closed' : 'open';
}

function isInAny(near: Neighbourhood, x: number, y: number): boolean {
  let inside = false;
  near.parcelIndex?.search(x, y, x, y, parcel => {
    inside ||= isInside(near, parcel, x, y);
    return false;
  });
  return inside;
}

/** Do two segments cross? A corner belongs to one side, so that a line through it crosses one of the two edges that meet there. */
function crosses(
  px: number,
  py: number,
  qx: number,
  qy: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): boolean {
  const p = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
  const q = (bx - ax) * (qy - ay) - (by - ay) * (qx - ax);
  if (p > 0 === q > 0) return false;
  const a = (qx - px) * (ay - py) - (qy - py) * (ax - px);
  const b = (qx - px) * (by - py) - (qy - py) * (bx - px);
  return a > 0 !== b > 0;
}

/** The same by more than rounding can take back. */
function crossesWell(
  px: number,
  py: number,
  qx: number,
  qy: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): boolean {
  const sight = SLACK_M * Math.hypot(bx - ax, by - ay);
  const p = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
  const q = (bx - ax) * (qy - ay) - (by - ay) * (qx - ax);
  if (Math.abs(p) < sight || Math.abs(q) < sight || p > 0 === q > 0) return false;
  const edge = SLACK_M * Math.hypot(qx - px, qy - py);
  const a = (qx - px) * (ay - py) - (qy - py) * (ax - px);
  const b = (qx - px) * (by - py) - (qy - py) * (bx - px);
  return Math.abs(a) >= edge && Math.abs(b) >= edge && a > 0 !== b > 0;
}

/** Is there a line along a side of the area, or along the segment, that keeps the two apart (separating axes of convex shapes)? */
function isApart(px: number, py: number, qx: number, qy: number, lines: SightLines): boolean {
  // Corners in order around the area: a's start, a's end, b's end, b's start.
  for (let i = 0; i < 4; i++) {
    const c = AROUND[i]!;
    const d = AROUND[(i + 1) & 3]!;
    const x = lines[c]!;
    const y = lines[c + 1]!;
    const dx = lines[d]! - x;
    const dy = lines[d + 1]! - y;
    const o = AROUND[(i + 2) & 3]!;
    const r = AROUND[(i + 3) & 3]!;
    const other =
      dx * (lines[o + 1]! - y) - dy * (lines[o]! - x) + dx * (lines[r + 1]! - y) - dy * (lines[r]! - x);
    const side = other > 0 ? 1 : -1;
    const slack = -SLACK_M * (Math.abs(dx) + Math.abs(dy));
    const p = side * (dx * (py - y) - dy * (px - x));
    const q = side * (dx * (qy - y) - dy * (qx - x));
    if (p < slack && q < slack) return true;
  }
  const ex = qx - px;
  const ey = qy - py;
  const slack = SLACK_M * (Math.abs(ex) + Math.abs(ey));
  let left = 0;
  let right = 0;
  for (const c of AROUND) {
    const side = ex * (lines[c + 1]! - py) - ey * (lines[c]! - px);
    if (side > slack) left++;
    else if (side < -slack) right++;
  }
  return left === 4 || right === 4;
}

const AROUND = [0, 2, 6, 4] as const;
