/** An 80 % range whose ends differ by more than this says nothing that a buyer could go by. */
const MAX_WIDTH = 10;

export const isTooWide = (low: number, high: number): boolean => high > MAX_WIDTH * low;
