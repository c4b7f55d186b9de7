import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyCounties, classOf, colorsOf } from '../../../api/pages/parts/county-legend.tsx';

const usd = (value: number) => `$${value}`;

test('classes have about the same number of counties each, with their ranges', () => {
  const values = Array.from({ length: 100 }, (_, i) => 1_000 + 10 * i);
  expect(classifyCounties(values, usd)).toEqual([
    { from: Number.NEGATIVE_INFINITY, words: 'under $1200', counties: 20 },
    { from: 1_200, words: '$1200 – $1400', counties: 20 },
    { from: 1_400, words: '$1400 – $1600', counties: 20 },
    { from: 1_600, words: '$1600 – $1800', counties: 20 },
    { from: 1_800, words: '$1800 or more', counties: 20 },
  ]);
  expect(classifyCounties([30_634], usd)).toMatchObject([{ words: '$30634', counties: 1 }]);
  expect(classifyCounties([], usd)).toEqual([]);
});

test('every value is in one class, none is empty, and each has its own color', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e7, noNaN: true }), { minLength: 1 }), values => {
      const classes = classifyCounties(values, String);
      expect(classes.reduce((sum, { counties }) => sum + counties, 0)).toBe(values.length);
      expect(classes.every(({ counties }) => counties > 0)).toBe(true);
      expect(new Set(colorsOf(classes)).size).toBe(classes.length);
      for (const value of values) expect(classOf(classes, value)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('a range below zero is written without a dash, which would look like a second minus sign', () => {
  const values = Array.from({ length: 50 }, (_, i) => -25 + i);
  expect(classifyCounties(values, String).map(({ words }) => words)).toEqual([
    'under -15',
    '-15 to -5',
    '-5 to 5',
    '5 – 15',
    '15 or more',
  ]);
});
