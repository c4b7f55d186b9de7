import { describe, expect, test } from 'vitest';
import {
  FEATURE_COUNT,
  fitScale,
  PRIOR_ERROR_SIZE,
  scaleOf,
} from '../../../../shared/kernels/valuation/scale.ts';
import { createRandom } from '../../../bench/generate/random.ts';
import { normal } from '../../../support/sales.ts';

/** Estimates with random features, and errors whose mean size is 0.4 x e^(slope x second feature). */
function generate(count: number, seed: number, slope: number) {
  const random = createRandom(seed);
  const rows = Array.from({ length: count }, () =>
    Float64Array.from({ length: FEATURE_COUNT }, (_, i) => (i === 0 ? 1 : normal(random))),
  );
  // The mean of |x| of a normal distribution is its deviation times the root of 2 / pi.
  const errors = rows.map(row => 0.4 * Math.sqrt(Math.PI / 2) * Math.exp(slope * row[1]!) * normal(random));
  return { rows, errors };
}

const spreadOf = (coefficients: readonly number[]) => Math.hypot(...coefficients.slice(1));

describe('the expected size of errors', () => {
  test('follows a feature that foretells it', () => {
    const { rows, errors } = generate(2_000, 1, 0.5);
    const { coefficients, heldOut } = fitScale(rows, errors, PRIOR_ERROR_SIZE);
    expect(coefficients[1]).toBeCloseTo(0.5, 1);
    expect(spreadOf(coefficients.toSpliced(1, 1))).toBeLessThan(0.1);
    const mean = errors.reduce((sum, error, i) => sum + Math.abs(error) / heldOut[i]!, 0) / errors.length;
    expect(mean).toBeCloseTo(1, 1);
  });

  test('is one size for all where features of a hundred errors say nothing of it', () => {
    const spreads = Array.from({ length: 20 }, (_, seed) => {
      const { rows, errors } = generate(100, seed, 0);
      const { coefficients } = fitScale(rows, errors, PRIOR_ERROR_SIZE);
      expect(Math.exp(coefficients[0]!)).toBeGreaterThan(0.3);
      expect(Math.exp(coefficients[0]!)).toBeLessThan(0.55);
      return spreadOf(coefficients);
    });
    // A regression on four features and a hundred errors finds 0.22 by chance: the root of 4 x 1.23 / 100.
    expect(spreads.reduce((sum, one) => sum + one, 0) / 20).toBeLessThan(0.11);
  });

  test('is learned for each error from the others', () => {
    const { rows, errors } = generate(100, 3, 0.3);
    const changed = errors.with(7, 1e6);
    const [before, after] = [
      fitScale(rows, errors, PRIOR_ERROR_SIZE),
      fitScale(rows, changed, PRIOR_ERROR_SIZE),
    ];
    expect(after.heldOut[50]).not.toBe(before.heldOut[50]);
    // But for the common factor and the mixture, which all of them make.
    expect(after.heldOut[7]! / after.heldOut[8]!).toBeLessThan(3);
    expect(after.heldOut[7]! / after.heldOut[8]!).toBeGreaterThan(1 / 3);
  });

  test('is a guess where there is no error yet', () => {
    const { coefficients, heldOut } = fitScale([], [], PRIOR_ERROR_SIZE);
    expect(heldOut).toHaveLength(0);
    expect(
      scaleOf(
        coefficients,
        Float64Array.from({ length: FEATURE_COUNT }, () => 1),
      ),
    ).toBeCloseTo(0.5, 9);
  });
});
