import { expect, test } from 'vitest';
import { minusMonths, utcDay } from '../../../shared/kernels/stats/calendar.ts';
import { gini, median } from '../../../shared/kernels/stats/region-stats.ts';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { dateOf, dayOf } from '../../support/listing-columns.ts';

test.each([
  [[], null],
  [[7], 7],
  [[1, 2], 1.5],
  [[1, 2, 10], 2],
  [[1, 2, 4, 10], 3],
])('the median of %j is %j', (values, expected) => {
  expect(median(values, x => x)).toBe(expected);
});

test.each([
  [[], null],
  [[7], null],
  [[5, 5, 5], 0],
  [[1, 3], 25],
  // 100 * (2 * (1 + 4 + 9 + 16 + 25) / (5 * 15) - 6 / 5)
  [[1, 2, 3, 4, 5], 26.666666666666668],
])('the Gini coefficient of %j is %j', (values, expected) => {
  expect(gini(values, x => x)).toBe(expected);
});

test.each([
  ['2025-09-28', 1, '2025-08-28'],
  ['2025-03-31', 1, '2025-02-28'],
  ['2024-03-31', 1, '2024-02-29'],
  ['2025-05-31', 3, '2025-02-28'],
  ['2025-08-31', 6, '2025-02-28'],
  ['2024-02-29', 12, '2023-02-28'],
  ['2025-01-15', 1, '2024-12-15'],
])('%s less %d months is %s', (date, months, expected) => {
  expect(dateOf(minusMonths(dayOf(date), months))).toBe(expected);
});

test('a day is in UTC, even before the epoch', () => {
  expect(utcDay(Date.parse('2025-09-28T23:59:59Z'))).toBe(dayOf('2025-09-28'));
  expect(utcDay(Date.parse('1969-12-31T23:59:59Z'))).toBe(-1);
});

test.each([
  [0, 0],
  [-0, 0],
  [2.5, 2.5],
  [1.005, 1.01],
  [1.00499999999999, 1],
  [33.333333333333336, 33.33],
  [66.66666666666667, 66.67],
  [0.125, 0.13],
  [-0.125, -0.13],
  [-1.005, -1.01],
  [-0.001, 0],
  [8.345, 8.35],
  [999_999_999.995, 1_000_000_000],
  [4_503_599_627_370.5, 4_503_599_627_370.5],
])('%d is %d to 2 decimals', (x, expected) => {
  expect(round2(x)).toBe(expected);
});
