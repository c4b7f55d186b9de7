import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipLine, clipRing, type Line } from '../../../shared/drawing/clip.ts';
import { lengthPx } from '../../../shared/drawing/lines.ts';
import type { Point } from '../../../shared/drawing/view.ts';

const FRAME = { left: 0, top: 0, right: 100, bottom: 80 };
const inFrame = ([x, y]: Point) => x >= -1e-9 && x <= 100 + 1e-9 && y >= -1e-9 && y <= 80 + 1e-9;

function areaOf(ring: Line): number {
  return ring.reduce((sum, [x, y], i) => {
    const [x2, y2] = ring[(i + 1) % ring.length]!;
    return sum + (x * y2 - x2 * y) / 2;
  }, 0);
}

const point = fc.tuple(fc.integer({ min: -150, max: 250 }), fc.integer({ min: -150, max: 250 }));

describe('what is clipped at the view', () => {
  test('a ring keeps its part within', () => {
    const ring: Line = [
      [-50, 20],
      [50, 20],
      [50, 60],
      [-50, 60],
    ];
    expect(Math.abs(areaOf(clipRing(ring, FRAME)))).toBe(50 * 40);
    expect(
      clipRing(
        [
          [200, 0],
          [300, 0],
          [300, 50],
        ],
        FRAME,
      ),
    ).toEqual([]);
    // All of the view lies in it.
    expect(
      Math.abs(
        areaOf(
          clipRing(
            [
              [-9, -9],
              [900, -9],
              [900, 900],
              [-9, 900],
            ],
            FRAME,
          ),
        ),
      ),
    ).toBe(8000);
  });

  test('of a triangle the area within is that of a raster of its points', () => {
    fc.assert(
      fc.property(fc.tuple(point, point, point), triangle => {
        const clipped = clipRing(triangle, FRAME);
        expect(clipped.every(inFrame)).toBe(true);
        const sign = Math.sign(areaOf(triangle));
        let count = 0;
        for (let x = 0.5; x < 100; x++) {
          for (let y = 0.5; y < 80; y++) {
            const within = triangle.every((a, i) => {
              const b = triangle[(i + 1) % 3]!;
              return sign * ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) > 0;
            });
            if (within) count++;
          }
        }
        // A cell of the raster along each of the edges that cross the view, at most.
        expect(Math.abs(Math.abs(areaOf(clipped)) - count)).toBeLessThan(150);
      }),
      { numRuns: 30 },
    );
  });

  test('a line keeps its parts within, in their order', () => {
    const line: Line = [
      [-50, 40],
      [150, 40],
      [150, 20],
      [50, 20],
      [50, 60],
    ];
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

  test('vertices that cannot be seen are left out', () => {
    const fine: Line = Array.from({ length: 1001 }, (_, i) => [i / 100, 10]);
    const [part] = clipLine(fine, FRAME);
    expect(part!.length).toBeLessThan(30);
    expect(lengthPx(part!)).toBeCloseTo(10, 6);
  });
});
