import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeBoundary,
  decodeLines,
  encodeBoundary,
  encodeLines,
  toE7,
} from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position, Ring } from '../../shared/geo/geometry-types.ts';
import { runs } from '../support/runs.ts';
import { parcels } from './geometry-shapes.ts';

const worldRings: fc.Arbitrary<Ring> = fc
  .array(
    fc.tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true })),
    {
      minLength: 3,
      maxLength: 12,
    },
  )
  .map(ring => [...ring, ring[0]!]);

test('a stored boundary is accurate to half of 1e-7 degrees, part by part and ring by ring', () => {
  const shapes = fc.oneof(
    fc.array(parcels(5, 5000), { minLength: 1, maxLength: 4 }),
    fc.array(fc.array(worldRings, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  );
  fc.assert(
    fc.property(shapes, polygons => {
      const decoded = decodeBoundary(encodeBoundary(polygons));
      expect(decoded.map(p => p.length)).toEqual(polygons.map(p => p.length));
      for (const [i, polygon] of polygons.entries()) {
        for (const [j, ring] of polygon.entries()) expectWithin(ring, decoded[i]![j]!);
      }
      expect(decodeBoundary(encodeBoundary(decoded))).toEqual(decoded);
    }),
    { numRuns: runs(250) },
  );
});

const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
const position: fc.Arbitrary<Position> = fc.tuple(degrees(180), degrees(90));

/** Steps between nothing at all, less than the grid, a street's and half the world's. */
const step = fc.oneof(fc.constant(0), degrees(4e-8), degrees(1e-3), degrees(170));
const line: fc.Arbitrary<Position[]> = fc
  .tuple(position, fc.array(fc.tuple(step, step), { minLength: 1, maxLength: 12 }))
  .map(([start, steps]) => {
    const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));
    const path: Position[] = [start];
    for (const [lon, lat] of steps) {
      const [x, y] = path.at(-1)!;
      path.push([clamp(x + lon, 180), clamp(y + lat, 90)]);
    }
    return path;
  });
const lines = fc.array(line, { maxLength: 5 });

/**
 * What storage may leave of a line: its positions on the grid, each once in a row, and never fewer than two.
 */
function onGrid(path: Position[]): string[] {
  const cells = path.map(([lon, lat]) => `${toE7(lon) || 0} ${toE7(lat) || 0}`);
  const kept = cells.filter((cell, i) => i === 0 || cell !== cells[i - 1]);
  return kept.length === 1 ? [kept[0]!, kept[0]!] : kept;
}

test("stored lines are accurate to half of 1e-7 degrees, line by line, and don't change the second time", () => {
  fc.assert(
    fc.property(lines, given => {
      const decoded = decodeLines(encodeLines(given));
      expect(decoded.map(onGrid)).toEqual(given.map(onGrid));
      expect(decodeLines(encodeLines(decoded))).toEqual(decoded);
    }),
    { numRuns: runs(250) },
  );
});

test('truncated bytes are refused', () => {
  fc.assert(
    fc.property(parcels(5, 500), line, fc.nat(), (polygon, path, at) => {
      const boundary = encodeBoundary([polygon] satisfies MultiPolygon);
      expect(() => decodeBoundary(boundary.subarray(0, at % boundary.length))).toThrow(/boundary bytes/);
      const bytes = encodeLines([path]);
      expect(() => decodeLines(bytes.subarray(0, at % bytes.length))).toThrow(/line bytes/);
    }),
  );
});

/** Every position has its stored one, in order; only ones that fall together on the grid may be missing. */
function expectWithin(ring: Ring, stored: Ring): void {
  const near = (a: number, b: number) => Math.abs(a - b) <= 0.5e-7 + 1e-13;
  let at = 0;
  for (const [lon, lat] of ring.slice(0, -1)) {
    if (at < stored.length && near(stored[at]![0], lon) && near(stored[at]![1], lat)) at++;
    else expect([lon, lat].every((v, k) => near(stored[(at || stored.length) - 1]![k]!, v))).toBe(true);
  }
  expect(stored.at(-1)).toEqual(stored[0]);
}
