import type { Fitted } from './market.ts';
import { middleOf } from './middle.ts';
import { type Chosen, choose, combine, FEWEST_COMPS, newChosen } from './select.ts';

/**
 * How far off estimates are, learned from past sales that are valued with the sales known on the day before each. The
 * size of the error, ln(estimate / price), is regressed on what is known beforehand; errors over their expected size then
 * have one distribution, whose quantiles give intervals and the chance to be within 25 %.
 * (A split conformal predictor with a learned scale: J. Lei et al., Distribution-Free Predictive Inference for
 * Regression, 2018. The effects and the surface are those of the as-of day, the comps those of the day before.)
 */
export type Calibration = {
  /** Of `featuresOf`: their sum is the logarithm of the expected size of the error. */
  coefficients: readonly number[];
  /** What the latest estimates were off by, as ln(estimate / price); taken off every estimate, and of the errors here. */
  lag: number;
  /** Held-out errors over their expected size, ascending. */
  errors: readonly number[];
};

/** The latest sales that are valued. */
const MOST_HELD_OUT = 2_000;
/** Of the errors of so many sales the pooled guess below is worth as much. */
const PRIOR_SALES = 10;
/** What is believed of the errors before there are any: as large as those of raw land usually are. */
const PRIOR_SCALE = 0.5;
const RIDGE = 5;

/** A constant, the spread of the adjusted prices, the mean steps away, one over the number of comps, and steps to the nearest. */
export const FEATURES = 5;

export function featuresOf(chosen: Chosen, deviation: number, into: Float64Array): Float64Array {
  let mean = 0;
  for (let i = 0; i < chosen.count; i++) mean += chosen.steps[i]!;
  into[0] = 1;
  into[1] = Math.log(deviation + 0.1);
  into[2] = mean / chosen.count;
  into[3] = 1 / chosen.count;
  into[4] = chosen.steps[0]!;
  return into;
}

/** Expected size of the error of an estimate by comps with these features. */
export function scaleOf(coefficients: Calibration['coefficients'], features: Float64Array): number {
  let log = 0;
  for (let i = 0; i < FEATURES; i++) log += coefficients[i]! * features[i]!;
  return Math.exp(log);
}

export function calibrate(model: Fitted): Calibration {
  const { sales } = model;
  const latest = Int32Array.from(sales.day, (_, i) => i)
    .sort((a, b) => sales.day[b]! - sales.day[a]! || a - b)
    .subarray(0, MOST_HELD_OUT);
  const chosen = newChosen();
  const rows: Float64Array[] = [];
  const errors: number[] = [];
  const days: number[] = [];
  for (const sale of latest) {
    const subject = {
      lon: sales.lon[sale]!,
      lat: sales.lat[sale]!,
      acres: Math.exp(sales.logAcres[sale]!),
      county: sales.county[sale]!,
    };
    choose(model, subject, sales.day[sale]! - 1, sale, chosen);
    if (chosen.count < FEWEST_COMPS) continue;
    const { mean, deviation } = combine(chosen);
    rows.push(featuresOf(chosen, deviation, new Float64Array(FEATURES)));
    errors.push(mean - sales.logPpa[sale]!);
    days.push(sales.day[sale]!);
  }
  const lag = lagOf(errors, days, model.asOfDay);
  for (let i = 0; i < errors.length; i++) errors[i]! -= lag;
  const coefficients = [...regressScale(rows, errors)];
  const sized = errors.map((error, i) => error / scaleOf(coefficients, rows[i]!));
  return { lag, coefficients, errors: sized.sort((a, b) => a - b) };
}

/** The sales of this many days tell the lag, or the latest, where those are fewer. */
const LAG_DAYS = 365;
const LAG_SALES = 40;
/** Standard error of a median of normal values, by their median absolute deviation over the root of their number. */
const MEDIAN_SE = 1.2533 * 1.4826;

/**
 * The median of the latest errors, drawn to none by as much as it may be chance (W. James, C. Stein, 1961, positive part).
 * @param errors and their sales' days, the latest first
 */
