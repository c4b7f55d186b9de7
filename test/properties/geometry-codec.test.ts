import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBoundary, encodeBoundary } from '../../shared/geo/codec.ts';
import type { MultiPolygon, Ring } from '../../shared/geo/types.ts';
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

test('a boundary survives storage to half of 1e-7 degrees, part by part and ring by ring', () => {
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
    { numRuns: 500 },
  );
});

test('bytes cut short anywhere are refused', () => {
  fc.assert(
    fc.property(parcels(5, 500), fc.nat(), (polygon, at) => {
      const bytes = encodeBoundary([polygon] satisfies MultiPolygon);
      expect(() => decodeBoundary(bytes.subarray(0, at % bytes.length))).toThrow(/boundary bytes/);
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
