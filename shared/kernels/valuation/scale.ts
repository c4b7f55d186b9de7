import { mean } from 'simple-statistics';
import { invert, multiply } from './regress.ts';
import type { AdjustedComps } from './select.ts';
import type { Estimate } from './shrink.ts';

/**
 * The expected size of an estimate's error: a regression of ln |error| on features of the comps. It is shrunk
 * toward one size for all estimates unless it predicts held-out errors (A. C. Harvey, 1976; Y. Yao et al.,
 * 2018).
 */

/**
 * The features: a constant, the spread of adjusted prices, mean number of steps to the comps, 1 / number of
 * comps, steps to the nearest comp, and ln(estimate), because in most markets, cheap land is valued less
 * accurately.
 */
export const FEATURE_COUNT = 6;

export function featuresOf(
  chosen: AdjustedComps,
  { mean: logPpa, deviation }: { mean: number; deviation: number },
  logAcres: number,
  into: Float64Array,
): Float64Array {
  let mean = 0;
  for (let i = 0; i < chosen.count; i++) mean += chosen.steps[i]!;
  into[0] = 1;
  into[1] = Math.log(deviation + 0.1);
  into[2] = mean / chosen.count;
  into[3] = 1 / chosen.count;
  into[4] = chosen.steps[0]!;
  into[5] = logPpa + logAcres;
  return into;
}

/** Expected size (mean absolute value) of the error of an estimate from comps with these features. */
export function scaleOf(coefficients: readonly number[] | Float64Array, features: Float64Array): number {
  let log = 0;
  // Reports that were stored before the estimate became a feature have one coefficient fewer.
  for (let i = 0; i < coefficients.length; i++) log += coefficients[i]! * features[i]!;
  return Math.exp(log);
}

/**
 * For a Laplace distribution, the mean of ln |x| is below the logarithm of the mean of |x| by Euler's
 * constant.
 */
const EULER = 0.5772;
/** The variance of ln |x| of a Laplace distribution. */
const LOG_VARIANCE = Math.PI ** 2 / 6;
/** The prior has the weight of ten sales. Errors average 50%, as is usual for raw land. */
export const PRIOR_SALES = 10;
export const PRIOR_ERROR_SIZE: Estimate = {
  value: Math.log(0.5) - EULER,
  variance: LOG_VARIANCE / PRIOR_SALES,
};
/** Errors below 1% are due to chance. Without this limit, ln |error| would give them unlimited weight. */
const MIN_ERROR = 0.01;

/**
 * Ridge penalties, in sales, on features with mean 0 and variance 1. With an infinite penalty, one size
 * applies to all.
 */
const PENALTIES = [10, 40, 160, 640, Number.POSITIVE_INFINITY];
/** Consecutive sales share comps and the state of the market, so a fold is a period of time. */
const FOLDS = 10;

export type ScaleFit = {
  /**
   * Coefficients for `featuresOf`. The features weighted by them add up to the logarithm of the error's
   * expected size.
   */
  coefficients: number[];
  /** The expected size of each error, fitted without its fold. */
  heldOut: Float64Array;
};

const sizeOf = (error: number) => Math.log(Math.max(MIN_ERROR, Math.abs(error)));

/** The mean of ln |error|, from a county's own errors. */
export function sizeOfErrors(errors: readonly number[]): Estimate | null {
  if (errors.length === 0) return null;
  return { value: mean(errors.map(sizeOf)), variance: LOG_VARIANCE / errors.length };
}

/**
 * @param rows features, ordered by sale date @param errors ln(estimate / price)
 * @param expected prior mean of ln |error|
 */
