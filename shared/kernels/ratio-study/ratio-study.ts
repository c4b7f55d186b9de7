import { linearRegression, mean, median, sum } from 'simple-statistics';

/**
 * Statistics used in assessors' ratio studies (IAAO, Standard on Ratio Studies, April 2013, sections 5.3 to
 * 5.6 and appendix B).
 */
export type RatioStudy = {
  sales: number;
  medianRatio: number;
  /** Median absolute error, in percent of the price. */
  mdape: number;
  /** Percent of estimates that are within this distance of the price. */
  within10: number;
  within20: number;
  within25: number;
  /** Coefficient of dispersion: mean absolute deviation from the median ratio, in percent of that median. */
  cod: number;
  /**
   * Price-related differential: mean ratio divided by price-weighted ratio. A value above 1.03 means that
   * expensive land is undervalued.
   */
  prd: number;
  /** Coefficient of price-related bias: the relative change in ratios when the value doubles. */
  prb: number;
};

/** @param estimates positive, in the order of `prices` @returns null if there are fewer than two sales */
export function studyRatios(estimates: readonly number[], prices: readonly number[]): RatioStudy | null {
  const sales = prices.length;
  if (sales < 2) return null;
  const ratios = prices.map((price, i) => estimates[i]! / price);
  const errors = ratios.map(ratio => Math.abs(ratio - 1));
  const medianRatio = median(ratios);
  const within = (share: number) =>
    (100 * prices.filter((price, i) => Math.abs(estimates[i]! - price) <= share * price).length) / sales;
  return {
    sales,
    medianRatio,
    mdape: 100 * median(errors),
    within10: within(0.1),
    within20: within(0.2),
    within25: within(0.25),
    cod: (100 * mean(ratios.map(ratio => Math.abs(ratio - medianRatio)))) / medianRatio,
    prd: mean(ratios) / (sum(estimates) / sum(prices)),
    prb: priceRelatedBias(estimates, prices, ratios, medianRatio),
  };
}

/** Fewer than RESAMPLES, because each resample requires a regression and a median. */
const BIAS_RESAMPLES = 500;

/**
 * The PRB of unbiased estimates with the same errors, resampled from the observed errors. It is below 0,
 * because if two parcels are equal, the one that sold for more has the lower ratio.
 * @returns null if there are fewer than two sales
 */
export function biasInterval(estimates: readonly number[], prices: readonly number[]): Range | null {
  const ratios = prices.map((price, i) => estimates[i]! / price);
  const medianRatio = ratios.length === 0 ? 1 : median(ratios);
  const values = bootstrap(
    ratios.length,
    drawn => {
      const drawnRatios = estimates.map((_, i) => ratios[drawn[i]!]! / medianRatio);
      const drawnPrices = estimates.map((estimate, i) => estimate / drawnRatios[i]!);
      return priceRelatedBias(estimates, drawnPrices, drawnRatios, median(drawnRatios));
    },
    BIAS_RESAMPLES,
  );
  return values.length === 0 ? null : middle90(values);
}

/**
 * Slope of log price on log estimate (J. Mincer, V. Zarnowitz, The Evaluation of Economic Forecasts, 1969). A
 * value above 1 means that expensive land is undervalued.
 * @returns null if there are fewer than three sales, or if all estimates are equal
 */
export function slopeOnEstimates(
  estimates: readonly number[],
  prices: readonly number[],
): ({ slope: number } & Range) | null {
  if (estimates.length < 3 || estimates.every(estimate => estimate === estimates[0])) return null;
  const points = estimates.map((estimate, i): [number, number] => [Math.log(estimate), Math.log(prices[i]!)]);
  const slope = linearRegression(points).m;
  const values = bootstrap(
    points.length,
    drawn => linearRegression(Array.from(drawn, i => points[i]!)).m,
  ).filter(m => !Number.isNaN(m));
  return { slope, ...middle90(values) };
}

/**
 * Regresses the ratios' relative distance from their median on the base-2 logarithm of the mean of price and
 * estimate. With the price alone, every error would look like bias.
 */
function priceRelatedBias(
  estimates: readonly number[],
  prices: readonly number[],
  ratios: readonly number[],
  medianRatio: number,
): number {
  const values = prices.map((price, i) => Math.log2((price + estimates[i]! / medianRatio) / 2));
  const distances = ratios.map(ratio => (ratio - medianRatio) / medianRatio);
  const { m } = linearRegression(values.map((value, i) => [value, distances[i]!]));
  return Number.isFinite(m) ? m : 0;
}

/** The middle 90% of a statistic's resampled values. */
export type Range = { low: number; high: number };

const RESAMPLES = 2_000;
const SEED = 20_260_101;

/**
 * Bootstraps a statistic (B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993), with a fixed
 * seed.
 * @param figure the statistic of resampled indices
 * @returns its value for each resample, ascending; empty if there are fewer than two items
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
export function middle90(values: Float64Array): Range {
  const at = (share: number) => values[Math.floor(share * (values.length - 1))]!;
  return { low: at(0.05), high: at(0.95) };
}

/**
 * Draws the same indices every time, with a linear congruential generator (Numerical Recipes, 1992, ranqd1).
 */
export function randomIndices(count: number): () => Int32Array {
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
