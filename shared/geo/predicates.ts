import { orient2d } from 'robust-predicates';

/**
 * Positive if c is to the left of the line from a to b, negative if to the right, 0 if on it. Exact
 * (Shewchuk).
 */
export function orientation(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  // In robust-predicates, y points down.
  return -orient2d(ax, ay, bx, by, cx, cy);
}

/** Whether an edge that doesn't cross the point's latitude touches the point. */
export function onLevelEdge(x: number, y: number, ax: number, ay: number, bx: number, by: number): boolean {
  if (ay === y && by === y) return Math.min(ax, bx) <= x && x <= Math.max(ax, bx);
  return (ax === x && ay === y) || (bx === x && by === y);
}

/** How two segments meet: not at all, at an end of one of them, or by crossing or overlapping. */
export type SegmentRelation = 'apart' | 'touch' | 'cross';

/** Exact. */
export function segmentRelation(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): SegmentRelation {
  const c = orientation(ax, ay, bx, by, cx, cy);
  const d = orientation(ax, ay, bx, by, dx, dy);
  if ((c > 0 && d > 0) || (c < 0 && d < 0)) return 'apart';
  const a = orientation(cx, cy, dx, dy, ax, ay);
  const b = orientation(cx, cy, dx, dy, bx, by);
  if ((a > 0 && b > 0) || (a < 0 && b < 0)) return 'apart';
  if (a !== 0 || b !== 0 || c !== 0 || d !== 0)
    return a === 0 || b === 0 || c === 0 || d === 0 ? 'touch' : 'cross';
  return ax === bx && cx === dx ? meetOnLine(ay, by, cy, dy) : meetOnLine(ax, bx, cx, dx);
}

function meetOnLine(a: number, b: number, c: number, d: number): SegmentRelation {
  const from = Math.max(Math.min(a, b), Math.min(c, d));
  const to = Math.min(Math.max(a, b), Math.max(c, d));
  return from > to ? 'apart' : from === to ? 'touch' : 'cross';
}
