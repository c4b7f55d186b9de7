import { median } from '../stats/order-statistics.ts';
import { type Effects, standardLevel } from './effects.ts';
import { insert, medianDeviation, remove } from './sorted-window.ts';
import type { Comps } from './types.ts';
import { NO_DAY, SOLD } from './types.ts';

/**
 * Leaves out sales whose price per acre has nothing to do with the market of their county and size: gifts, family deals,
 * land sold with something else. A sale is compared with the sales of its county in the year up to its own day, so
 * that no later sale decides on an earlier one: its ln(price per acre), brought to the same size and land by the effects, must
 * lie within 3.5 of their robust standard deviations from their median.
 * B. Iglewicz, D. Hoaglin, How to Detect and Handle Outliers, ASQC 1993: modified z-scores, 0.6745 and 3.5.
 */
export const MOST_Z = 3.5;
export const MAD_SHARE = 0.6745;
export const YEAR_DAYS = 365;

/** A year with fewer sales is filled up with the sales before it; with fewer than this in all, every sale counts. */
export const FEWEST = 15;
/** More say nothing more about a median. */
export const MOST = 100;

/** Noise below this is no noise: identical prices a lot of one subdivision must not make all others outliers. */
export const LEAST_MAD = 0.1;

/**
 * Less than a parking place for two cars (436 square feet) is no lot that anybody builds on: a strip, a mooring, or a mistyped
 * acreage, whose price per acre is of no market.
 */
export const LEAST_ACRES = 0.01;

/** Whether a comp has a price, a size and a place. */
export function isUsable({ acres, price, county, lon, lat }: Comps, i: number): boolean {
  return acres[i]! >= LEAST_ACRES && price[i]! > 0 && county[i]! >= 0 && Number.isFinite(lon[i]! + lat[i]!);
}

/** The usable sales known on a day, by county and day: those with a price, a size and a place. */
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

/**
 * @param sales as `usableSales` gives them
 * @param effectsOf a county
 * @returns those that are no outliers, in the same order
 */
export function withoutOutliers(
  comps: Comps,
  sales: Int32Array,
  effectsOf: (county: number) => Effects,
): Int32Array {
  const { acres, price, soldDay, county, land } = comps;
  const kept: number[] = [];
  const window = new Float64Array(MOST + 1);
  for (let first = 0; first < sales.length; ) {
    let end = first;
    while (end < sales.length && county[sales[end]!] === county[sales[first]!]) end++;
    const effects = effectsOf(county[sales[first]!]!);
    // Within a year the trend is left to the spread.
    const levels = Float64Array.from(sales.subarray(first, end), sale =>
      standardLevel(effects, Math.log(price[sale]! / acres[sale]!), Math.log(acres[sale]!), 0, land, sale),
    );
    let start = 0;
    let size = 0;
    for (let i = 0, from = 0; i < levels.length; i++) {
      const day = soldDay[sales[first + i]!]!;
      while (soldDay[sales[first + start]!]! <= day - YEAR_DAYS) start++;
      insert(window, size++, levels[i]!);
      const begin = Math.max(0, Math.min(start, i + 1 - FEWEST), i + 1 - MOST);
      while (from < begin) remove(window, size--, levels[from++]!);
      if (size < FEWEST) {
        kept.push(sales[first + i]!);
        continue;
      }
      const middle = median(window, 0, size)!;
      const spread = Math.max(LEAST_MAD, medianDeviation(window, size, middle));
      if ((MAD_SHARE * Math.abs(levels[i]! - middle)) / spread <= MOST_Z) kept.push(sales[first + i]!);
    }
    first = end;
  }
  return Int32Array.from(kept);
}
