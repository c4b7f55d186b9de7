import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toUnits } from '../../../shared/geo/units.ts';

test('a number of up to 7 decimals is its integer, however it is rounded; others keep a fraction', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }), e7 => {
      expect(toUnits(e7 / 1e7)).toBe(e7);
      expect(toUnits((e7 / 1e7) * (1 + Number.EPSILON))).toBe(e7);
    }),
    { numRuns: 2000 },
  );
  expect(toUnits(-72.12345675)).toBe(-721_234_567.5);
  expect(toUnits(0.1 + 0.2)).toBe(3_000_000);
});
