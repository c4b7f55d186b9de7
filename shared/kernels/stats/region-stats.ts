import { countBelow } from '../groups.ts';
import { minusMonths } from './calendar.ts';

/** Values of `status`. */
export const ACTIVE = 0;
export const PENDING = 1;
export const SOLD = 2;

/** The value of `soldDay` and `daysOnMarket` if they are unknown. */
export const NO_DAY = -0x80000000;

/**
 * Listings as columns: entry i of each array belongs to listing i. Only listings with acres and price above 0
 * count.
 */
export type ListingColumns = {
  status: Uint8Array;
  /** USD: the asking price for ACTIVE and PENDING, the sale price for SOLD. NaN if unknown. */
  price: Float64Array;
  /** NaN if unknown. */
  acres: Float64Array;
  /** UTC days since 1970-01-01, or NO_DAY. */
  soldDay: Int32Array;
  daysOnMarket: Int32Array;
  /** USD: the last asking price of a SOLD listing. NaN if unknown. */
  asked: Float64Array;
};

/** A bucket has the listings with `minAcres <= acres < maxAcres`. Buckets may overlap. */
export type AcreRange = { minAcres: number; maxAcres: number };

/**
 * Statistics of a group of listings; null if there is nothing to compute them from. Ppa means price per acre,
 * in USD.
 */
export type Summary = {
  count: number;
  medianPrice: number | null;
  medianAcres: number | null;
  medianPpa: number | null;
  minPpa: number | null;
  maxPpa: number | null;
  /** Gini coefficient of prices per acre, 0 (all equal) to 100; null for fewer than two prices. */
  gini: number | null;
  /** Mean of the known values. */
  daysOnMarket: number | null;
};

export type BucketSummary = {
  /** Number of listings of any status and age. */
  listings: number;
  active: Summary;
  pending: Summary;
  /** By window, in the order of WINDOW_MONTHS. */
  sold: [Summary, Summary, Summary, Summary];
  /** Sales in the 12 months before the last 12 months. */
  yearBefore: { count: number; medianPpa: number | null };
  /**
   * For the last 12 months' sales with a known asking price, their number and the median of sale price /
   * asking price.
   */
  toAsked: { count: number; median: number | null };
};

/**
 * A window of m months contains the sales from the day after (as-of day minus m calendar months) through the
 * as-of day.
 */
const WINDOW_MONTHS = [1, 3, 6, 12] as const;

type Listing = {
  acres: number;
  price: number;
  ppa: number;
  soldDay: number;
  daysOnMarket: number;
  asked: number;
};

/** The same listings sorted in three orders, for the three medians. */
type Sorted = { byAcres: Listing[]; byPrice: Listing[]; byPpa: Listing[] };

/**
 * Summarizes the listings `rows` as of the UTC day `asOfDay`. Returns null for a bucket without listings.
 * Buckets with the same listings share one object. Each status is sorted once in three orders, from which
 * buckets and windows select.
 */
export function summarizeBuckets(
  listings: ListingColumns,
  rows: readonly number[],
  asOfDay: number,
  buckets: readonly AcreRange[],
): (BucketSummary | null)[] {
  const listed = sortListings(listings, rows, asOfDay);
  // With few listings, most buckets have the same ones, so they share a summary.
  const acres = Float64Array.from(listed.acres).sort();
  const summaries = new Map<string, BucketSummary>();
  return buckets.map(range => {
    const first = countBelow(acres, range.minAcres, false);
    const count = countBelow(acres, range.maxAcres, false) - first;
    if (count === 0) return null;
    const same = `${first} ${count}`;
    const summary = summaries.get(same) ?? summarizeBucket(listed, range, count);
    summaries.set(same, summary);
    return summary;
  });
}

type SortedListings = {
  /** Total acres of all listings that count, including older sales. */
  acres: number[];
  active: Sorted;
  pending: Sorted;
  /** Sold in the last year. */
  sold: Sorted;
  /** Sold in the year before that, by price per acre. */
  before: Listing[];
  since: number[];
};

function sortListings(listings: ListingColumns, rows: readonly number[], asOfDay: number): SortedListings {
  const since = WINDOW_MONTHS.map(months => minusMonths(asOfDay, months) + 1);
  const [since12, since24] = [since.at(-1)!, minusMonths(asOfDay, 24) + 1];
  const acresOf: number[] = [];
  const [active, pending, sold, before]: Listing[][] = [[], [], [], []];
  for (const row of rows) {
    const acres = listings.acres[row]!;
    const price = listings.price[row]!;
    if (!(acres > 0 && price > 0)) continue;
    const soldDay = listings.soldDay[row]!;
    const daysOnMarket = listings.daysOnMarket[row]!;
    const one = { acres, price, ppa: price / acres, soldDay, daysOnMarket, asked: listings.asked[row]! };
    acresOf.push(acres);
    const status = listings.status[row]!;
    if (status === ACTIVE) active!.push(one);
    else if (status === PENDING) pending!.push(one);
    else if (soldDay > asOfDay) continue;
    else if (soldDay >= since12) sold!.push(one);
    else if (soldDay >= since24) before!.push(one);
  }
  return {
    acres: acresOf,
    active: sort(active!),
    pending: sort(pending!),
    sold: sort(sold!),
    before: before!.sort((a, b) => a.ppa - b.ppa),
    since,
  };
}

