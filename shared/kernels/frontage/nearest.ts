import type { Segments } from './neighbourhood.ts';

/** The point of a segment that is nearest to (x, y), written to `point`. @returns its distance */
export function nearestOn(segments: Segments, i: number, x: number, y: number, point: Float64Array): number {
  const ax = segments.x1[i]!;
  const ay = segments.y1[i]!;
  const bx = segments.x2[i]!;
  const by = segments.y2[i]!;
  const dx = bx - ax;
  const dy = by - ay;
  const along = (x - ax) * dx + (y - ay) * dy;
  const square = dx * dx + dy * dy;
  let px = ax;
  let py = ay;
  if (along >= square) {
    // The corner itself, not a rounded one, so that segments which meet there are equally near.
    px = bx;
    py = by;
  } else if (along > 0) {
    px += (along / square) * dx;
    py += (along / square) * dy;
  }
  point[0] = px;
  point[1] = py;
  const ex = px - x;
  const ey = py - y;
  return Math.sqrt(ex * ex + ey * ey);
}

const scratch = new Float64Array(2);

export function distanceTo(segments: Segments, i: number, x: number, y: number): number {
  return nearestOn(segments, i, x, y, scratch);
}
