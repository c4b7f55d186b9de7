import { median } from '../stats/order-statistics.ts';

/** The median of values in any order; null of nothing. */
export function middleOf(values: Iterable<number>): number | null {
  return median(Float64Array.from(values).sort());
}
