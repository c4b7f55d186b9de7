import type { Point } from './view.ts';

export type Line = Point[];

/** A rectangle in pixels. */
export type Frame = { left: number; top: number; right: number; bottom: number };

/** Vertices nearer than this to the last one that was kept cannot be told from it. */
const LEAST_STEP_PX = 0.4;

/**
 * The part of a ring (closed or not) within a frame, as a ring whose last place is not repeated: Sutherland and Hodgman 1974. Where the ring
 * leaves and comes back the result runs along the frame, so that the frame is to lie out of sight. Empty when nothing of it is within.
 */
export function clipRing(ring: readonly Point[], frame: Frame): Line {
  let line = thinned(ring);
  for (const side of sidesOf(frame)) {
    const before = line;
    line = [];
    for (const [i, to] of before.entries()) {
      const from = before.at(i - 1)!;
      if (side.inside(from) !== side.inside(to)) line.push(side.cross(from, to));
      if (side.inside(to)) line.push(to);
    }
  }
  return line.length < 3 ? [] : line;
}

/** The parts of an open line within a frame. */
export function clipLine(line: readonly Point[], frame: Frame): Line[] {
  const parts: Line[] = [];
  let part: Line = [];
  const points = thinned(line);
  for (let i = 1; i < points.length; i++) {
    const piece = clipSegment(points[i - 1]!, points[i]!, frame);
    if (piece === null) continue;
    const [from, to] = piece;
    const last = part.at(-1);
    if (last !== undefined && last[0] === from[0] && last[1] === from[1]) part.push(to);
    else {
      part = [from, to];
      parts.push(part);
    }
  }
  return parts;
}

function clipSegment(from: Point, to: Point, frame: Frame): [Point, Point] | null {
  let piece: [Point, Point] = [from, to];
  for (const side of sidesOf(frame)) {
    const [a, b] = piece;
    const [startsIn, endsIn] = [side.inside(a), side.inside(b)];
    if (!startsIn && !endsIn) return null;
    if (!startsIn) piece = [side.cross(a, b), b];
    else if (!endsIn) piece = [a, side.cross(a, b)];
  }
  return piece;
}

type Side = { inside(point: Point): boolean; cross(from: Point, to: Point): Point };

function sidesOf({ left, top, right, bottom }: Frame): Side[] {
  const upright = (x: number, sign: number): Side => ({
    inside: point => sign * (point[0] - x) >= 0,
    cross: (a, b) => [x, a[1] + ((x - a[0]) / (b[0] - a[0])) * (b[1] - a[1])],
  });
  const level = (y: number, sign: number): Side => ({
    inside: point => sign * (point[1] - y) >= 0,
    cross: (a, b) => [a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0]), y],
  });
  return [upright(left, 1), upright(right, -1), level(top, 1), level(bottom, -1)];
}

/** A line without the vertices that cannot be seen; its ends stay. */
function thinned(line: readonly Point[]): Line {
  const kept: Line = [];
  for (const [i, point] of line.entries()) {
    const last = kept.at(-1);
    const isNear = last !== undefined && Math.hypot(point[0] - last[0], point[1] - last[1]) < LEAST_STEP_PX;
    if (!isNear) kept.push(point);
    else if (i === line.length - 1 && kept.length > 1) kept[kept.length - 1] = point;
  }
  return kept;
}
