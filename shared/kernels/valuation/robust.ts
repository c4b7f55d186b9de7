import { median, medianAbsoluteDeviation } from 'simple-statistics';

/** Robust statistics for a market's prices, including windows that slide over the sales. */

/** Standard error of the median of normal values, as a multiple of standard deviation / sqrt(n). */
const MEDIAN_SE = 1.2533;
/** Standard deviation of normal values, as a multiple of their median absolute deviation. */
export const MAD_TO_SD = 1.4826;
/**
 * Weight of the expected standard deviation, in values, so that a few equal values don't make the estimate 0.
 */
const PRIOR_VALUES = 10;

/** The median of values in any order; null if empty. */
export function medianOf(values: ArrayLike<number>): number | null {
  return values.length === 0 ? null : median(values as readonly number[]);
}

/** The median absolute deviation; null if empty. */
export function madOf(values: ArrayLike<number>): number | null {
  return values.length === 0 ? null : medianAbsoluteDeviation(values as readonly number[]);
}

/** Standard deviation estimated from the median absolute deviation, shrunk toward the expected one. */
export function deviationOf(mad: number, count: number, expected: number): number {
  const free = Math.max(0, count - 1);
  const own = MAD_TO_SD * mad;
  return Math.sqrt((free * own ** 2 + PRIOR_VALUES * expected ** 2) / (free + PRIOR_VALUES));
}

/** The squared standard error of the median of this many values. */
export function medianVariance(deviation: number, count: number): number {
  return (MEDIAN_SE * deviation) ** 2 / count;
}

/** A price beyond 3.5 robust standard deviations is an outlier (B. Iglewicz, D. Hoaglin, ASQC 1993). */
export type Bound = { middle: number; spread: number };

const MAX_Z = 3.5;
const MAD_SHARE = 0.6745;

/** With fewer prices, the spread can't be estimated. */
export const MIN_PRICES = 15;
/** More prices don't noticeably improve a median. */
export const MAX_PRICES = 100;
/**
 * Lower bound for the spread. Identical lot prices in one subdivision must not make all other prices
 * outliers.
 */
const MIN_MAD = 0.1;

const MIN_SAMPLE = 3;
/**
 * Spread assumed if there are fewer than MIN_PRICES prices. It excludes prices above 13 times the median or
 * below a thirteenth of it.
 */
const FEW_SPREAD = 0.5;

/** The bound for a known median and a known median distance from it. */
export const boundAt = (middle: number, distance: number): Bound => ({
  middle,
  spread: Math.max(MIN_MAD, distance),
});

/** The bound for a market's prices, in any order; null if there are fewer than three. */
export function boundOf(levels: ArrayLike<number> & Iterable<number>): Bound | null {
  if (levels.length < MIN_SAMPLE) return null;
  const middle = medianOf(levels)!;
  if (levels.length < MIN_PRICES) return { middle, spread: FEW_SPREAD };
  return boundAt(middle, madOf(levels)!);
}

/**
 * The bound for the latest prices in other counties, earliest first. The spread is at least FEW_SPREAD,
 * because counties differ.
 */
export function boundElsewhere(levels: readonly number[]): Bound | null {
  const bound = boundOf(levels.slice(-MAX_PRICES));
  return bound === null ? null : { ...bound, spread: Math.max(FEW_SPREAD, bound.spread) };
}

export function isOutlier(level: number, { middle, spread }: Bound): boolean {
  return (MAD_SHARE * Math.abs(level - middle)) / spread > MAX_Z;
}

/**
 * Inserts a value into the first `size` values, which are ascending. For twelve prices, this is ten times as
 * fast as TypedArray.sort.
 */
export function insert(sorted: Float64Array, size: number, value: number): void {
  let place = size;
  for (; place > 0 && sorted[place - 1]! > value; place--) sorted[place] = sorted[place - 1]!;
  sorted[place] = value;
}

export function remove(sorted: Float64Array, size: number, value: number): void {
  let place = 0;
  while (sorted[place] !== value) place++;
  for (; place + 1 < size; place++) sorted[place] = sorted[place + 1]!;
}

/** Median absolute deviation of ascending values, found from the middle outward. */
export function medianDeviation(sorted: Float64Array, size: number, middle: number): number {
  let above = size >> 1;
  let below = above - 1;
  let last = 0;
  let beforeLast = 0;
  for (let taken = 0; taken <= size >> 1; taken++) {
    beforeLast = last;
    const down = below < 0 ? Number.POSITIVE_INFINITY : middle - sorted[below]!;
    const up = above === size ? Number.POSITIVE_INFINITY : sorted[above]! - middle;
    if (down < up) {
      last = down;
      below--;
    } else {
      last = up;
      above++;
    }
  }
  return size % 2 === 1 ? last : (beforeLast + last) / 2;
}