function summarizeBucket(
  { active, pending, sold, before, since }: SortedListings,
  range: AcreRange,
  count: number,
): BucketSummary {
  const [since1, since3, since6] = since;
  const year = selectSorted(sold, range);
  const half = selectSorted(year, range, since6);
  const quarter = selectSorted(half, range, since3);
  const month = selectSorted(quarter, range, since1);
  return {
    listings: count,
    active: summarize(selectSorted(active, range)),
    pending: summarize(selectSorted(pending, range)),
    sold: [summarize(month), summarize(quarter), summarize(half), summarize(year)],
    yearBefore: medianPpa(selectListings(before, range)),
    toAsked: toAsked(year.byPpa),
  };
}

function medianPpa(byPpa: readonly Listing[]): BucketSummary['yearBefore'] {
  return { count: byPpa.length, medianPpa: median(byPpa, one => one.ppa) };
}

function toAsked(sold: readonly Listing[]): BucketSummary['toAsked'] {
  const shares: number[] = [];
  for (const { price, asked } of sold) if (asked > 0) shares.push(price / asked);
  shares.sort((a, b) => a - b);
  return { count: shares.length, median: median(shares, share => share) };
}

function sort(listings: readonly Listing[]): Sorted {
  return {
    byAcres: listings.toSorted((a, b) => a.acres - b.acres),
    byPrice: listings.toSorted((a, b) => a.price - b.price),
    byPpa: listings.toSorted((a, b) => a.ppa - b.ppa),
  };
}

function selectSorted(from: Sorted, range: AcreRange, since?: number): Sorted {
  const { byAcres, byPrice, byPpa } = from;
  if (byAcres.length === 0) return from;
  return {
    byAcres: selectListings(byAcres, range, since),
    byPrice: selectListings(byPrice, range, since),
    byPpa: selectListings(byPpa, range, since),
  };
}

/** Uses a loop, because `filter` with a callback made the kernel take 1.6 times as long. */
function selectListings(
  listings: readonly Listing[],
  { minAcres, maxAcres }: AcreRange,
  since = NO_DAY,
): Listing[] {
  const selected: Listing[] = [];
  for (const one of listings) {
    if (one.acres >= minAcres && one.acres < maxAcres && one.soldDay >= since) selected.push(one);
  }
  return selected;
}

const NO_LISTINGS: Summary = {
  count: 0,
  medianPrice: null,
  medianAcres: null,
  medianPpa: null,
  minPpa: null,
  maxPpa: null,
  gini: null,
  daysOnMarket: null,
};

function summarize({ byAcres, byPrice, byPpa }: Sorted): Summary {
  const count = byPpa.length;
  if (count === 0) return NO_LISTINGS;
  return {
    count,
    medianPrice: median(byPrice, one => one.price),
    medianAcres: median(byAcres, one => one.acres),
    medianPpa: median(byPpa, one => one.ppa),
    minPpa: byPpa[0]!.ppa,
    maxPpa: byPpa[count - 1]!.ppa,
    gini: gini(byPpa, one => one.ppa),
    daysOnMarket: meanDays(byPpa),
  };
}

function meanDays(listings: readonly Listing[]): number | null {
  let days = 0;
  let knownCount = 0;
  for (const { daysOnMarket } of listings) {
    if (daysOnMarket === NO_DAY) continue;
    days += daysOnMarket;
    knownCount++;
  }
  return knownCount === 0 ? null : days / knownCount;
}

/**
 * The median of an ascending list. Reads values in place, whereas simple-statistics needs an array of
 * numbers.
 */
export function median<T>(ascending: ArrayLike<T>, value: (one: T) => number): number | null {
  const count = ascending.length;
  if (count === 0) return null;
  const upper = value(ascending[count >> 1]!);
  return count % 2 === 1 ? upper : (value(ascending[(count >> 1) - 1]!) + upper) / 2;
}

/**
 * Gini coefficient of positive ascending values, 0 (all equal) to 100; null for fewer than two values.
 * 100 * sum((2i - n - 1) * x_i) / (n * sum(x_i)) (Sen 1973, On Economic Inequality), with the terms of x_i
 * and x_(n+1-i) paired to avoid cancellation.
 */
export function gini<T>(ascending: ArrayLike<T>, value: (one: T) => number): number | null {
  const count = ascending.length;
  if (count < 2) return null;
  let sum = count % 2 === 1 ? value(ascending[count >> 1]!) : 0;
  let weightedGaps = 0;
  for (let low = 0, high = count - 1; low < high; low++, high--) {
    const smaller = value(ascending[low]!);
    const larger = value(ascending[high]!);
    sum += smaller + larger;
    weightedGaps += (high - low) * (larger - smaller);
  }
  return (100 * weightedGaps) / (count * sum);
}
