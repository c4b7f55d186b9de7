import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  areaCells,
  type CellRing,
  coverCells,
  windowOf,
} from '../../shared/kernels/terrain/terrain-coverage.ts';
import { runs } from '../support/runs.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });

/**
 * Star-shaped outlines of 3 to 24 corners, 0.01 to 60 cells across, anywhere on a large grid, one
 * in two with a hole.
 */
const polygons = fc
  .record({
    x: fc.double({ min: -50_000, max: 500_000, noNaN: true }),
    y: fc.double({ min: -50_000, max: 500_000, noNaN: true }),
    size: fc.double({ min: Math.log(0.01), max: Math.log(60), noNaN: true }).map(Math.exp),
    corners: fc.array(fc.tuple(unit, unit), { minLength: 3, maxLength: 24 }),
    hole: fc.boolean(),
    // Corners on the lines and crossings of the grid, as those of parcels cut along it.
    snap: fc.boolean(),
    backwards: fc.boolean(),
  })
  .map(({ x, y, size, corners, hole, snap, backwards }) => {
    const around = (scale: number): CellRing => {
      const points = corners.map(([turn, reach], i): [number, number] => {
        const angle = (2 * Math.PI * (i + 0.9 * turn)) / corners.length;
        const radius = scale * (0.5 + 0.5 * reach);
        const at: [number, number] = [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
        return snap ? [Math.round(at[0]), Math.round(at[1])] : at;
      });
      if (backwards) points.reverse();
      return Float64Array.from([...points, points[0]!].flat());
    };
    // Eight corners and more hold the center; the hole's reach is less than the shell's least.
    return hole && !snap && corners.length >= 8 ? [around(size), around(size / 4)] : [around(size)];
  });

test('the fractions of a polygon add up to its area, none is below 0 or above 1', () => {
  fc.assert(
    fc.property(polygons, polygon => {
      const window = windowOf(polygon[0]!);
      const { fractions, stride } = coverCells(polygon, window);
      let sum = 0;
      for (let row = 0; row < window.rows; row++) {
        for (let column = 0; column < window.columns; column++) {
          const fraction = fractions[row * stride + column]!;
          expect(fraction >= 0 && fraction <= 1).toBe(true);
          sum += fraction;
        }
      }
      expect(Math.abs(sum - areaCells(polygon))).toBeLessThan(1e-7 * (1 + sum));
    }),
    { numRuns: runs(250) },
  );
});

test('each fraction is the area of the polygon clipped to its cell', () => {
  fc.assert(
    fc.property(polygons, fc.nat(), (polygon, pick) => {
      const window = windowOf(polygon[0]!);
      if (window.columns * window.rows === 0) return;
      const cell = pick % (window.columns * window.rows);
      const [column, row] = [cell % window.columns, Math.floor(cell / window.columns)];
      const { fractions, stride } = coverCells(polygon, window);
      const clipped = polygon.map(ring => clippedArea(ring, window.left + column, window.top + row));
      const expected = clipped[0]! - (clipped[1] ?? 0);
      expect(Math.abs(fractions[row * stride + column]! - expected)).toBeLessThan(1e-8);
    }),
    { numRuns: runs(250) },
  );
});

test('strips of rows give the same result as the whole', () => {
  fc.assert(
    fc.property(polygons, fc.integer({ min: 1, max: 9 }), (polygon, rows) => {
      const window = windowOf(polygon[0]!);
      const whole = coverCells(polygon, window);
      for (let top = 0; top < window.rows; top += rows) {
        const strip = { ...window, top: window.top + top, rows: Math.min(rows, window.rows - top) };
        const part = coverCells(polygon, strip);
        for (let i = 0; i < strip.rows * part.stride; i++) {
          if (i % part.stride >= window.columns) continue;
          expect(Math.abs(part.fractions[i]! - whole.fractions[top * whole.stride + i]!)).toBeLessThan(1e-9);
        }
      }
    }),
    { numRuns: runs(100) },
  );
});

/**
 * Area of a ring within one cell, by cutting it along the four sides in turn (Sutherland and Hodgman 1974).
 */
function clippedArea(ring: CellRing, left: number, top: number): number {
  let points: [number, number][] = [];
  for (let i = 2; i < ring.length; i += 2) points.push([ring[i]! - left, ring[i + 1]! - top]);
  for (const [axis, side, sign] of [
    [0, 0, 1],
    [0, 1, -1],
    [1, 0, 1],
    [1, 1, -1],
  ] as const) {
    const inside = (p: [number, number]) => sign * (p[axis] - side) >= 0;
    points = points.flatMap((to, i): [number, number][] => {
      const from = points.at(i - 1)!;
      if (inside(from) === inside(to)) return inside(to) ? [to] : [];
      const t = (side - from[axis]) / (to[axis] - from[axis]);
      const cut: [number, number] = [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])];
      return inside(to) ? [cut, to] : [cut];
    });
  }
  const sum = points.reduce((total, [x, y], i) => {
    const [x0, y0] = points.at(i - 1)!;
    return total + x0 * y - x * y0;
  }, 0);
  return Math.abs(sum) / 2;
}
