import { countBelow } from '../groups.ts';
import type { Pairs } from './pairs.ts';
import { regress } from './regress.ts';
import type { Estimate } from './shrink.ts';

/**
 * The price of a standard lot over time. Like the valuation, it compares nearby sales after removing the
 * effects of size and land. Unlike in the valuation, the trend changes at each knot.
 */

/** A day (since 1970-01-01), the ln(price) relative to the base day, and its standard error. */
export type PriceIndex = readonly (readonly [day: number, log: number, deviation: number])[];

/** The index is 100 on this day (2020-01-01), or on the first knot if sales start later. */
const BASE_DAY = 18_262;

/** Minimum number of sales in the county between two knots. */
const SALES_A_KNOT = 20;
/** The normal quantile for an 80% range, as for estimates. */
const Z = 1.2816;
/** Prior variance of a difference, as for the other effects. */
const VARIANCE_PRIOR = 0.5;

/**
 * @param pairs pairs of the county's sales
 * @param y differences in ln(price per acre), excluding the effects of size and land
 * @param soldDays sale days of the county's sales, in any order
 * @returns null if the sales aren't enough for two knots
 */
export function priceIndexOf(
  pairs: Pairs,
  y: Float64Array,
  soldDays: ArrayLike<number> & Iterable<number>,
  asOfDay: number,
): PriceIndex | null {
  const days = Float64Array.from(soldDays).sort();
  const knots = knotsOf(days, asOfDay);
  if (knots.length < 2) return null;
  const base = Math.max(
    0,
    knots.findIndex(knot => knot >= BASE_DAY),
  );
  const columns = knots.map(() => new Float64Array(pairs.count));
  const add = (pair: number, day: number, sign: number) => {
    const { left, share } = placeOf(knots, day);
    columns[left]![pair]! += sign * (1 - share);
    if (share > 0) columns[left + 1]![pair]! += sign * share;
  };
  for (let i = 0; i < pairs.count; i++) {
    add(i, pairs.days[2 * i]!, 1);
    add(i, pairs.days[2 * i + 1]!, -1);
  }
  const others = columns.filter((_, k) => k !== base);
  const fitted = regress(y, others, pairs.count, VARIANCE_PRIOR).effects;
  const at = (k: number): Estimate =>
    k === base ? { value: 0, variance: 0 } : fitted[k < base ? k : k - 1]!;
  const index = knots.map((day, k) => [day, at(k).value, Math.sqrt(at(k).variance)] as const);
  return index.every(([, , deviation]) => Number.isFinite(deviation)) ? index : null;
}

/** January 1 of each year that has enough sales before the next knot, and the as-of day as the last knot. */
function knotsOf(days: Float64Array, asOfDay: number): number[] {
  if (days.length === 0) return [];
  const between = (from: number, to: number) => countBelow(days, to, true) - countBelow(days, from, true);
  const knots = [asOfDay];
  const year = (day: number) => new Date(day * 86_400_000).getUTCFullYear();
  const first = days[0]!;
  for (let y = year(asOfDay); ; y--) {
    const day = Date.UTC(y, 0, 1) / 86_400_000;
    const isFirstYear = day <= first;
    if (day < asOfDay && (day === BASE_DAY || between(day, knots[0]!) >= SALES_A_KNOT)) knots.unshift(day);
    if (isFirstYear) break;
  }
  // The base is always a knot and needs sales on both sides.
  return knots.filter(
    (knot, k) => k === 0 || k === knots.length - 1 || between(knots[k - 1]!, knot) >= SALES_A_KNOT,
  );
}

/** The knot at or before a day, and how far the day is toward the next one, 0 to 1. Clamped to the ends. */
function placeOf(knots: readonly number[], day: number): { left: number; share: number } {
  const left = Math.max(0, countBelow(knots, day, true) - 1);
  const next = knots[left + 1];
  if (next === undefined || day <= knots[0]!) return { left, share: 0 };
  return { left, share: (day - knots[left]!) / (next - knots[left]!) };
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
