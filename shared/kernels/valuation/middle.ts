import { median } from '../stats/order-statistics.ts';

/** Standard error of a median of normal values, by their standard deviation over the root of their number. */
const MEDIAN_SE = 1.2533;
/** Standard deviation of normal values by their median absolute deviation. */
export const MAD_TO_SD = 1.4826;
/** What a standard deviation that is expected beforehand is worth in values: a few equal ones must not be believed. */
const PRIOR_VALUES = 10;

/** The median of values in any order; null of nothing. */
export function middleOf(values: Iterable<number>): number | null {
  return median(Float64Array.from(values).sort());
}

/** Distances of values from their median. */
export function fromMiddle(values: readonly number[]): number[] {
  const middle = middleOf(values) ?? 0;
  return values.map(value => Math.abs(value - middle));
}

/** Robust standard deviation by the median distance from the median, drawn to the one that is expected of few values. */
export function deviationOf(distance: number, count: number, expected: number): number {
  const free = Math.max(0, count - 1);
  const own = MAD_TO_SD * distance;
  return Math.sqrt((free * own ** 2 + PRIOR_VALUES * expected ** 2) / (free + PRIOR_VALUES));
}

/** The square of the standard error of the median of so many values. */
export function medianVariance(deviation: number, count: number): number {
  return (MEDIAN_SE * deviation) ** 2 / count;
}
