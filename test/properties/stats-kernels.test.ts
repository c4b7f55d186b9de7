import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { minusMonths } from '../../shared/kernels/stats/calendar.ts';
import { gini, median } from '../../shared/kernels/stats/region-stats.ts';
import { round2 } from '../../shared/kernels/stats/rounding.ts';
import { exactly, roundDecimal } from '../support/decimal.ts';
import { dateOf, dayOf } from '../support/listing-columns.ts';
import { giniCoefficient, middle, monthsBefore } from '../support/plain-stats.ts';
import { runs as share } from '../support/runs.ts';

/** Neighbors of x: some units in the last place up or down. */
function nudge(x: number, ulps: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(ulps));
  return view.getFloat64(0);
}

describe('round2', () => {
  const runs = { numRuns: share(2000) };

  test('rounds the 15-digit decimal, for any amount below 1e12', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), x => {
        expect(round2(x)).toBe(roundDecimal(exactly(x)));
      }),
      runs,
    );
  });

  test('rounds ties and their neighbors by the decimal', () => {
    const tie = fc.integer({ min: 0, max: 9 }).chain(digits => fc.integer({ min: 0, max: 10 ** digits }));
    fc.assert(
      fc.property(tie, fc.integer({ min: -60, max: 60 }), (hundredths, ulps) => {
        const x = nudge(Number(`${hundredths}5e-3`), ulps);
        expect(round2(x)).toBe(roundDecimal(exactly(x)));
      }),
      { numRuns: share(5_000) },
    );
  });

  test('is symmetrical, and never -0', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), x => {
        expect(round2(-x)).toBe(0 - round2(x));
      }),
    );
  });
});

describe('samples', () => {
  const sample = fc.array(fc.double({ min: 0.01, max: 1e9, noNaN: true }), { maxLength: 60, size: 'max' });
  const integers = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 12 });
  const ascending = (values: number[]) => values.toSorted((a, b) => a - b);
  const same = (x: number) => x;
  const rounded = (value: number | null) => (value === null ? null : round2(value));

  test.each([
    ['doubles', sample],
    ['small integers, where exact ties are common', integers],
  ])('median and gini of %s are the exact ones', (_, values) => {
    fc.assert(
      fc.property(values, list => {
        const expectedMedian = middle(list);
        const expectedGini = giniCoefficient(list);
        expect(rounded(median(ascending(list), same))).toBe(expectedMedian && roundDecimal(expectedMedian));
        expect(rounded(gini(ascending(list), same))).toBe(expectedGini && roundDecimal(expectedGini));
      }),
      { numRuns: share(1000) },
    );
  });

  test('gini is 0 for equal values, always below 100, and the same in any currency', () => {
    fc.assert(
      fc.property(sample, fc.integer({ min: 2, max: 50 }), (list, times) => {
        const value = gini(ascending(list), same);
        if (value !== null) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThan(100);
          expect(gini(ascending(list.map(x => 4 * x)), same)).toBe(value);
        }
        if (list.length > 0) expect(gini(Array(times).fill(list[0]!), same)).toBe(0);
      }),
    );
  });
});

test('minusMonths agrees with the calendar', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: dayOf('1899-01-01'), max: dayOf('2101-12-31') }),
      fc.integer({ min: 0, max: 40 }),
      (day, months) => {
        expect(dateOf(minusMonths(day, months))).toBe(monthsBefore(dateOf(day), months));
      },
    ),
    { numRuns: share(2000) },
  );
});
