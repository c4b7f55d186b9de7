import { MAD_TO_SD, medianOf } from './robust.ts';
import type { Estimate } from './shrink.ts';

/**
 * Tuning constant that makes the regression 95% efficient under normal noise (P. J. Huber, Robust Statistics,
 * 1981).
 */
const HUBER = 1.345;
const ROUNDS = 20;
/** Number of pairs in which each sale is the first one. */
export const PAIRS_PER_SALE = 8;

/** Weight of the prior variance, in sales. Without it, two parameters fit two pairs exactly. */
const VARIANCE_PRIOR_SALES = 10;

export type Regression = {
  /**
   * One per column. The variance is infinite if the pairs don't determine the column, because its values are
   * all equal or it depends on earlier columns.
   */
  effects: Estimate[];
  /** Covariances of the effects. */
  covariances: Float64Array[];
  /** The variance of the residuals. */
  residual: number;
};

/** What to expect of the columns' effects: a precision matrix, and its product with their means. */
export type Prior = { precision: readonly Float64Array[]; weighted: Float64Array };

/** Huber regression without intercept. @param elsewhere prior variance of the residuals */
export function regress(
  y: Float64Array,
  columns: readonly Float64Array[],
  count: number,
  elsewhere: number,
  prior?: Prior,
): Regression {
  const size = columns.length;
  let effects: Float64Array = new Float64Array(size);
  let scale = Number.POSITIVE_INFINITY;
  let inverse: Float64Array[] = [];
  const residuals = new Float64Array(count);
  const shrunk = (of: number, known = 0) => {
    const free = Math.max(0, count / PAIRS_PER_SALE - known);
    return (free * of * of + VARIANCE_PRIOR_SALES * elsewhere) / (free + VARIANCE_PRIOR_SALES);
  };
  const table = tableOf(y, columns, count);
  let noise = elsewhere * PAIRS_PER_SALE;
  for (let round = 0; round < ROUNDS; round++) {
    const { normal, right } = normalOf(table, size, residuals, HUBER * scale);
    if (prior !== undefined) addPrior(prior, noise, normal, right);
    inverse = invert(normal);
    const next = multiply(inverse, right);
    const moved = next.reduce((sum, one, j) => sum + Math.abs(one - effects[j]!), 0);
    effects = next;
    subtract(table, effects, residuals);
    scale = Math.max(1e-9, MAD_TO_SD * (medianOf(residuals.map(Math.abs)) ?? 0));
    noise = PAIRS_PER_SALE * shrunk(scale);
    if (round > 0 && moved < 1e-9) break;
  }
  const known = prior === undefined ? inverse.filter((of, j) => of[j]! > 0).length : 0;
  const residual = shrunk(scale, known);
  // The pairs of one sale share its noise, so together they count as one pair.
  noise = residual * PAIRS_PER_SALE;
  return {
    residual,
    covariances: inverse.map(row => row.map(one => noise * one)),
    effects: inverse.map((of, j) =>
      of[j]! > 0
        ? { value: effects[j]!, variance: noise * of[j]! }
        : { value: 0, variance: Number.POSITIVE_INFINITY },
    ),
  };
}

function addPrior(
  { precision, weighted }: Prior,
  noise: number,
  normal: Float64Array[],
  right: Float64Array,
): void {
  for (const [j, row] of normal.entries()) {
    right[j]! += noise * weighted[j]!;
    for (let k = 0; k <= j; k++) row[k]! += noise * precision[j]![k]!;
  }
}

/** Row-major for locality: the columns, then y. */
function tableOf(y: Float64Array, columns: readonly Float64Array[], count: number): Float64Array {
  const width = columns.length + 1;
  const table = new Float64Array(count * width);
  for (const [j, column] of [...columns, y].entries())
    for (let i = 0; i < count; i++) table[i * width + j] = column[i]!;
  return table;
}

/** The normal equations (lower half of the matrix). Rows whose residuals exceed the bound get less weight. */
function normalOf(table: Float64Array, size: number, residuals: Float64Array, bound: number) {
  const normal = Array.from({ length: size }, () => new Float64Array(size));
  const right = new Float64Array(size);
  for (let i = 0, at = 0; i < residuals.length; i++, at += size + 1) {
    const off = Math.abs(residuals[i]!);
    const weight = off <= bound ? 1 : bound / off;
    const y = table[at + size]!;
    for (let j = 0; j < size; j++) {
      const weighted = weight * table[at + j]!;
      if (weighted === 0) continue;
      const sums = normal[j]!;
      right[j]! += weighted * y;
      for (let k = 0; k <= j; k++) sums[k]! += weighted * table[at + k]!;
    }
  }
  return { normal, right };
}

function subtract(table: Float64Array, effects: Float64Array, residuals: Float64Array): void {
  const size = effects.length;
  for (let i = 0, at = 0; i < residuals.length; i++, at += size + 1) {
    let left = table[at + size]!;
    for (let j = 0; j < size; j++) left -= effects[j]! * table[at + j]!;
    residuals[i] = left;
  }
}

/** Minimum share of a pivot that must remain after earlier rows. Anything less is rounding error. */
const MIN_OWN_SHARE = 1e-9;

/** Inverts a positive semidefinite matrix from its lower half. Rows that depend on earlier ones stay 0. */
export function invert(matrix: readonly Float64Array[]): Float64Array[] {
  const size = matrix.length;
  // The sweep operator: J. H. Goodnight, A Tutorial on the SWEEP Operator, 1979.
  const swept = matrix.map((_, j) =>
    Float64Array.from(matrix, (_row, k) => (k <= j ? matrix[j]![k]! : matrix[k]![j]!)),
  );
  const done: boolean[] = [];
  for (let p = 0; p < size; p++) {
    const pivot = swept[p]![p]!;
    done[p] = pivot > MIN_OWN_SHARE * matrix[p]![p]!;
    if (!done[p]) continue;
    for (let j = 0; j < size; j++) {
      if (j === p) continue;
      const factor = swept[j]![p]! / pivot;
      for (let k = 0; k < size; k++) if (k !== p) swept[j]![k]! -= factor * swept[p]![k]!;
      swept[j]![p] = -factor;
    }
    for (let k = 0; k < size; k++) if (k !== p) swept[p]![k]! /= pivot;
    swept[p]![p] = 1 / pivot;
  }
  return swept.map((row, j) => row.map((one, k) => (done[j] && done[k] ? one : 0)));
}

export function multiply(matrix: readonly Float64Array[], vector: Float64Array): Float64Array {
  return Float64Array.from(matrix, row => row.reduce((sum, one, k) => sum + one * vector[k]!, 0));
}
