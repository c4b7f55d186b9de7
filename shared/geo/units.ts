/** Steps to a unit: a power of two, so that none of them is rounded. */
const STEPS = 1024;

/**
 * Degrees to units of 1e-7 degrees, the grid on which boundaries are stored, in steps of 1/1024 (11 micrometres). A number of up to 7
 * decimals becomes its integer, so that a corner which lies on an edge in decimals does so in the arithmetic, too (as doubles of
 * degrees, (0.1, 0.1), (0.2, 0.3) and (0.3, 0.5) are not in line), and corners that differ by the rounding of doubles become one.
 */
export function toUnits(deg: number): number {
  return Math.round(deg * (1e7 * STEPS)) / STEPS;
}
