import Flatbush from 'flatbush';
import { piecesOf } from './rules.ts';

/** Line segments in the plane, in meters. `index` has their boxes. It is null if there are no segments. */
export type Segments = {
  x1: Float64Array;
  y1: Float64Array;
  x2: Float64Array;
  y2: Float64Array;
  index: Flatbush | null;
};

/** @param ends x1, y1, x2, y2 of each segment in turn */
export function segmentsOf(ends: ArrayLike<number>): Segments {
  const count = ends.length / 4;
  const x1 = new Float64Array(count);
  const y1 = new Float64Array(count);
  const x2 = new Float64Array(count);
  const y2 = new Float64Array(count);
  const index = count === 0 ? null : new Flatbush(count);
  for (let i = 0, at = 0; i < count; i++) {
    const ax = ends[at++]!;
    const ay = ends[at++]!;
    const bx = ends[at++]!;
    const by = ends[at++]!;
    x1[i] = ax;
    y1[i] = ay;
    x2[i] = bx;
    y2[i] = by;
    index?.add(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by));
  }
  index?.finish();
  return { x1, y1, x2, y2, index };
}

export function pointDistance(ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  return Math.sqrt(dx * dx + dy * dy);
}

export function lengthOf({ x1, y1, x2, y2 }: Segments, i: number): number {
  return pointDistance(x1[i]!, y1[i]!, x2[i]!, y2[i]!);
}

/** Position on a segment of the point closest to (x, y): 0 at its start, 1 at its end. */
export function nearestShare({ x1, y1, x2, y2 }: Segments, i: number, x: number, y: number): number {
  const dx = x2[i]! - x1[i]!;
  const dy = y2[i]! - y1[i]!;
  const along = (x - x1[i]!) * dx + (y - y1[i]!) * dy;
  const square = dx * dx + dy * dy;
  if (along <= 0) return 0;
  return along >= square ? 1 : along / square;
}

/** Interpolates a coordinate. The ends are exact, so that segments that meet at an end are equally close. */
export function interpolate(from: number, to: number, share: number): number {
  return share === 1 ? to : from + share * (to - from);
}

export function distanceTo(segments: Segments, i: number, x: number, y: number): number {
  const share = nearestShare(segments, i, x, y);
  const { x1, y1, x2, y2 } = segments;
  return pointDistance(interpolate(x1[i]!, x2[i]!, share), interpolate(y1[i]!, y2[i]!, share), x, y);
}

/**
 * Consecutive pieces of a segment (`from` up to `to`, out of `pieces`) that face a road or are part of one.
 */
export type Stretch = {
  lines: Segments;
  i: number;
  from: number;
  to: number;
  pieces: number;
  rank: number;
  /** Number of sides on which the parcel has land. */
  sides: 1 | 2;
};

/** Start, step, and direction for iterating over the pieces of a segment. */
export function piecesAlong(lines: Segments, i: number) {
  const lengthM = lengthOf(lines, i);
  const pieces = piecesOf(lengthM);
  const x = lines.x1[i]!;
  const y = lines.y1[i]!;
  const dx = lines.x2[i]! - x;
  const dy = lines.y2[i]! - y;
  return {
    pieces,
    x,
    y,
    stepX: dx / pieces,
    stepY: dy / pieces,
    stepM: lengthM / pieces,
    alongX: dx / lengthM,
    alongY: dy / lengthM,
  };
}

/** Extends the last stretch by a piece, or starts a new one. */
export function addPiece(
  stretches: Stretch[],
  lines: Segments,
  i: number,
  piece: number,
  pieces: number,
  rank: number,
  sides: 1 | 2,
): void {
  const last = stretches.at(-1);
  if (
    last?.lines === lines &&
    last.i === i &&
    last.to === piece &&
    last.rank === rank &&
    last.sides === sides
  )
    last.to++;
  else stretches.push({ lines, i, from: piece, to: piece + 1, pieces, rank, sides });
}

export function lengthOfStretch({ lines, i, from, to, pieces }: Stretch): number {
  return ((to - from) / pieces) * lengthOf(lines, i);
}
