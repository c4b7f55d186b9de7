import { MAX_LAND_FACTOR } from './land-effects.ts';
import { shrinkToZero } from './shrink.ts';

/**
 * The county assessor's opinion of the land before it was sold: how far its ln(assessed land value) was above
 * that of other land of the same size on the roll. The weight of the opinion relative to the comps is fitted
 * to past sales, each valued as of the day before.
 */

/** The largest adjustment to a comp, as a logarithm. */
const MAX_MOVE = Math.log(MAX_LAND_FACTOR);

/**
 * The assessor's opinion of the subject minus that of the comp; NaN if either isn't assessed. The difference
 * is bounded, because land under current-use valuation is assessed at almost nothing.
 */
export function opinionDifference(subject: number, comp: number): number {
  return Math.max(-MAX_MOVE, Math.min(MAX_MOVE, subject - comp));
}

/** Prior variance of errors: sales of raw land are within 50% of one another. */
const PRIOR_VARIANCE = 0.5 ** 2;
const PRIOR_SALES = 10;

/** A weight within two standard errors of 0 counts as 0. */
const MIN_Z_SQUARED = 2 ** 2;
const MAX_WEIGHT = 1;

/**
 * Regresses errors on how far the assessor's opinions of the comps are below that of the subject.
 * @param errors ln(estimate / price)
 * @param apart weighted mean opinion differences of each sale and its comps, 0 if unknown
 * @returns the weight, 0 to 1
 */
export function opinionWeight(errors: readonly number[], apart: readonly number[]): number {
  let [n, x, y, xx, xy, yy] = [0, 0, 0, 0, 0, 0];
  for (const [i, dx] of apart.entries()) {
    if (dx === 0) continue;
    const dy = -errors[i]!;
    n++;
    x += dx;
    y += dy;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const spread = n === 0 ? 0 : xx - x ** 2 / n;
  if (spread <= 0) return 0;
  const together = xy - (x * y) / n;
  const left = Math.max(0, yy - y ** 2 / n - together ** 2 / spread);
  const variance = (left + PRIOR_SALES * PRIOR_VARIANCE) / (n + PRIOR_SALES) / spread;
  const weight = shrinkToZero({ value: together / spread, variance: MIN_Z_SQUARED * variance });
  return Math.max(0, Math.min(MAX_WEIGHT, weight));
}
