/**
 * Gaussian process regression (C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning,
 * 2006, algorithm 2.1). Matrices are row-major. Factors are lower triangles.
 */

/** Replaces the lower triangle of a positive definite matrix by its Cholesky factor. */
function factorize(matrix: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) {
    const row = i * size;
    for (let j = 0; j <= i; j++) {
      const other = j * size;
      let sum = matrix[row + j]!;
      for (let k = 0; k < j; k++) sum -= matrix[row + k]! * matrix[other + k]!;
      matrix[row + j] = i === j ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / matrix[other + j]!;
    }
  }
}

/** Solves factor x = values in place. */
function solveForward(factor: Float64Array, size: number, values: Float64Array): void {
  for (let i = 0; i < size; i++) {
    let sum = values[i]!;
    for (let k = 0; k < i; k++) sum -= factor[i * size + k]! * values[k]!;
    values[i] = sum / factor[i * size + i]!;
  }
}

/** Solves (transposed factor) x = values in place. */
function solveBackward(factor: Float64Array, size: number, values: Float64Array): void {
  for (let i = size - 1; i >= 0; i--) {
    const value = values[i]! / factor[i * size + i]!;
    values[i] = value;
    for (let k = 0; k < i; k++) values[k]! -= factor[i * size + k]! * value;
  }
}

/** The factor of covariances with noise. @param weights divide the noise of each value */
function factorOf(covariances: Float64Array, noise: number, weights: Float64Array): Float64Array {
  const factor = covariances.slice();
  for (let i = 0; i < weights.length; i++) factor[i * weights.length + i]! += noise / weights[i]!;
  factorize(factor, weights.length);
  return factor;
}

/**
 * Noise with the tails of a Student t distribution: values far from their prediction get lower weights (K. L.
 * Lange et al., Robust Statistical Modeling Using the t Distribution, 1989).
 */
const DEGREES = 4;
const MIN_WEIGHT = 0.05;
const ROUNDS = 3;

/**
 * Fits a process to values around 0.
 * @param covariances without noise
 * @returns `coefficients`: the prediction is the sum of their products with the covariances of a new value.
 * `weights`: how much each value counts, 1.25 at most
 */
export function fitProcess(covariances: Float64Array, values: Float64Array, noise: number) {
  const weights = new Float64Array(values.length).fill(1);
  let coefficients = values;
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0)
      for (let i = 0; i < weights.length; i++) {
        // A coefficient times its noise is the residual.
        const squared = noise * (coefficients[i]! / weights[i]!) ** 2;
        weights[i] = Math.max(MIN_WEIGHT, (DEGREES + 1) / (DEGREES + squared));
      }
    const factor = factorOf(covariances, noise, weights);
    coefficients = values.slice();
    solveForward(factor, values.length, coefficients);
    solveBackward(factor, values.length, coefficients);
  }
  return { coefficients, weights };
}

/** The logarithm of the values' likelihood, up to a constant. */
export function logLikelihood(
  covariances: Float64Array,
  values: Float64Array,
  noise: number,
  weights: Float64Array,
): number {
  const size = values.length;
  const factor = factorOf(covariances, noise, weights);
  const whitened = values.slice();
  solveForward(factor, size, whitened);
  let log = 0;
  for (let i = 0; i < size; i++) log -= Math.log(factor[i * size + i]!) + whitened[i]! ** 2 / 2;
  return log;
}
