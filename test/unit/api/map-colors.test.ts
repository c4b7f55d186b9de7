import { expect, test } from 'vitest';
import { roundNumber } from '../../../api/pages/map/map-colors.ts';

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
