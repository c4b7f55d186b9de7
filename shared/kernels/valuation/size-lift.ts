/**
 * What is added to a curve of ln(price per acre) over ln(acres) so that it never falls too fast, and larger
 * lots at one place cost more. The curve keeps its height at one size, and the rest follows from there.
 */
export type SizeLift = Float64Array;

const SIZE_STEP = 0.25;
const SMALLEST = Math.log(0.02);
/** Up to 4,000 acres. */
const SIZES = 50;

/**
 * @param curve ln(price per acre) at ln(acres)
 * @param middle the ln(acres) at which nothing is added
 * @param minElasticity the lowest change of ln(price per acre) per unit of ln(acres)
 */
export function liftOf(curve: (logAcres: number) => number, middle: number, minElasticity: number): SizeLift {
  const lift = new Float64Array(SIZES);
  const heights = lift.map((_, k) => curve(SMALLEST + k * SIZE_STEP));
  const least = minElasticity * SIZE_STEP;
  const missing = (k: number) => Math.max(0, least - (heights[k + 1]! - heights[k]!));
  const start = Math.max(0, Math.min(SIZES - 1, Math.round((middle - SMALLEST) / SIZE_STEP)));
  for (let k = start; k + 1 < SIZES; k++) lift[k + 1] = lift[k]! + missing(k);
  for (let k = start - 1; k >= 0; k--) lift[k] = lift[k + 1]! - missing(k);
  return lift;
}

export function liftAt(lift: SizeLift, logAcres: number): number {
  const at = Math.max(0, Math.min(SIZES - 1, (logAcres - SMALLEST) / SIZE_STEP));
  const left = Math.min(SIZES - 2, Math.floor(at));
  return lift[left]! + (at - left) * (lift[left + 1]! - lift[left]!);
}