function lagOf(errors: readonly number[], days: readonly number[], asOfDay: number): number {
  const latest = errors.filter((_, i) => i < LAG_SALES || days[i]! > asOfDay - LAG_DAYS);
  const lag = middleOf(latest) ?? 0;
  const spread = middleOf(latest.map(error => Math.abs(error - lag))) ?? 0;
  const chance = (MEDIAN_SE * spread) ** 2 / Math.max(1, latest.length);
  return lag === 0 ? 0 : lag * Math.max(0, 1 - chance / lag ** 2);
}

/** Ridge regression of ln |error| on the features; the constant is not drawn to 0 but to the guess. */
function regressScale(rows: readonly Float64Array[], errors: readonly number[]): Float64Array {
  const base = Math.log(PRIOR_SCALE);
  const matrix = Array.from({ length: FEATURES }, (_, i) =>
    Float64Array.from({ length: FEATURES + 1 }, (_, j) => (i === j ? (i === 0 ? PRIOR_SALES : RIDGE) : 0)),
  );
  const centre = new Float64Array(FEATURES);
  for (const row of rows) for (let i = 1; i < FEATURES; i++) centre[i]! += row[i]! / rows.length;
  for (const [at, row] of rows.entries()) {
    // An estimate that hit the price by chance says no more than one that was 1 % off.
    const size = Math.log(Math.max(0.01, Math.abs(errors[at]!))) - base;
    for (let i = 0; i < FEATURES; i++) {
      for (let j = 0; j < FEATURES; j++) matrix[i]![j]! += (row[i]! - centre[i]!) * (row[j]! - centre[j]!);
      matrix[i]![FEATURES]! += (row[i]! - centre[i]!) * size;
    }
  }
  const solved = solve(matrix);
  for (let i = 1; i < FEATURES; i++) solved[0]! -= solved[i]! * centre[i]!;
  solved[0]! += base;
  return solved;
}

/** Gauss elimination of a positive definite system; the last column is the right side. */
function solve(matrix: Float64Array[]): Float64Array {
  const n = matrix.length;
  for (let i = 0; i < n; i++) {
    for (let k = i + 1; k < n; k++) {
      const factor = matrix[k]![i]! / matrix[i]![i]!;
      for (let j = i; j <= n; j++) matrix[k]![j]! -= factor * matrix[i]![j]!;
    }
  }
  const x = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {
    let sum = matrix[i]![n]!;
    for (let j = i + 1; j < n; j++) sum -= matrix[i]![j]! * x[j]!;
    x[i] = sum / matrix[i]![i]!;
  }
  return x;
}

/** With fewer held-out errors the widest of them, and this many times the expected size, bound the interval. */
const FEW_ERRORS_WIDTH = 2;

/** The error, as ln(estimate / price), below which 10 % and above which 10 % of all estimates of this scale fall. */
export function interval({ errors }: Calibration, scale: number): { low: number; high: number } {
  const n = errors.length;
  // Conformal: the (n + 1) x 10 % smallest and largest.
  const rank = Math.floor((n + 1) * 0.1) - 1;
  if (rank < 0) return { low: -FEW_ERRORS_WIDTH * scale, high: FEW_ERRORS_WIDTH * scale };
  return { low: errors[rank]! * scale, high: errors[n - 1 - rank]! * scale };
}

/** Chance of |estimate - price| <= 25 % of the price. With few errors it is drawn to what the guess of their size says. */
export function chanceWithinQuarter({ errors }: Calibration, scale: number): number {
  const low = Math.log(0.75) / scale;
  const high = Math.log(1.25) / scale;
  const inside = firstAbove(errors, high) - firstAbove(errors, low);
  // Of errors with a Laplace distribution of mean size 1.
  const guessed = 1 - (Math.exp(low) + Math.exp(-high)) / 2;
  return (inside + PRIOR_SALES * guessed) / (errors.length + PRIOR_SALES);
}

function firstAbove(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
