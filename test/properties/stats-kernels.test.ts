import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { minusMonths } from '../../shared/kernels/stats/calendar.ts';
import { createStatsEncoder } from '../../shared/kernels/stats/encode-stats.ts';
import { groupRows } from '../../shared/kernels/stats/group-rows.ts';
import { gini, median } from '../../shared/kernels/stats/order-statistics.ts';
import { round2 } from '../../shared/kernels/stats/rounding.ts';
import { sortKeys, sortTagged } from '../../shared/kernels/stats/sorting.ts';
import { METRIC_COUNT } from '../../shared/kernels/stats/stats-table.ts';
import { exactly, roundDecimal } from '../support/decimal.ts';
import { dateOf, dayOf } from '../support/listing-columns.ts';
import { giniCoefficient, middle, monthsBefore } from '../support/plain-stats.ts';

/** Neighbours of x: some units in the last place up or down. */
function nudge(x: number, ulps: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(ulps));
  return view.getFloat64(0);
}

describe('round2', () => {
  const runs = { numRuns: 5000 };

  test('is the rounding of the 15-digit decimal, for any amount below 1e12', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), x => {
        expect(round2(x)).toBe(roundDecimal(exactly(x)));
      }),
      runs,
    );
  });

  test('decides ties and their neighbours by the decimal', () => {
    const tie = fc.integer({ min: 0, max: 9 }).chain(digits => fc.integer({ min: 0, max: 10 ** digits }));
    fc.assert(
      fc.property(tie, fc.integer({ min: -60, max: 60 }), (hundredths, ulps) => {
        const x = nudge(Number(`${hundredths}5e-3`), ulps);
        expect(round2(x)).toBe(roundDecimal(exactly(x)));
      }),
      { numRuns: 20_000 },
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
  const ascending = (values: number[]) => Float64Array.from(values).sort();
  const rounded = (value: number | null) => (value === null ? null : round2(value));

  test.each([
    ['doubles', sample],
    ['small integers, where exact ties are common', integers],
  ])('median and gini of %s are the exact ones', (_, values) => {
    fc.assert(
      fc.property(values, list => {
        const expectedMedian = middle(list);
        const expectedGini = giniCoefficient(list);
        expect(rounded(median(ascending(list)))).toBe(expectedMedian && roundDecimal(expectedMedian));
        expect(rounded(gini(ascending(list)))).toBe(expectedGini && roundDecimal(expectedGini));
      }),
      { numRuns: 1000 },
    );
  });

  test('gini is 0 of equal values, below 100 always, and the same in any currency', () => {
    fc.assert(
      fc.property(sample, fc.integer({ min: 2, max: 50 }), (list, times) => {
        const value = gini(ascending(list));
        if (value !== null) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThan(100);
          expect(gini(ascending(list.map(x => 4 * x)))).toBe(value);
        }
        if (list.length > 0) expect(gini(new Float64Array(times).fill(list[0]!))).toBe(0);
      }),
    );
  });

  test('the sorts sort, and tags stay with their keys', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 300, size: 'max' }), list => {
        const keys = Float64Array.from(list);
        sortKeys(keys, keys.length);
        expect(keys).toEqual(ascending(list));

        const data = { keys: Float64Array.from(list), tags: Uint8Array.from(list.keys()) };
        const spare = { keys: new Float64Array(list.length), tags: new Uint8Array(list.length) };
        const sorted = sortTagged(data, spare, list.length);
        const expected = [...list.entries()].sort(([i, a], [j, b]) => a - b || i - j);
        expect([...sorted.keys]).toEqual(expected.map(([, key]) => key));
        expect([...sorted.tags]).toEqual(expected.map(([row]) => row % 256));
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
    { numRuns: 2000 },
  );
});

test('groupRows lists the rows of each code', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -2, max: 12 })), codes => {
      const groups = groupRows(Int32Array.from(codes));
      const distinct = [...new Set(codes)].filter(code => code >= 0).sort((a, b) => a - b);
      expect([...groups.codes]).toEqual(distinct);
      distinct.forEach((code, group) => {
        const rows = groups.rows.subarray(groups.starts[group], groups.starts[group + 1]);
        expect([...rows]).toEqual([...codes.keys()].filter(row => codes[row] === code));
      });
    }),
  );
});

test('the encoder writes any table, names and fields as JSON.stringify does', () => {
  const hundredths = fc.oneof(
    fc.constant(Number.NaN),
    fc.integer({ min: -1000, max: 1000 }),
    fc.integer({ min: 0, max: 2 ** 34 }),
    fc.maxSafeInteger(),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: METRIC_COUNT, maxLength: METRIC_COUNT }),
      fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
      fc.array(hundredths, { minLength: 3 * METRIC_COUNT, maxLength: 3 * METRIC_COUNT }),
      fc.uint8Array({ minLength: 3, maxLength: 3, max: 1 }),
      fc.dictionary(fc.string(), fc.option(fc.string({ unit: 'grapheme' })), { noNullPrototype: true }),
      (names, labels, values, filled, fields) => {
        // Keys such as "1" or "__proto__" would be reordered or lost in a plain object.
        const keys = names.map(name => `k${name}`);
        const prefixed = Object.fromEntries(Object.entries(fields).map(([key, value]) => [`f${key}`, value]));
        const cell = (h: number) => (Number.isNaN(h) ? null : h / 100);
        const stats = labels.flatMap((type, b) => {
          if (filled[b] === 0) return [];
          const data = Object.fromEntries(keys.map((key, k) => [key, cell(values[b * METRIC_COUNT + k]!)]));
          return [{ type, data }];
        });
        const bytes = createStatsEncoder(labels, keys)(prefixed, {
          filled,
          hundredths: Float64Array.from(values),
        });
        expect(new TextDecoder().decode(bytes)).toBe(JSON.stringify({ ...prefixed, stats }));
      },
    ),
  );
});
