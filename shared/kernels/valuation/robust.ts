import { median, medianAbsoluteDeviation } from 'simple-statistics';

/** Robust statistics of a market's prices, and windows of them that slide over the sales. */

/** Standard error of a median of normal values, by their standard deviation over the root of their number. */
const MEDIAN_SE = 1.2533;
/** Standard deviation of normal values by their median absolute deviation. */
export const MAD_TO_SD = 1.4826;
/**
 * What a standard deviation that is expected beforehand is worth in values: a few equal ones
 * must not be believed.
 */
const PRIOR_VALUES = 10;

/** The median of values in any order; null of nothing. */
export function medianOf(values: ArrayLike<number>): number | null {
  return values.length === 0 ? null : median(values as readonly number[]);
}

/** The median absolute deviation; null of nothing. */
export function madOf(values: ArrayLike<number>): number | null {
  return values.length === 0 ? null : medianAbsoluteDeviation(values as readonly number[]);
}

/** Standard deviation by the median absolute deviation, drawn to the one that is expected of few values. */
export function deviationOf(mad: number, count: number, expected: number): number {
  const free = Math.max(0, count - 1);
  const own = MAD_TO_SD * mad;
  return Math.sqrt((free * own ** 2 + PRIOR_VALUES * expected ** 2) / (free + PRIOR_VALUES));
}

/** The square of the standard error of the median of so many values. */
export function medianVariance(deviation: number, count: number): number {
  return (MEDIAN_SE * deviation) ** 2 / count;
}

/** Beyond 3.5 robust standard deviations a price is an outlier: B. Iglewicz, D. Hoaglin, ASQC 1993. */
export type Bound = { middle: number; spread: number };

const MOST_Z = 3.5;
const MAD_SHARE = 0.6745;

/** Fewer prices than this do not tell their spread. */
export const FEWEST = 15;
/** More say nothing more about a median. */
export const MOST = 100;
/**
 * Noise below this is no noise: identical prices a lot of one subdivision must not make all others outliers.
 */
const LEAST_MAD = 0.1;

const FEWEST_ALIKE = 3;
/**
 * Taken where fewer than 15 prices would tell it: a price is left out that is 13 times the
 * others', or a thirteenth.
 */
const FEW_SPREAD = 0.5;

/** By a median distance that is known. */
export const boundAt = (middle: number, distance: number): Bound => ({
  middle,
  spread: Math.max(LEAST_MAD, distance),
});

/** By prices of a market, in any order; null of fewer than three. */
export function boundOf(levels: ArrayLike<number> & Iterable<number>): Bound | null {
  if (levels.length < FEWEST_ALIKE) return null;
  const middle = medianOf(levels)!;
  if (levels.length < FEWEST) return { middle, spread: FEW_SPREAD };
  return boundAt(middle, madOf(levels)!);
}

/**
 * By the latest prices of other counties, the earliest first: however alike these are, the next county
 * may be dearer by far.
 */
export function boundElsewhere(levels: readonly number[]): Bound | null {
  const bound = boundOf(levels.slice(-MOST));
  return bound === null ? null : { ...bound, spread: Math.max(FEW_SPREAD, bound.spread) };
}

export function isBeyond(level: number, { middle, spread }: Bound): boolean {
  return (MAD_SHARE * Math.abs(level - middle)) / spread > MOST_Z;
}

/** Values in ascending order, the first `size` of a column, to and from which others come and go. */

/**
 * A window that slides is not sorted anew, and twelve prices are in order in a tenth of
 * TypedArray.sort's time.
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

/** Of ascending values from their median: the smallest half of the deviations, from the middle outwards. */
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
