import { countBelow } from '../groups.ts';
import type { Pairs } from './pairs.ts';
import { invert, multiply, type Prior, regress } from './regress.ts';
import type { Estimate } from './shrink.ts';
import { DAYS_PER_YEAR } from './valuation-types.ts';

/**
 * How prices changed over time in a county. The yearly change varies around the county's trend. It is learned
 * from differences between nearby sales, in which the price level cancels out.
 */
export type TimeCurve = {
  /** January 1 of each year, and the as-of day as the last one. */
  knots: readonly number[];
  /** ln(price) at each knot relative to the last one. */
  logs: Float64Array;
  /** Covariances of all logs but the last, which is always 0. */
  covariances: readonly Float64Array[];
};

/** From the first sale to the as-of day. */
export type Period = { firstDay: number; asOfDay: number };

/** Standard deviation of a year's change around the trend. */
const BEND = 0.1;
/** Changes that are this many years apart still resemble each other: the length of a squared exponential. */
const BEND_YEARS = 3;
/** Prior variance of a difference, as for the other effects. */
const VARIANCE_PRIOR = 0.5;

/**
 * @param y differences in ln(price per acre), excluding the effects of size and land
 */
export function fitTimeCurve(pairs: Pairs, y: Float64Array, days: Period, prior: TimePrior): TimeCurve {
  const knots = knotsOf(days);
  const size = knots.length - 1;
  const columns = Array.from({ length: size + 1 }, () => new Float64Array(pairs.count));
  const add = (pair: number, day: number, sign: number) => {
    const { left, share } = placeOf(knots, day);
    columns[left]![pair]! += sign * (1 - share);
    if (share > 0) columns[left + 1]![pair]! += sign * share;
  };
  for (let i = 0; i < pairs.count; i++) {
    add(i, pairs.days[2 * i]!, 1);
    add(i, pairs.days[2 * i + 1]!, -1);
  }
  const { effects, covariances } = regress(
    y,
    columns.slice(0, size),
    pairs.count,
    VARIANCE_PRIOR,
    priorOf(knots, prior),
  );
  return { knots, logs: Float64Array.from(knots, (_, k) => effects[k]?.value ?? 0), covariances };
}

/** ln(price) on a day relative to the last knot. */
export function logAt({ knots, logs }: TimeCurve, day: number): number {
  const { left, share } = placeOf(knots, day);
  return logs[left]! + share * ((logs[left + 1] ?? 0) - logs[left]!);
}

/** The expected yearly change of ln(price): in general, and in years that other counties' sales show. */
export type TimePrior = { trend: Estimate; changes: ReadonlyMap<number, Estimate> };

/** What to expect of a year that no other county's sales show. */
export const inAnyYear = ({ value, variance }: Estimate): Estimate => ({
  value,
  variance: variance + BEND ** 2,
});

/** Keeps the changes of short intervals apart. */
const MIN_VARIANCE = 1e-5;

/** Each year has its expected change. The differences from it resemble each other in neighboring years. */
function priorOf(knots: readonly number[], { trend, changes }: TimePrior): Prior {
  const usual = inAnyYear(trend);
  const parts = knots.slice(1).map((end, k) => {
    const { value, variance } = changes.get(yearOf(knots[k]!)) ?? usual;
    const [from, to] = [knots[k]! / DAYS_PER_YEAR, end / DAYS_PER_YEAR];
    return { years: to - from, middle: (from + to) / 2, value, deviation: Math.sqrt(variance) };
  });
  const covariances = parts.map((a, i) =>
    Float64Array.from(parts, (b, j) => {
      const apart = (a.middle - b.middle) / BEND_YEARS;
      const correlation = (trend.variance + BEND ** 2 * Math.exp(-(apart ** 2) / 2)) / usual.variance;
      return a.years * b.years * a.deviation * b.deviation * correlation + (i === j ? MIN_VARIANCE : 0);
    }),
  );
  const inverse = invert(covariances);
  // A change is the difference between two logs, and the last log is 0.
  const at = (i: number, j: number) => inverse[i]?.[j] ?? 0;
  const precision = parts.map((_, i) =>
    Float64Array.from(parts, (_part, j) => at(i, j) - at(i - 1, j) - at(i, j - 1) + at(i - 1, j - 1)),
  );
  const mean = parts.map((_, i) => parts.slice(i).reduce((sum, { value, years }) => sum - value * years, 0));
  return { precision, weighted: multiply(precision, Float64Array.from(mean)) };
}

/** A year counts if the sales add at least this share to what was expected of it. */
const MIN_SHARE = 0.01;

/** The yearly changes that a county's own sales show, without what was expected of them. */
export function ownChanges(
  { knots, logs, covariances }: TimeCurve,
  expected: Estimate,
): [year: number, Estimate][] {
  const { value, variance } = inAnyYear(expected);
  const shared = (a: number, b: number) => covariances[a]?.[b] ?? 0;
  return knots.slice(1).flatMap((end, k): [number, Estimate][] => {
    const years = (end - knots[k]!) / DAYS_PER_YEAR;
    const left = (shared(k, k) + shared(k + 1, k + 1) - 2 * shared(k, k + 1)) / years ** 2;
    const precision = 1 / left - 1 / variance;
    // The sales say nothing about this year.
    if (precision < MIN_SHARE / variance) return [];
    const change = (logs[k + 1]! - logs[k]!) / years;
    const own = { value: (change / left - value / variance) / precision, variance: 1 / precision };
    return [[yearOf(knots[k]!), own]];
  });
}

const yearOf = (day: number) => new Date(day * 86_400_000).getUTCFullYear();

function knotsOf({ firstDay, asOfDay }: Period): number[] {
  const knots = [asOfDay];
  for (let y = yearOf(asOfDay); ; y--) {
    const day = Date.UTC(y, 0, 1) / 86_400_000;
    if (day < asOfDay) knots.unshift(day);
    if (day <= firstDay && knots.length > 1) return knots;
  }
}

/** The knot at or before a day, and how far the day is toward the next one, 0 to 1. Clamped to the ends. */
export function placeOf(knots: readonly number[], day: number): { left: number; share: number } {
  const left = Math.max(0, countBelow(knots, day, true) - 1);
  const next = knots[left + 1];
  if (next === undefined || day <= knots[0]!) return { left, share: 0 };
  return { left, share: (day - knots[left]!) / (next - knots[left]!) };
}
