import { describe, expect, test } from 'vitest';
import { averageWith, neighborhoodShare } from '../../../../shared/kernels/valuation/neighborhood-share.ts';

/** Errors that alternate around 0. */
const errors = (count: number, size: number) =>
  Array.from({ length: count }, (_, i) => (i % 2 === 0 ? size : -size));

describe('the share of the neighborhood', () => {
  test('is one half without past sales, and hardly differs with a few', () => {
    expect(neighborhoodShare([], [])).toBe(0.5);
    expect(neighborhoodShare([0.3, -0.3], [Number.NaN, Number.NaN])).toBe(0.5);
    const few = neighborhoodShare(errors(4, 0.6), errors(4, 0.1));
    expect(few).toBeGreaterThan(0.5);
    expect(few).toBeLessThan(0.6);
  });

  test('follows the better one with many sales, from 0 to 1', () => {
    expect(neighborhoodShare(errors(2_000, 0.6), errors(2_000, 0))).toBeGreaterThan(0.95);
    expect(neighborhoodShare(errors(2_000, 0), errors(2_000, 0.6))).toBeLessThan(0.05);
    expect(neighborhoodShare(errors(2_000, 0.1), errors(2_000, 3))).toBeGreaterThanOrEqual(0);
    const opposite = neighborhoodShare(errors(2_000, 0.3), errors(2_000, -0.3));
    expect(opposite).toBeCloseTo(0.5, 6);
  });
});

test('an average without a neighborhood is the estimate by comps', () => {
  expect(averageWith(Number.NaN, 0.5, 2)).toBe(2);
  expect(averageWith(1, 0.25, 2)).toBe(1.75);
});
