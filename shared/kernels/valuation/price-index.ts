import { countBelow } from '../groups.ts';
import type { Pairs } from './pairs.ts';
import { regress } from './regress.ts';
import type { Estimate } from './shrink.ts';

/**
 * What a standard lot cost over the years: the valuation's comparison of near sales, less the effects of size
 * and land, with a line through the days of time that bends at each knot in place of one trend.
 */

/** A day (since 1970-01-01), ln(price there over that on the base day), and the standard error of it. */
export type PriceIndex = readonly (readonly [day: number, log: number, deviation: number])[];

/** The index is 100 on this day: 2020-01-01; where sales begin later, on the first knot after. */
const BASE_DAY = 18_262;

/** Between two knots there are at least so many sales of the county. */
const SALES_A_KNOT = 20;
/** Of an 80 % interval, as values have. */
const Z = 1.2816;
/** Prior variance of a difference, as of the other effects. */
const VARIANCE_PRIOR = 0.5;

/**
 * @param pairs of the county's sales @param y ln(price per acre) differences without size and land
 * @param soldDays of the county's sales, in any order
 * @returns null where the sales carry no two knots
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

/** January firsts with enough sales between them, and the as-of day as the last. */
function knotsOf(days: Float64Array, asOfDay: number): number[] {
  if (days.length === 0) return [];
  const between = (from: number, to: number) => countBelow(days, to, true) - countBelow(days, from, true);
  const knots = [asOfDay];
  const year = (day: number) => new Date(day * 86_400_000).getUTCFullYear();
  const first = days[0]!;
  for (let y = year(asOfDay); ; y--) {
    const day = Date.UTC(y, 0, 1) / 86_400_000;
    const begins = day <= first;
    if (day < asOfDay && (day === BASE_DAY || between(day, knots[0]!) >= SALES_A_KNOT)) knots.unshift(day);
    if (begins) break;
  }
  // The base, which is a knot in any case, needs sales on both sides.
  return knots.filter(
    (knot, k) => k === 0 || k === knots.length - 1 || between(knots[k - 1]!, knot) >= SALES_A_KNOT,
  );
}

/** The knot at or before a day, and how far it is to the next one, 0 to 1; days outside count as the ends. */
function placeOf(knots: readonly number[], day: number): { left: number; share: number } {
  const left = Math.max(0, countBelow(knots, day, true) - 1);
  const next = knots[left + 1];
  if (next === undefined || day <= knots[0]!) return { left, share: 0 };
  return { left, share: (day - knots[left]!) / (next - knots[left]!) };
}

/** The index on a day with its 80 % interval; null outside its knots, but for days that have come since. */
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
