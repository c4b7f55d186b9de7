import { bboxClip } from '@turf/bbox-clip';
import type { Box } from '../geo/geometry-types.ts';
import type { Point } from './map-extent.ts';

export type Line = Point[];

/** Vertices closer to the previous one than this make no visible difference. */
const MIN_STEP_PX = 0.4;

/**
 * Clips a ring to a frame [left, top, right, bottom]. The input and the result have no closing point. The
 * result is empty if nothing is left.
 */
export function clipRing(ring: readonly Point[], frame: Box): Line {
  const line = simplify(ring);
  if (line.length < 3) return [];
  const [clipped = []] = bboxClip({ type: 'Polygon', coordinates: [line] }, frame).geometry.coordinates;
  return clipped.slice(0, -1) as Line;
}

export function clipLine(line: readonly Point[], frame: Box): Line[] {
  const { geometry } = bboxClip({ type: 'MultiLineString', coordinates: [simplify(line)] }, frame);
  return (geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates) as Line[];
}

/** Removes vertices that make no visible difference, but keeps the ends. */
function simplify(line: readonly Point[]): Line {
  const kept: Line = [];
  for (const [i, point] of line.entries()) {
    const last = kept.at(-1);
    const isNear = last !== undefined && between(last, point) < MIN_STEP_PX;
    if (!isNear) kept.push(point);
    else if (i === line.length - 1 && kept.length > 1) kept[kept.length - 1] = point;
  }
  return kept;
}

export function lengthPx(line: Line): number {
  return line.slice(1).reduce((sum, to, i) => sum + between(line[i]!, to), 0);
}

/** The point and direction (in radians clockwise from the right) at a given fraction of a line's length. */
export function pointAlong(line: Line, share: number): { at: Point; angle: number } {
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

const between = (a: Point, b: Point): number => Math.hypot(b[0] - a[0], b[1] - a[1]);

export const px = (value: number): string => String(Math.round(value * 10) / 10);

export function pathOf(lines: readonly Line[], closed: boolean): string {
  return lines
    .map(line => `M${line.map(([x, y]) => `${px(x)} ${px(y)}`).join('L')}${closed ? 'Z' : ''}`)
    .join('');
}
