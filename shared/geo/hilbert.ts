/** Bits of each axis: cells of 1e-7 degrees a 65,536th of the extent wide. */
const ORDER = 16;
const SIDE = 1 << ORDER;

/**
 * Distance along the Hilbert curve of the cell (x, y) of a square of 65,536 by 65,536 cells: neighbours on the curve
 * are neighbours on the ground. Hamilton, Compact Hilbert Indices, 2006; the rotation as in the well-known xy2d.
 */
export function hilbertIndex(cellX: number, cellY: number): number {
  let x = cellX;
  let y = cellY;
  let index = 0;
  for (let side = SIDE >> 1; side > 0; side >>= 1) {
    const right = (x & side) > 0 ? 1 : 0;
    const upper = (y & side) > 0 ? 1 : 0;
    // A product, as 32 bits of shifts would not hold it.
    index += side * side * ((3 * right) ^ upper);
    if (upper === 0) {
      if (right === 1) {
        x = SIDE - 1 - x;
        y = SIDE - 1 - y;
      }
      [x, y] = [y, x];
    }
  }
  return index;
}

/**
 * The points in the order of a Hilbert curve over the square around them; those without a place (NaN) last.
 * @returns indices of the points
 */
export function hilbertOrder(xs: ArrayLike<number>, ys: ArrayLike<number>): Uint32Array {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i]!;
    const y = ys[i]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  const scale = (SIDE - 1) / Math.max(maxX - minX, maxY - minY, 1);
  const keys = new Float64Array(xs.length);
  const order = new Uint32Array(xs.length);
  for (let i = 0; i < xs.length; i++) {
    order[i] = i;
    keys[i] = Number.isNaN(xs[i]! + ys[i]!)
      ? Number.POSITIVE_INFINITY
      : hilbertIndex(Math.floor((xs[i]! - minX) * scale), Math.floor((ys[i]! - minY) * scale));
  }
  return order.sort((a, b) => (keys[a]! === keys[b]! ? a - b : keys[a]! < keys[b]! ? -1 : 1));
}
