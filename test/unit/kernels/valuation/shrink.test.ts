import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Estimate, priorFromCounties } from '../../../../shared/kernels/valuation/shrink.ts';

const KNOWN: Estimate = { value: -0.5, variance: 0.25 };
const value = fc.double({ min: -2, max: 2, noNaN: true });
const estimate = fc.record({ value, variance: fc.double({ min: 0.001, max: 4, noNaN: true }) });
const counties = (values: readonly number[], variance: number, from = 33_001) =>
  new Map(values.map((value, i) => [from + 2 * i, { value, variance }]));

test('nothing is borrowed from a single other county', () => {
  fc.assert(
    fc.property(estimate, fc.constantFrom(33_003, 50_001), (other, county) => {
      expect(priorFromCounties(new Map([[33_001, other]]), county, KNOWN)).toEqual(KNOWN);
    }),
  );
  expect(priorFromCounties(new Map(), 33_001, KNOWN)).toEqual(KNOWN);
});

test('nothing is ever less sure than what is known of any county', () => {
  fc.assert(
    fc.property(fc.array(estimate, { maxLength: 12 }), others => {
      const all = new Map(others.map((one, i) => [(30 + (i % 3)) * 1000 + i, one]));
      expect(priorFromCounties(all, 31_999, KNOWN).variance).toBeLessThanOrEqual(KNOWN.variance);
    }),
  );
});

test('a value that many counties of a state share is expected in the next one, but hardly in another state', () => {
  const agreed = priorFromCounties(
    counties([0.31, 0.29, 0.3, 0.3, 0.32, 0.28, 0.3, 0.3], 0.001),
    33_099,
    KNOWN,
  );
  expect(agreed.value).toBeCloseTo(0.3, 1);
  expect(agreed.variance).toBeLessThan(0.01);
  const elsewhere = priorFromCounties(counties(new Array(8).fill(0.3), 0.001), 50_001, KNOWN);
  expect(elsewhere.variance).toBeGreaterThan(0.1);
});

test('counties that differ by more than their errors lend nothing', () => {
  const { variance } = priorFromCounties(counties([-2, -1, 1, 2], 0.001), 33_099, KNOWN);
  expect(variance).toBe(KNOWN.variance);
  // The same differences by chance are none.
  const chance = priorFromCounties(
    counties([0.1, 0.5, 0.3, 0.2, 0.4, 0.3, 0.1, 0.5, 0.3], 0.1),
    33_099,
    KNOWN,
  );
  expect(chance.variance).toBeLessThan(0.1);
});

test('states that agree lend to a state without sales', () => {
  const all = new Map(
    [20, 21, 22, 23, 24, 25, 26, 27].flatMap(s => [...counties([0.3, 0.3, 0.3, 0.3], 0.001, s * 1000 + 1)]),
  );
  const expected = priorFromCounties(all, 50_001, KNOWN);
  expect(expected.value).toBeCloseTo(0.3, 1);
  expect(expected.variance).toBeLessThan(0.05);
});
