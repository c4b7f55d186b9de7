import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acresTogether, type Land } from '../../../shared/kernels/acres-together.ts';

const unit = (acres: number, boundary: string | null = 'a', boundaryAcres = 2.5): Land => ({
  boundary,
  acres,
  boundaryAcres,
});
const times = (parcels: number, land: Land) => Array.from({ length: parcels }, () => land);

test.each([
  ['all of the land is stated for each unit', times(20, unit(2.5)), 2.5],
  ['each unit has its share', times(20, unit(0.1)), 2],
  ['more is stated than the boundary has', times(20, unit(3)), 3],
  ['parcels have no boundary', times(3, unit(1, null, 0)), 3],
  ['boundaries differ', [unit(2.5), unit(2.5, 'b')], 5],
  ['nothing is known', times(2, unit(0, null, 0)), 0],
])('land is counted once where %s', (_words, parcels, acres) => {
  expect(acresTogether(parcels)).toBeCloseTo(acres, 9);
});

test("is never less than the largest parcel, or more than all of them, and the order doesn't matter", () => {
  const land = fc.record({
    boundary: fc.constantFrom('a', 'b', null),
    acres: fc.integer({ min: 0, max: 50 }),
    boundaryAcres: fc.constant(7),
  });
  fc.assert(
    fc.property(fc.array(land, { minLength: 1 }), parcels => {
      const together = acresTogether(parcels);
      expect(together).toBeGreaterThanOrEqual(Math.max(...parcels.map(({ acres }) => acres)));
      expect(together).toBeLessThanOrEqual(parcels.reduce((sum, { acres }) => sum + acres, 0));
      expect(acresTogether(parcels.toReversed())).toBe(together);
    }),
  );
});
