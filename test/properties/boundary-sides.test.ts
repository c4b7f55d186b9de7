import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sidesOf } from '../../shared/drawing/boundary-sides.ts';
import type { Point } from '../../shared/drawing/map-extent.ts';
import { runs } from '../support/runs.ts';

const lengthOf = (line: readonly Point[]) =>
  line.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - line[i]![0], y - line[i]![1]), 0);

/** A star-shaped ring, so that it never crosses itself. */
const ring = fc
  .array(
    fc.tuple(fc.double({ min: 1, max: 100, noNaN: true }), fc.double({ min: 0.05, max: 1, noNaN: true })),
    {
      minLength: 3,
      maxLength: 40,
    },
  )
  .map(steps => {
    const total = steps.reduce((sum, [, angle]) => sum + angle, 0);
    let at = 0;
    return steps.map(([radius, angle]): Point => {
      at += (2 * Math.PI * angle) / total;
      return [radius * Math.cos(at), radius * Math.sin(at)];
    });
  });

describe('sides of a boundary', () => {
  test('follow each other around the ring, and add up to its length', () => {
    fc.assert(
      fc.property(ring, points => {
        const sides = sidesOf(points);
        expect(sides.length).toBeGreaterThan(0);
        for (const [i, { points: side, length }] of sides.entries()) {
          expect(side.at(-1)).toEqual(sides[(i + 1) % sides.length]!.points[0]);
          expect(length).toBeCloseTo(lengthOf(side), 6);
        }
        const total = sides.reduce((sum, { length }) => sum + length, 0);
        expect(total).toBeCloseTo(lengthOf([...points, points[0]!]), 6);
        expect(sides.reduce((sum, side) => sum + side.points.length - 1, 0)).toBe(points.length);
      }),
      { numRuns: runs(300) },
    );
  });

  test('do not depend on where the ring starts', () => {
    fc.assert(
      fc.property(ring, fc.nat(), (points, shift) => {
        const at = shift % points.length;
        const lengths = (of: readonly Point[]) =>
          sidesOf(of)
            .map(side => side.length.toFixed(6))
            .sort();
        const moved = [...points.slice(at), ...points.slice(0, at)];
        if (sidesOf(points).length > 1) expect(lengths(moved)).toEqual(lengths(points));
      }),
      { numRuns: runs(300) },
    );
  });

  test.each<[string, Point[], number[]]>([
    [
      'a rectangle has four',
      [
        [0, 0],
        [30, 0],
        [30, 10],
        [0, 10],
      ],
      [30, 10, 30, 10],
    ],
    [
      'a vertex in a straight line makes no side',
      [
        [0, 0],
        [10, 0],
        [30, 0],
        [30, 10],
        [0, 10],
      ],
      [30, 10, 30, 10],
    ],
    [
      'the start can be in the middle of a side',
      [
        [10, 0],
        [30, 0],
        [30, 10],
        [0, 10],
        [0, 0],
      ],
      [10, 30, 10, 30],
    ],
    [
      'a repeated vertex makes no side',
      [
        [0, 0],
        [30, 0],
        [30, 0],
        [30, 10],
        [0, 10],
      ],
      [30, 10, 30, 10],
    ],
    [
      'two points enclose nothing',
      [
        [0, 0],
        [30, 0],
      ],
      [],
    ],
  ])('%s', (_what, points, lengths) => {
    expect(sidesOf(points).map(({ length }) => length)).toEqual(lengths);
  });

  test('a curve along a road is one side, and a circle has only one', () => {
    const arc = Array.from({ length: 21 }, (_, i): Point => {
      const angle = (i / 20) * (Math.PI / 2);
      return [100 * Math.cos(angle), 100 * Math.sin(angle)];
    });
    const wedge = sidesOf([[0, 0], ...arc]);
    expect(wedge.map(({ length }) => Math.round(length))).toEqual([100, 157, 100]);
    const circle = Array.from(
      { length: 60 },
      (_, i): Point => [Math.cos((i / 30) * Math.PI), Math.sin((i / 30) * Math.PI)],
    );
    expect(sidesOf(circle)).toHaveLength(1);
  });
});
