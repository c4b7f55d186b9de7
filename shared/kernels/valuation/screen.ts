import { addToGroup } from '../groups.ts';
import { median } from '../stats/region-stats.ts';
import { type Effects, standardLevel } from './effects.ts';
import {
  type Bound,
  boundAt,
  boundElsewhere,
  boundOf,
  insert,
  isOutlier,
  MAX_PRICES,
  MIN_PRICES,
  medianDeviation,
  remove,
} from './robust.ts';
import type { Market } from './select.ts';
import { ACTIVE, type Comps, NO_DAY, PENDING, SOLD } from './valuation-types.ts';

/**
 * Excludes sales whose price per acre isn't a market price: gifts, family deals, or land sold with something
 * else. Each sale is compared with its county's sales in the year up to its date, or with earlier ones too if
 * there are fewer than 15. If there are fewer than three, it is compared with the latest sales in all nearby
 * counties.
 */
const YEAR_DAYS = 365;

/** Anything smaller isn't a building lot but a strip, a mooring, or a mistyped acreage. */
export const MIN_ACRES = 0.01;

/** Whether a comp has a price, a size, and a location. */
export function isUsable({ acres, price, county, lon, lat }: Comps, i: number): boolean {
  return acres[i]! >= MIN_ACRES && price[i]! > 0 && county[i]! >= 0 && Number.isFinite(lon[i]! + lat[i]!);
}

/** Sales up to a day that have a price, a size, and a location, sorted by county and day. */
export function usableSales(comps: Comps, asOfDay: number): Int32Array {
  const { count, status, soldDay, county } = comps;
  const usable: number[] = [];
  for (let i = 0; i < count; i++) {
    if (status[i] !== SOLD || soldDay[i] === NO_DAY || soldDay[i]! > asOfDay) continue;
    if (isUsable(comps, i)) usable.push(i);
  }
  return Int32Array.from(usable).sort(
    (a, b) => county[a]! - county[b]! || soldDay[a]! - soldDay[b]! || a - b,
  );
}

/** The sales that aren't outliers, in order. @param sales from `usableSales` */
export function withoutOutliers(comps: Comps, sales: Int32Array, effects: Effects): Int32Array {
  const { acres, price, soldDay, county, approved } = comps;
  const levels = new Float64Array(sales.length);
  const outlying = new Set<number>();
  /** Sales for which fewer than three earlier sales are known in the county. */
  const first: number[] = [];
  const window = new Float64Array(MAX_PRICES + 1);
  for (let begin = 0; begin < sales.length; ) {
    const fips = county[sales[begin]!]!;
    let end = begin;
    // Don't adjust for the trend. Within a year, it is part of the spread.
    for (; end < sales.length && county[sales[end]!] === fips; end++) {
      const sale = sales[end]!;
      const logAcres = Math.log(acres[sale]!);
      levels[end] = standardLevel(
        effects,
        Math.log(price[sale]! / acres[sale]!),
        logAcres,
        null,
        comps,
        sale,
      );
    }
    let start = begin;
    let from = begin;
    let size = 0;
    for (let i = begin; i < end; i++) {
      const day = soldDay[sales[i]!]!;
      while (soldDay[sales[start]!]! <= day - YEAR_DAYS) start++;
      insert(window, size++, levels[i]!);
      const earliest = Math.max(begin, Math.min(start, i + 1 - MIN_PRICES), i + 1 - MAX_PRICES);
      while (from < earliest) remove(window, size--, levels[from++]!);
      const bound = size < MIN_PRICES ? boundOf(levels.subarray(begin, knownOn(day, i, end))) : boundIn(size);
      if (bound === null) first.push(i);
      else if (isOutlier(levels[i]!, bound)) outlying.add(i);
    }
    begin = end;
  }
  for (const i of outlyingElsewhere(comps, sales, levels, first)) outlying.add(i);
  return sales.filter((sale, i) => !outlying.has(i) || approved?.[sale] === 1);

  /** The end of the county's sales up to a day, searching from the i-th sale. */
  function knownOn(day: number, i: number, end: number): number {
    let known = i;
    while (known < end && soldDay[sales[known]!]! <= day) known++;
    return known;
  }

  function boundIn(size: number): Bound {
    const middle = median(window.subarray(0, size), value => value)!;
    return boundAt(middle, medianDeviation(window, size, middle));
  }
}

