import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clipLine, clipRing, type Line, lengthPx } from '../../../shared/drawing/drawing-lines.ts';
import type { Point } from '../../../shared/drawing/map-extent.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { ring } from '../../support/rings.ts';

const FRAME: Box = [0, 0, 100, 80];
const inFrame = ([x, y]: Point) => x >= -1e-9 && x <= 100 + 1e-9 && y >= -1e-9 && y <= 80 + 1e-9;
const rectangle = (left: number, top: number, right: number, bottom: number): Line => [
  [left, top],
  [right, top],
  [right, bottom],
  [left, bottom],
];

function areaOf(ring: Line): number {
  return Math.abs(
    ring.reduce((sum, [x, y], i) => {
      const [x2, y2] = ring[(i + 1) % ring.length]!;
      return sum + (x * y2 - x2 * y) / 2;
    }, 0),
  );
}

test('a ring keeps its part within the view', () => {
  expect(areaOf(clipRing(rectangle(-50, 20, 50, 60), FRAME))).toBe(50 * 40);
  expect(clipRing(rectangle(200, 0, 300, 50), FRAME)).toEqual([]);
  expect(areaOf(clipRing(rectangle(-9, -9, 900, 900), FRAME))).toBe(8000);
});

test('a line keeps its parts within, in order', () => {
  const line: Line = ring('-50 40, 150 40, 150 20, 50 20, 50 60');
  expect(clipLine(line, FRAME)).toEqual([
    [
      [0, 40],
      [100, 40],
    ],
    [
      [100, 20],
      [50, 20],
      [50, 60],
    ],
  ]);
});

test('parts of lines are neither longer nor out of the view', () => {
  const point = fc.tuple(fc.integer({ min: -150, max: 250 }), fc.integer({ min: -150, max: 250 }));
  fc.assert(
    fc.property(fc.array(point, { minLength: 2, maxLength: 12 }), line => {
      const parts = clipLine(line, FRAME);
      expect(parts.flat().every(inFrame)).toBe(true);
      const total = parts.reduce((sum, part) => sum + lengthPx(part), 0);
      expect(total).toBeLessThanOrEqual(lengthPx(line) + 1e-6);
      if (line.every(inFrame)) expect(total).toBeCloseTo(lengthPx(line), 6);
    }),
  );
});

test('invisible vertices are left out', () => {
  const fine: Line = Array.from({ length: 1001 }, (_, i) => [i / 100, 10]);
  const [part] = clipLine(fine, FRAME);
  expect(part!.length).toBeLessThan(30);
  expect(lengthPx(part!)).toBeCloseTo(10, 6);
});
