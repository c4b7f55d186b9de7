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
  const window = new Float64Array(MOST + 1);
  for (let first = 0; first < sales.length; ) {
    let end = first;
    while (end < sales.length && county[sales[end]!] === county[sales[first]!]) end++;
    const elasticity = elasticityOf(county[sales[first]!]!);
    const levels = Float64Array.from(
      sales.subarray(first, end),
      sale => Math.log(price[sale]! / acres[sale]!) - elasticity * Math.log(acres[sale]!),
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

/** Into the first values, which are ascending: a window that slides is not sorted anew for every sale. */
function insert(sorted: Float64Array, size: number, value: number): void {
  let place = size;
  for (; place > 0 && sorted[place - 1]! > value; place--) sorted[place] = sorted[place - 1]!;
  sorted[place] = value;
}

function remove(sorted: Float64Array, size: number, value: number): void {
  let place = 0;
  while (sorted[place] !== value) place++;
  for (; place + 1 < size; place++) sorted[place] = sorted[place + 1]!;
}

/** Of ascending values from their median: the smallest half of the deviations, from the middle outwards. */
function medianDeviation(sorted: Float64Array, size: number, middle: number): number {
  let above = size >> 1;
  let below = above - 1;
  let last = 0;
  let beforeLast = 0;
  for (let taken = 0; taken <= size >> 1; taken++) {
    beforeLast = last;
    const down = below < 0 ? Number.POSITIVE_INFINITY : middle - sorted[below]!;
    const up = above === size ? Number.POSITIVE_INFINITY : sorted[above]! - middle;
    if (down < up) {
      last = down;
      below--;
    } else {
      last = up;
      above++;
    }
  }
  return size % 2 === 1 ? last : (beforeLast + last) / 2;
}
