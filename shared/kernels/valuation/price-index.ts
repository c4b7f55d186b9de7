import { placeOf, type TimeCurve } from './time-curve.ts';

/**
 * The price of a standard lot over time. Like the valuation, it compares nearby sales after removing the
 * effects of size and land. Unlike in the valuation, the trend changes at each knot.
 */

/** A day (since 1970-01-01), the ln(price) relative to the base day, and its standard error. */
export type PriceIndex = readonly (readonly [day: number, log: number, deviation: number])[];

/** The index is 100 on this day (2020-01-01), or on the first knot if sales start later. */
const BASE_DAY = 18_262;

/** Fewer sales don't make an index. */
const MIN_SALES = 10;
/** The normal quantile for an 80% range, as for estimates. */
const Z = 1.2816;

/** @param sales number of the county's sales @returns null if there are too few sales */
export function priceIndexOf({ knots, logs, covariances }: TimeCurve, sales: number): PriceIndex | null {
  if (sales < MIN_SALES) return null;
  const base = Math.max(
    0,
    knots.findIndex(knot => knot >= BASE_DAY),
  );
  const shared = (a: number, b: number) => covariances[a]?.[b] ?? 0;
  return knots.map((day, k) => {
    const variance = shared(k, k) + shared(base, base) - 2 * shared(k, base);
    return [day, logs[k]! - logs[base]!, Math.sqrt(Math.max(0, variance))];
  });
}

/**
 * The index on a day with its 80% range; null before the first knot. Days after the last knot have that
 * knot's value.
 */
export function indexAt(index: PriceIndex, day: number): { value: number; low: number; high: number } | null {
  if (index.length === 0 || day < index[0]![0]) return null;
  const { left, share } = placeOf(
    index.map(([knot]) => knot),
    day,
  );
  const [, log, deviation] = index[left]!;
  const [, nextLog, nextDeviation] = index[left + 1] ?? index[left]!;
  const at = log + share * (nextLog - log);
  const spread = Z * (deviation + share * (nextDeviation - deviation));
  return { value: 100 * Math.exp(at), low: 100 * Math.exp(at - spread), high: 100 * Math.exp(at + spread) };
}
