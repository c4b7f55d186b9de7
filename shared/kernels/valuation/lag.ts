import { median } from '../stats/region-stats.ts';
import { deviationOf, insert, medianDeviation, medianVariance, remove } from './robust.ts';
import { combined, type Estimate } from './shrink.ts';

/**
 * What the estimates of a county's latest sales were off by, as ln(estimate / price): a trend follows the market with a lag.
 * The median of the last year's errors, drawn to none by its standard error; what may be chance is left out.
 */

/** Errors of past estimates, the earliest first. */
export type PastErrors = { days: readonly number[]; errors: readonly number[] };

/** Sales of so many days up to the model's tell the lag; no older ones, however few there are. */
const LAG_DAYS = 365;
/** With errors of 50 % the lag of so many has a standard error of 3 %. */
const MOST_LAG_SALES = 400;
/** Standard deviation of the errors before any is known: sales of raw land are within 50 % of one another. */
const PRIOR_DEVIATION = 0.5;
/** Beside its trend a county's market moves by no more than 30 % in 19 of 20 years. */
const NONE: Estimate = { value: 0, variance: 0.15 ** 2 };

/** @returns the lag as it was known at the end of a day; to be asked for days that never go back */
export function createLag({ days, errors }: PastErrors): (day: number) => number {
  const year = new Float64Array(MOST_LAG_SALES);
  let start = 0;
  let end = 0;
  let lag = 0;
  const drop = () => remove(year, end - start, errors[start++]!);
  return day => {
    const [startBefore, endBefore] = [start, end];
    for (; end < days.length && days[end]! <= day; end++) {
      if (end - start === MOST_LAG_SALES) drop();
      insert(year, end - start, errors[end]!);
    }
    while (start < end && days[start]! <= day - LAG_DAYS) drop();
    if (start === startBefore && end === endBefore) return lag;
    const size = end - start;
    const value = median(year.subarray(0, size), price => price);
    if (value === null) lag = 0;
    else {
      const deviation = deviationOf(medianDeviation(year, size, value), size, PRIOR_DEVIATION);
      lag = withoutChance(combined(NONE, { value, variance: medianVariance(deviation, size) }));
    }
    return lag;
  };
}

/** What is left of a figure without what may be chance: the positive part of W. James and C. Stein, 1961. */
function withoutChance({ value, variance }: Estimate): number {
  return value ** 2 <= variance ? 0 : value * (1 - variance / value ** 2);
}
