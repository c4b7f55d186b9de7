import { median } from '../stats/order-statistics.ts';
import { deviationOf, insert, medianDeviation, medianVariance, remove } from './robust.ts';
import { type Estimate, type Regional, regional, shrink } from './shrink.ts';

/**
 * What the estimates of a county's latest sales were off by, as ln(estimate / price): a trend follows the market with a lag.
 * The median of the last year's errors, drawn to the state, the nation and none by its standard error; what may be chance is
 * left out.
 */
export type Lags = Regional<number>;

/** Errors of past estimates, the latest first. */
export type PastErrors = { counties: number[]; days: number[]; errors: number[] };

/** Sales of so many days up to the model's tell the lag; no older ones, however few there are. */
export const LAG_DAYS = 365;
/** Of a county; with errors of 50 % the lag of so many has a standard error of 3 %. */
export const MOST_LAG_SALES = 400;
/** Standard deviation of the errors before any is known: sales of raw land are within 50 % of one another. */
const PRIOR_DEVIATION = 0.5;
/** Without a sale: the whole nation's market moves by no more than 6 % beside its trend in 19 of 20 years. */
const NONE: Estimate = { value: 0, variance: 0.03 ** 2 };
/**
 * A state's market moves beside the nation's, and a county's beside its state's, by a standard deviation of at least so much a
 * year: two counties that agree by chance must not be believed to be one market, nor one to speak for all others.
 */
const LEAST_BETWEEN = 0.1 ** 2;

/** Errors of a county, the earliest first, and those of its year in ascending order. */
type Past = {
  days: number[];
  errors: number[];
  start: number;
  end: number;
  year: Float64Array;
  estimate: Estimate | null;
};

/** @returns the lags as they were known at the end of a day; to be asked for days that never go back */
export function createLags({ counties, days, errors }: PastErrors): (day: number) => Lags {
  const pasts = new Map<number, Past>();
  for (let i = errors.length - 1; i >= 0; i--) {
    let past = pasts.get(counties[i]!);
    if (past === undefined) {
      past = {
        days: [],
        errors: [],
        start: 0,
        end: 0,
        year: new Float64Array(MOST_LAG_SALES),
        estimate: null,
      };
      pasts.set(counties[i]!, past);
    }
    past.days.push(days[i]!);
    past.errors.push(errors[i]!);
  }
  return day => {
    const estimates = new Map<number, Estimate>();
    for (const [county, past] of pasts) {
      moveTo(past, day);
      if (past.estimate !== null) estimates.set(county, past.estimate);
    }
    return regional(shrink(estimates, NONE, LEAST_BETWEEN), withoutChance);
  };
}

/** What is left of a figure without what may be chance: the positive part of W. James and C. Stein, 1961. */
function withoutChance({ value, variance }: Estimate): number {
  return value ** 2 <= variance ? 0 : value * (1 - variance / value ** 2);
}

/** Estimates anew only where a sale has come or grown too old. */
function moveTo(past: Past, day: number): void {
  const { days, errors, start, end, year } = past;
  const size = () => past.end - past.start;
  for (; past.end < days.length && days[past.end]! <= day; past.end++) {
    if (size() === MOST_LAG_SALES) drop();
    insert(year, size(), errors[past.end]!);
  }
  while (past.start < past.end && days[past.start]! <= day - LAG_DAYS) drop();
  if (past.start === start && past.end === end) return;
  const value = median(year, 0, size());
  if (value === null) past.estimate = null;
  else {
    const deviation = deviationOf(medianDeviation(year, size(), value), size(), PRIOR_DEVIATION);
    past.estimate = { value, variance: medianVariance(deviation, size()) };
  }

  function drop(): void {
    remove(year, size(), errors[past.start]!);
    past.start++;
  }
}
