/** How sure a figure of a sample is: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993. */

/** The middle 90 % of what resamples say. */
export type Range = { low: number; high: number };

const RESAMPLES = 2_000;
const SEED = 20_260_101;

/**
 * @param figure of a resample, given as indices drawn with replacement: the same indices in every run and for every figure
 * @returns the figure of each resample, ascending; nothing below two
 */
export function bootstrap(
  count: number,
  figure: (drawn: Int32Array) => number,
  resamples = RESAMPLES,
): Float64Array {
  if (count < 2) return new Float64Array();
  const random = randomIndices(count);
  return Float64Array.from({ length: resamples }, () => figure(random())).sort();
}

/** @param values ascending, at least one */
export function rangeOf(values: Float64Array): Range {
  const at = (share: number) => values[Math.floor(share * (values.length - 1))]!;
  return { low: at(0.05), high: at(0.95) };
}

/** A linear congruential generator (Numerical Recipes, 1992, ranqd1). */
function randomIndices(count: number): () => Int32Array {
  let state = SEED;
  const drawn = new Int32Array(count);
  return () => {
    for (let i = 0; i < count; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      drawn[i] = Math.floor((state / 2 ** 32) * count);
    }
    return drawn;
  };
}