/** Finds which of `some` are outliers compared with the latest sales in all counties up to their day. */
function outlyingElsewhere(
  { soldDay }: Comps,
  sales: Int32Array,
  levels: Float64Array,
  some: readonly number[],
): number[] {
  const dayOf = (i: number) => soldDay[sales[i]!]!;
  const byDay = Int32Array.from(sales.keys()).sort((a, b) => dayOf(a) - dayOf(b) || a - b);
  let known = 0;
  return some
    .toSorted((a, b) => dayOf(a) - dayOf(b))
    .filter(i => {
      while (known < byDay.length && dayOf(byDay[known]!) <= dayOf(i)) known++;
      const latest = byDay.subarray(Math.max(0, known - MAX_PRICES), known);
      const bound = boundElsewhere(Array.from(latest, one => levels[one]!));
      return bound !== null && isOutlier(levels[i]!, bound);
    });
}

/**
 * Excludes asking prices that aren't market prices, such as typos, or $1 for "make an offer". Each is
 * compared with the same sales that a new sale would be compared with. If there are fewer than 15, it is
 * compared with all sales and asking prices in the county, or in all nearby counties.
 */
export function plausibleListings(
  comps: Comps,
  asks: readonly number[],
  { county, day }: Pick<Market, 'county' | 'day'>,
  value: Float64Array,
  effects: Effects,
  asOfDay: number,
): Int32Array {
  const { price, acres } = comps;
  const levelOf = (i: number) =>
    standardLevel(effects, Math.log(price[i]! / acres[i]!), Math.log(acres[i]!), null, comps, i);
  const levels = new Map<number, number[]>();
  const windows = new Map<number, Bound>();
  // Sales are sorted by county and day.
  for (let first = 0, end = 0; first < county.length; first = end) {
    let recent = 0;
    for (; end < county.length && county[end] === county[first]; end++)
      if (day[end]! > asOfDay - YEAR_DAYS) recent++;
    const size = Math.min(MAX_PRICES, Math.max(MIN_PRICES, recent));
    if (end - first >= size) windows.set(county[first]!, boundOf(value.subarray(end - size, end))!);
    levels.set(county[first]!, Array.from(value.subarray(Math.max(first, end - MAX_PRICES), end)));
  }
  for (const i of asks) addToGroup(levels, comps.county[i]!, levelOf(i));
  const around = boundOf([...levels.values()].flat());
  const bounds = new Map(
    [...levels].map(([fips, own]) => [fips, windows.get(fips) ?? boundOf(own) ?? around]),
  );
  return Int32Array.from(
    asks.filter(i => {
      const bound = bounds.get(comps.county[i]!)!;
      return bound === null || !isOutlier(levelOf(i), bound);
    }),
  );
}

/** Older listings are overpriced, or they were sold or withdrawn without an update in the feed. */
const MAX_DAYS_LISTED = 365;

/** Listings that were open on the day, plus open listings without a listing date. */
export function openListings(comps: Comps, asOfDay: number): number[] {
  const { count, status, listedDay } = comps;
  const open: number[] = [];
  for (let i = 0; i < count; i++) {
    if (status[i] !== ACTIVE && status[i] !== PENDING) continue;
    if (listedDay[i] !== NO_DAY && (listedDay[i]! > asOfDay || listedDay[i]! < asOfDay - MAX_DAYS_LISTED))
      continue;
    if (isUsable(comps, i)) open.push(i);
  }
  return open;
}
