/**
 * Degrees to units of 1e-7 degrees, the grid on which boundaries are stored. A number of up to 7 decimals becomes its integer, so
 * that a corner which lies on an edge in decimals does so in the arithmetic, too: as doubles of degrees 0.1, 0.2 and 0.3 are not in line.
 * Any other number keeps its fraction, to 2e-7 units.
 */
export function toUnits(deg: number): number {
  const e7 = Math.round(deg * 1e7);
  return e7 / 1e7 === deg ? e7 : deg * 1e7;
}
