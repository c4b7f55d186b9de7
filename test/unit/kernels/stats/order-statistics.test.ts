import { expect, test } from 'vitest';
import { gini, median } from '../../../../shared/kernels/stats/order-statistics.ts';

test.each([
  [[], null],
  [[7], 7],
  [[1, 2], 1.5],
  [[1, 2, 10], 2],
  [[1, 2, 4, 10], 3],
])('the median of %j is %j', (values, expected) => {
  expect(median(Float64Array.from(values))).toBe(expected);
});

test.each([
  [[], null],
  [[7], null],
  [[5, 5, 5], 0],
  [[1, 3], 25],
  // 100 * (2 * (1 + 4 + 9 + 16 + 25) / (5 * 15) - 6 / 5)
  [[1, 2, 3, 4, 5], 26.666666666666668],
])('the Gini coefficient of %j is %j', (values, expected) => {
  expect(gini(Float64Array.from(values))).toBe(expected);
});

test('a range of a larger array is a sample of its own', () => {
  const buffer = Float64Array.of(99, 1, 3, 0);
  expect(median(buffer, 1, 3)).toBe(2);
  expect(gini(buffer, 1, 3)).toBe(25);
});
