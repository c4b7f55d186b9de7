/** An 80% range whose ends differ by more than this factor is too wide to be useful. */
const MAX_WIDTH = 10;

export const isTooWide = (low: number, high: number): boolean => high > MAX_WIDTH * low;
