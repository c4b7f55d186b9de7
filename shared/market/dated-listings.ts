import { type ListingColumns, NO_DAY, SOLD } from '../kernels/stats/region-stats.ts';
import type { RegionStats } from '../model/market-stats.ts';
import { regionStats } from '../model/market-stats.ts';

/** The columns of the view dated_listings, except for fips and zip, in order. */
export const DATED_COLUMNS = {
  status: { type: 'char', null: 0 },
  cents: { type: 'int8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
  soldDay: { type: 'date', null: NO_DAY },
  until: { type: 'date', null: 0x7fffffff },
  daysOnMarket: { type: 'int4', null: NO_DAY },
  asked: { type: 'float8', null: Number.NaN },
  feedDay: { type: 'date', null: NO_DAY },
  listedFrom: { type: 'date', null: NO_DAY },
} as const;

/**
 * Sales and periods on the market. For a period, `soldDay` is its first day, and `until` is the day after its
 * last day.
 */
export type DatedListings = ListingColumns & {
  until: Int32Array;
  /** The date of a snapshot feed. NO_DAY for a feed that keeps updating. */
  feedDay: Int32Array;
  /** For a period, the first day on which its feed was read. NO_DAY for a sale. */
  listedFrom: Int32Array;
};

/** The dates for which a region has data: sales through `last`, and listings since `listedFrom`. */
export type KnownPeriod = { listedFrom: number; last: number };

export function knownPeriod(listings: DatedListings, rows: readonly number[]): KnownPeriod {
  let listedFrom = Number.POSITIVE_INFINITY;
  let last = NO_DAY;
  for (const row of rows) {
    const day = listings.feedDay[row]!;
    last = Math.max(last, day === NO_DAY ? Number.POSITIVE_INFINITY : day);
    if (listings.status[row] !== SOLD) listedFrom = Math.min(listedFrom, listings.listedFrom[row]!);
  }
  return { listedFrom, last };
}

/**
 * The statistics for a past day, calculated from what is known now. Excludes the price index, which changes
 * with every fit. Null if there is no data for the day.
 */
export function restatedStats(
  listings: DatedListings,
  rows: readonly number[],
  { listedFrom, last }: KnownPeriod,
  day: number,
): RegionStats | null {
  if (day > last) return null;
  const { status, soldDay, until } = listings;
  const listed = day >= listedFrom;
  const known: number[] = [];
  for (const row of rows)
    if (soldDay[row]! <= day && day < until[row]! && (listed || status[row] === SOLD)) known.push(row);
  return known.length === 0 ? null : regionStats(listings, known, day, { index: null, listed });
}

const scratch = new Float64Array(8);
const words = new Int32Array(scratch.buffer);

/**
 * A digest of everything that the statistics through `day` are computed from. It doesn't depend on the order
 * of rows.
 */
export function digestOf(
  listings: DatedListings,
  rows: readonly number[],
  { listedFrom, last }: KnownPeriod,
  day: number,
): string {
  let low = 0;
  let high = 0;
  for (const row of rows) {
    const since = listings.soldDay[row]!;
    if (since > day) continue;
    const until = listings.until[row]!;
    scratch[0] = listings.price[row]!;
    scratch[1] = listings.acres[row]!;
    scratch[2] = listings.asked[row]!;
    words[6] = since;
    words[7] = until > day ? 0 : until;
    words[8] = listings.daysOnMarket[row]!;
    words[9] = listings.status[row]!;
    let a = 0x811c9dc5;
    let b = 0x9747b28c;
    for (let i = 0; i < 10; i++) {
      a = mixed(a ^ words[i]!);
      b = mixed(b + words[i]!);
    }
    low = (low + a) | 0;
    high = (high + b) | 0;
  }
  return [low, high, Math.min(listedFrom, day + 1), Math.min(last, day)].join(' ');
}

/** The last steps of MurmurHash3 (A. Appleby, public domain). */
function mixed(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}
