import { median, sum } from 'simple-statistics';
import { biasInterval, middle90, type Range, randomIndices, studyRatios } from './ratio-study.ts';

/** Minimum number of sales for a vertical equity indicator. */
const LEAST_SALES = 20;

/**
 * Modified Kakwani index (C. Quintos, A Gini Measure for Vertical Equity in Property Assessments, 2020): the
 * Gini coefficient of the estimates in order of price, divided by that of the prices. A value below 1 means
 * that expensive land is undervalued. @returns null if all prices are equal
 */
export function modifiedKakwani(estimates: readonly number[], prices: readonly number[]): number | null {
  const order = Array.from(prices.keys()).sort((a, b) => prices[a]! - prices[b]!);
  const ofPrices = concentration(order.map(i => prices[i]!));
  return ofPrices > 0 ? concentration(order.map(i => estimates[i]!)) / ofPrices : null;
}

/**
 * The Gini coefficient of ascending values. For values in any other order, this is called the concentration
 * index.
 */
function concentration(values: number[]): number {
  const weighted = sum(values.map((value, i) => (i + 1) * value));
  return ((2 * weighted) / sum(values) - (values.length + 1)) / values.length;
}

/**
 * Vertical equity indicator in percent (IAAO, Standard on Ratio Studies, exposure draft 2025, section 8.2.1):
 * the difference between the median ratios of the most and the least valuable groups. A value below -10 means
 * that expensive land is undervalued. Group sizes differ by up to one sale, as in the draft's table 4.
 * @returns null if there are fewer than 20 sales
 */
export function verticalEquity(estimates: readonly number[], prices: readonly number[]): number | null {
  const sales = prices.length;
  if (sales < LEAST_SALES) return null;
  const ratios = prices.map((price, i) => estimates[i]! / price);
  const all = median(ratios);
  const worth = prices.map((price, i) => price / 2 + estimates[i]! / all / 2);
  const ordered = Array.from(ratios.keys())
    .sort((a, b) => worth[a]! - worth[b]!)
    .map(i => ratios[i]!);
  const groups = sales <= 50 ? 2 : sales <= 500 ? 4 : 10;
  const first = ordered.slice(0, Math.round(sales / groups));
  const last = ordered.slice(Math.round((sales * (groups - 1)) / groups));
  return (100 * (median(last) - median(first))) / all;
}

/**
 * Tests whether a ratio is within three interquartile ranges of the quartiles (IAAO, Standard on Ratio
 * Studies, April 2013, appendix B). The quartiles are at (n + 1) / 4 and three times that.
 */
export function isNoOutlier(ratios: readonly number[]): (ratio: number) => boolean {
  const sorted = ratios.toSorted((a, b) => a - b);
  const quartile = (share: number) => {
    const at = Math.min(Math.max(share * (sorted.length + 1) - 1, 0), sorted.length - 1);
    const below = sorted[Math.floor(at)]!;
    return below + (at % 1) * (sorted[Math.ceil(at)]! - below);
  };
  const [low, high] = [quartile(0.25), quartile(0.75)];
  const reach = 3 * (high - low);
  return ratio => ratio >= low - reach && ratio <= high + reach;
}

/** The figures of a study. Each is null if there are too few sales. */
export type EquityFigures = {
  median_ratio: number | null;
  cod: number | null;
  prd: number | null;
  prb: number | null;
  mki: number | null;
  vei: number | null;
};

/**
 * @param n number of sales, excluding outliers
 * @param intervals the middle 90% of each figure's resamples
 * @param prb_by_chance the PRB of unbiased values with equally large errors
 */
export type EquityStudy = EquityFigures & {
  n: number;
  outliers: number;
  prb_by_chance: Range | null;
  intervals: Record<keyof EquityFigures, Range | null>;
};

const RESAMPLES = 500;

/** Runs a ratio study, excluding outliers. @param estimates positive, in the order of `prices` */
export function studyEquity(estimates: readonly number[], prices: readonly number[]): EquityStudy {
  const ratios = prices.map((price, i) => estimates[i]! / price);
  const fits = isNoOutlier(ratios);
  const kept = Array.from(ratios.keys()).filter(i => fits(ratios[i]!));
  const own = kept.map(i => estimates[i]!);
  const paid = kept.map(i => prices[i]!);
  const figures = figuresOf(own, paid);
  const random = randomIndices(kept.length);
  const resamples = Array.from({ length: kept.length > 1 ? RESAMPLES : 0 }, () => {
    const drawn = Array.from(random());
    return figuresOf(
      drawn.map(i => own[i]!),
      drawn.map(i => paid[i]!),
    );
  });
  const intervals = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => {
      const values = resamples.flatMap(resample => resample[name as keyof EquityFigures] ?? []);
      const sorted = Float64Array.from(values).sort();
      return [name, value === null || sorted.length === 0 ? null : middle90(sorted)];
    }),
  ) as EquityStudy['intervals'];
  return {
    n: kept.length,
    outliers: prices.length - kept.length,
    ...figures,
    prb_by_chance: biasInterval(own, paid),
    intervals,
  };
}

function figuresOf(estimates: readonly number[], prices: readonly number[]): EquityFigures {
  const study = studyRatios(estimates, prices);
  return {
    median_ratio: study?.medianRatio ?? null,
    cod: study?.cod ?? null,
    prd: study?.prd ?? null,
    prb: study?.prb ?? null,
    mki: study === null ? null : modifiedKakwani(estimates, prices),
    vei: verticalEquity(estimates, prices),
  };
}
