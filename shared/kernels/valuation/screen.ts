import { median } from '../stats/order-statistics.ts';
import type { Comps } from './types.ts';
import { NO_DAY, SOLD } from './types.ts';

/**
 * Leaves out sales whose price per acre has nothing to do with the market of their county and size: gifts, family deals,
 * land sold with something else. A sale is compared with the sales of its county in the year up to its own day, so
 * that no later sale decides on an earlier one: its ln(price per acre), brought to the same size by the elasticity, must
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

/** The usable sales known on a day, by county and day: those with a price, a size and a place. */
export function usableSales(comps: Comps, asOfDay: number): Int32Array {
  const { count, lon, lat, acres, price, status, soldDay, county } = comps;
  const usable: number[] = [];
  for (let i = 0; i < count; i++) {
    if (status[i] !== SOLD || soldDay[i] === NO_DAY || soldDay[i]! > asOfDay) continue;
    if (hasPlaceAndPrice(i)) usable.push(i);
  }
  return Int32Array.from(usable).sort(
    (a, b) => county[a]! - county[b]! || soldDay[a]! - soldDay[b]! || a - b,
  );

  function hasPlaceAndPrice(i: number): boolean {
    return acres[i]! > 0 && price[i]! > 0 && county[i]! >= 0 && Number.isFinite(lon[i]! + lat[i]!);
  }
}

/**
 * @param sales as `usableSales` gives them
 * @param elasticityOf of a county
 * @returns those that are no outliers, in the same order
 */
export function withoutOutliers(
  comps: Comps,
  sales: Int32Array,
  elasticityOf: (county: number) => number,
): Int32Array {
  const { acres, price, soldDay, county } = comps;
  const kept: number[] = [];
  const window = new Float64Array(MOST);
  const deviations = new Float64Array(MOST);
  for (let first = 0; first < sales.length; ) {
    let end = first;
    while (end < sales.length && county[sales[end]!] === county[sales[first]!]) end++;
    const elasticity = elasticityOf(county[sales[first]!]!);
    const levels = Float64Array.from(
      sales.subarray(first, end),
      sale => Math.log(price[sale]! / acres[sale]!) - elasticity * Math.log(acres[sale]!),
    );
    let start = 0;
    for (let i = 0; i < levels.length; i++) {
      const day = soldDay[sales[first + i]!]!;
      while (soldDay[sales[first + start]!]! <= day - YEAR_DAYS) start++;
      const from = Math.max(0, Math.min(start, i + 1 - FEWEST), i + 1 - MOST);
      const size = i + 1 - from;
      if (size < FEWEST) {
        kept.push(sales[first + i]!);
        continue;
      }
      for (let j = 0; j < size; j++) window[j] = levels[from + j]!;
      const middle = median(window.subarray(0, size).sort())!;
      for (let j = 0; j < size; j++) deviations[j] = Math.abs(levels[from + j]! - middle);
      const spread = Math.max(LEAST_MAD, median(deviations.subarray(0, size).sort())!);
      if ((MAD_SHARE * Math.abs(levels[i]! - middle)) / spread <= MOST_Z) kept.push(sales[first + i]!);
    }
    first = end;
  }
  return Int32Array.from(kept);
}
