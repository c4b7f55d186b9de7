import type { Segments } from './segments.ts';

/** Which point of a segment is nearest: its start, its end, or one between the two. */
export const START = 0;
export const END = 1;
export const BETWEEN = 2;

/** The point of a segment that is nearest to (x, y), written to `point`. @returns START, END or BETWEEN */
export function nearestOn(segments: Segments, i: number, x: number, y: number, point: Float64Array): number {
  const ax = segments.x1[i]!;
  const ay = segments.y1[i]!;
  const bx = segments.x2[i]!;
  const by = segments.y2[i]!;
  const dx = bx - ax;
  const dy = by - ay;
  const along = (x - ax) * dx + (y - ay) * dy;
  const square = dx * dx + dy * dy;
  // Corners as they are, not rounded, so that segments which meet in one are equally near.
  if (along <= 0) {
    point[0] = ax;
    point[1] = ay;
    return START;
  }
  if (along >= square) {
    point[0] = bx;
    point[1] = by;
    return END;
  }
  const share = along / square;
  point[0] = ax + share * dx;
  point[1] = ay + share * dy;
  return BETWEEN;
}

const scratch = new Float64Array(2);

export function distanceTo(segments: Segments, i: number, x: number, y: number): number {
  nearestOn(segments, i, x, y, scratch);
  return gap(scratch[0]!, scratch[1]!, x, y);
}

export function gap(ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  return Math.sqrt(dx * dx + dy * dy);
}
