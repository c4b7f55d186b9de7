import type { Line } from './clip.ts';

/** Coordinates are written to a tenth of a pixel. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

/** Open lines, or closed rings, as the `d` of a path. */
export function pathOf(lines: readonly Line[], closed: boolean): string {
  return lines
    .map(line => `M${line.map(([x, y]) => `${px(x)} ${px(y)}`).join('L')}${closed ? 'Z' : ''}`)
    .join('');
}
