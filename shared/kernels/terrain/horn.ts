/** Width and height of the cells in each row, in meters on the ground. */
export type RowSizes = { xM: Float64Array; yM: Float64Array };

/**
 * Computes the slope of each cell in percent from Horn's weighted differences of its eight neighbors (Proc.
 * IEEE 69, 1981), like `gdaldem slope -p`.
 * @param heights (columns + 2) x (rows + 2) meters, row by row, with a margin of one cell; NaN if unknown
 * @param sizes cell size in each of the `rows`
 * @param slopes columns x rows, the output
 */
export function hornSlopes(
  heights: Float64Array,
  columns: number,
  rows: number,
  sizes: RowSizes,
  slopes: Float32Array,
): void {
  const stride = columns + 2;
  for (let row = 0; row < rows; row++) {
    const perX = 100 / (8 * sizes.xM[row]!);
    const perY = 100 / (8 * sizes.yM[row]!);
    const above = row * stride;
    const here = above + stride;
    const below = here + stride;
    // Weighted sum (for x) and difference (for y) of the previous, current, and next columns (0, 1, 2).
    let sum0 = heights[above]! + 2 * heights[here]! + heights[below]!;
    let sum1 = heights[above + 1]! + 2 * heights[here + 1]! + heights[below + 1]!;
    let drop0 = heights[below]! - heights[above]!;
    let drop1 = heights[below + 1]! - heights[above + 1]!;
    for (let column = 0; column < columns; column++) {
      const next = column + 2;
      const a = heights[above + next]!;
      const b = heights[below + next]!;
      const sum2 = a + 2 * heights[here + next]! + b;
      const drop2 = b - a;
      const x = (sum2 - sum0) * perX;
      // Horn's gradient doesn't use the cell itself, so check sum1 for a gap there.
      const y = Number.isNaN(sum1) ? Number.NaN : (drop0 + 2 * drop1 + drop2) * perY;
      slopes[row * columns + column] = Math.sqrt(x * x + y * y);
      sum0 = sum1;
      sum1 = sum2;
      drop0 = drop1;
      drop1 = drop2;
    }
  }
}
