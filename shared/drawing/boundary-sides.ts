import type { Point } from './map-extent.ts';

/** A boundary between two corners. Curves with many vertices are one side. */
export type Side = { points: Point[]; length: number };

/** A boundary that turns by less than this at a vertex continues in the same side. */
const MIN_CORNER = (25 * Math.PI) / 180;

/**
 * Splits a ring into sides at its corners. The sides have the ring's direction, start at a corner if there is
 * one, and add up to the ring's length.
 * @param ring points in a plane, without a closing point
 */
export function sidesOf(ring: readonly Point[]): Side[] {
  const points = ring.filter((point, i) => distance(point, ring.at(i - 1)!) > 0);
  if (points.length < 3) return [];
  const corners = points.flatMap((_, i) => (isCorner(points, i) ? [i] : []));
  const starts = corners.length === 0 ? [0] : corners;
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? starts[0]! + points.length;
    const side = Array.from(
      { length: end - start + 1 },
      (_, step) => points[(start + step) % points.length]!,
    );
    return { points: side, length: lengthOf(side) };
  });
}

function isCorner(points: readonly Point[], i: number): boolean {
  const [before, at, after] = [points.at(i - 1)!, points[i]!, points[(i + 1) % points.length]!];
  const turn = directionOf(at, after) - directionOf(before, at);
  return Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn))) >= MIN_CORNER;
}

const directionOf = (from: Point, to: Point): number => Math.atan2(to[1] - from[1], to[0] - from[0]);
const distance = (a: Point, b: Point): number => Math.hypot(b[0] - a[0], b[1] - a[1]);
const lengthOf = (line: readonly Point[]): number =>
  line.slice(1).reduce((sum, to, i) => sum + distance(line[i]!, to), 0);
