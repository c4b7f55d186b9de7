import type { Line } from './clip.ts';
import type { Point } from './view.ts';

/** Length of a line in pixels. */
export function lengthPx(line: Line): number {
  return line.slice(1).reduce((sum, to, i) => sum + between(line[i]!, to), 0);
}

/** The place on a line at a share of its length, and the direction there in radians, clockwise from the right. */
export function placeOn(line: Line, share: number): { at: Point; angle: number } {
  let left = share * lengthPx(line);
  for (let i = 1; i < line.length; i++) {
    const [from, to] = [line[i - 1]!, line[i]!];
    const length = between(from, to);
    if (length < left || length === 0) {
      left -= length;
      continue;
    }
    const along = left / length;
    return {
      at: [from[0] + along * (to[0] - from[0]), from[1] + along * (to[1] - from[1])],
      angle: Math.atan2(to[1] - from[1], to[0] - from[0]),
    };
  }
  return { at: line[0]!, angle: 0 };
}

function between(a: Point, b: Point): number {
  return Math.hypot(b[0] - a[0], b[1] - a[1]);
}
