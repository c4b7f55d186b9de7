/** What a row must have of its own, of what it has at all: below it is what the rows before it say, and rounding. */
const LEAST_OWN = 1e-9;

/** The inverse of a positive semidefinite matrix, whose lower half is given; rows that follow from those before are left 0. */
export function invert(matrix: readonly Float64Array[]): Float64Array[] {
  const size = matrix.length;
  // The sweep operator: J. H. Goodnight, A Tutorial on the SWEEP Operator, 1979.
  const swept = matrix.map((_, j) =>
    Float64Array.from(matrix, (_row, k) => (k <= j ? matrix[j]![k]! : matrix[k]![j]!)),
  );
  const done: boolean[] = [];
  for (let p = 0; p < size; p++) {
    const pivot = swept[p]![p]!;
    done[p] = pivot > LEAST_OWN * matrix[p]![p]!;
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

export function times(matrix: readonly Float64Array[], vector: Float64Array): Float64Array {
  return Float64Array.from(matrix, row => row.reduce((sum, one, k) => sum + one * vector[k]!, 0));
}
