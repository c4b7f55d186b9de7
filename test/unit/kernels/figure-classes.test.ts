import { expect, test } from 'vitest';
import { classifyFifths, roundNumber } from '../../../shared/kernels/figure-classes.ts';

test.each([
  [8344, 8_000],
  [4_911.5, 5_000],
  [12_400, 10_000],
  [13_000, 15_000],
  [0.37, 0.4],
  [0.0123, 0.01],
  [0, 0],
  [99, 100],
])('%d is about %d', (value, about) => {
  expect(roundNumber(value)).toBe(about);
});

test.each([
  ['nothing', [], { breaks: [], counts: [] }],
  ['one figure', [7], { breaks: [6], counts: [0, 1] }],
  ['figures that are all the same', [5, 5, 5, 5], { breaks: [5], counts: [0, 4] }],
  [
    'a tenth each',
    [10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
    { breaks: [20, 40, 60, 80], counts: [1, 2, 2, 2, 3] },
  ],
  ['any order', [100, 1, 60, 30, 2], { breaks: [1, 2, 30, 60], counts: [0, 1, 1, 1, 2] }],
])('classes of %s', (_, figures, classes) => {
  expect(classifyFifths(Float64Array.from(figures))).toEqual(classes);
});
