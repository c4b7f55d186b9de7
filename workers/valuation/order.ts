/** Bits of each coordinate's cell: cells of a county's extent over 1,024. */
const BITS = 10;

/**
 * The order of points along a Morton curve (G. M. Morton, 1966): neighbours in it are mostly neighbours on the ground, so that
 * what was read for one parcel is still in the processor's cache for the next.
 */
export function alongCurve(x: Float64Array, y: Float64Array): Uint32Array {
  const [cellX, cellY] = [cellsOf(x), cellsOf(y)];
  const keys = Float64Array.from(
    x,
    (_, i) => (spread(cellX(x[i]!)) | (spread(cellY(y[i]!)) << 1)) * 2 ** 32 + i,
  );
  return Uint32Array.from(keys.sort(), key => key % 2 ** 32);
}

function cellsOf(values: Float64Array): (value: number) => number {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const scale = high > low ? (2 ** BITS - 1) / (high - low) : 0;
  return value => Math.floor((value - low) * scale);
}

/** The bits of a cell with a zero between each two. */
function spread(cell: number): number {
  let bits = cell;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  return (bits | (bits << 1)) & 0x55555555;
}