export function fitScale(
  rows: readonly Float64Array[],
  errors: readonly number[],
  expected: Estimate,
): ScaleFit {
  const n = rows.length;
  const sizes = Float64Array.from(errors, sizeOf);
  const { center, unit } = standardsOf(rows);
  const standard = rows.map(row => row.map((value, i) => (i === 0 ? 1 : (value - center[i]!) / unit[i]!)));
  const folds = Math.min(FOLDS, n);
  // A handful of errors can't show what their size depends on.
  const penalties = n < FOLDS ? [Number.POSITIVE_INFINITY] : PENALTIES;
  const foldOf = (row: number) => Math.floor((row * folds) / n);
  const all = momentsOf(standard, sizes, 0, n);
  const solutions = Array.from({ length: folds }, (_, fold) => {
    const first = Math.ceil((fold * n) / folds);
    const foldMoments = momentsOf(standard, sizes, first, Math.ceil(((fold + 1) * n) / folds));
    return penalties.map(penalty => solveRidge(all, foldMoments, penalty, expected));
  });
  const logs = penalties.map((_, k) =>
    Float64Array.from(standard, (row, i) => dot(solutions[foldOf(i)]![k]!, row)),
  );
  const weights = softmax(logs.map(one => logLikelihood(one, errors)));
  const mixed = mix(
    penalties.map(penalty => solveRidge(all, null, penalty, expected)),
    weights,
  );
  const heldOut = Float64Array.from(rows, (_, i) =>
    Math.exp(weights.reduce((sum, weight, k) => sum + weight * logs[k]![i]!, 0)),
  );
  // Convert the mean logarithm to the mean size.
  let ratio = PRIOR_SALES * Math.exp(EULER);
  for (let i = 0; i < n; i++) ratio += Math.abs(errors[i]!) / heldOut[i]!;
  ratio /= n + PRIOR_SALES;
  const coefficients = Array.from(mixed, (value, i) => (i === 0 ? value : value / unit[i]!));
  for (let i = 1; i < FEATURE_COUNT; i++) coefficients[0]! -= coefficients[i]! * center[i]!;
  coefficients[0]! += Math.log(ratio);
  return { coefficients, heldOut: heldOut.map(size => size * ratio) };
}

function standardsOf(rows: readonly Float64Array[]) {
  const center = new Float64Array(FEATURE_COUNT);
  const unit = new Float64Array(FEATURE_COUNT);
  for (const row of rows) for (let i = 0; i < FEATURE_COUNT; i++) center[i]! += row[i]! / rows.length;
  for (const row of rows)
    for (let i = 0; i < FEATURE_COUNT; i++) unit[i]! += (row[i]! - center[i]!) ** 2 / rows.length;
  return { center: center, unit: unit.map(variance => (variance > 1e-12 ? Math.sqrt(variance) : 1)) };
}

/** Sums of products of the features, and of the features and sizes. */
type Moments = { normal: Float64Array[]; right: Float64Array };

function momentsOf(rows: readonly Float64Array[], sizes: Float64Array, first: number, end: number): Moments {
  const normal = Array.from({ length: FEATURE_COUNT }, () => new Float64Array(FEATURE_COUNT));
  const right = new Float64Array(FEATURE_COUNT);
  for (let at = first; at < end; at++) {
    const row = rows[at]!;
    for (let i = 0; i < FEATURE_COUNT; i++) {
      for (let j = 0; j < FEATURE_COUNT; j++) normal[i]![j]! += row[i]! * row[j]!;
      right[i]! += row[i]! * sizes[at]!;
    }
  }
  return { normal, right };
}

/** Ridge regression on `all` minus `without`. The constant is shrunk toward the expected value. */
function solveRidge(
  all: Moments,
  without: Moments | null,
  penalty: number,
  { value, variance }: Estimate,
): Float64Array {
  const normal = all.normal.map((row, i) => {
    const less = without?.normal[i];
    return less === undefined ? row.slice() : row.map((value, j) => value - less[j]!);
  });
  const right = all.right.map((value, i) => value - (without?.right[i] ?? 0));
  normal[0]![0]! += LOG_VARIANCE / variance;
  right[0]! += (LOG_VARIANCE / variance) * value;
  if (penalty === Number.POSITIVE_INFINITY)
    return right.map((value, i) => (i === 0 ? value / normal[0]![0]! : 0));
  for (let i = 1; i < FEATURE_COUNT; i++) normal[i]![i]! += penalty;
  return multiply(invert(normal), right);
}

/**
 * The log likelihood if errors have a Laplace distribution whose mean size is the predicted size times the
 * best-fitting factor.
 */
function logLikelihood(logs: Float64Array, errors: readonly number[]): number {
  let mean = 0;
  let sum = 0;
  for (let i = 0; i < logs.length; i++) {
    mean += Math.abs(errors[i]!) / Math.exp(logs[i]!) / logs.length;
    sum += logs[i]!;
  }
  return logs.length === 0 ? 0 : -sum - logs.length * Math.log(Math.max(mean, Number.MIN_VALUE));
}

function softmax(values: readonly number[]): number[] {
  const max = Math.max(...values);
  const parts = values.map(value => Math.exp(value - max));
  const total = parts.reduce((sum, part) => sum + part, 0);
  return parts.map(part => part / total);
}

function mix(vectors: readonly Float64Array[], weights: readonly number[]): Float64Array {
  return vectors[0]!.map((_, i) => vectors.reduce((sum, vector, k) => sum + weights[k]! * vector[i]!, 0));
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
