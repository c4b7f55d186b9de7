import { geodesicDistanceM } from '../../geo/distance.ts';
import { SQ_M_PER_ACRE } from '../../geo/units.ts';
import { addToGroup } from '../groups.ts';
import { findRepeatSales } from './repeat-sales.ts';
import { usableSales } from './screen.ts';
import type { Comps } from './valuation-types.ts';

/**
 * The same sale is often reported twice, as a deed in the roll and as a closing in a listing feed. The
 * earlier record is kept (the roll's if both have the same date). Each other feed can have one duplicate of
 * it.
 */
type SaleRecord = { price: number; acres: number; day: number; lon: number; lat: number };

/** Covers the time from a closing to the recording of its deed, plus a feed's reporting delay. */
const MAX_DAYS_APART = 60;
const MAX_LOG_ACRES_APART = 0.02;
/**
 * Two records of a sale can be this far apart, or as far as the width of a square lot of its size, because
 * one record can be located at the road and the other in the middle of the lot.
 */
const MIN_REACH_M = 200;

function isSameSale(a: SaleRecord, b: SaleRecord): boolean {
  return (
    a.price === b.price &&
    Math.abs(a.day - b.day) <= MAX_DAYS_APART &&
    Math.abs(Math.log(a.acres / b.acres)) <= MAX_LOG_ACRES_APART &&
    geodesicDistanceM(a.lon, a.lat, b.lon, b.lat) <= Math.max(MIN_REACH_M, Math.sqrt(a.acres * SQ_M_PER_ACRE))
  );
}

/**
 * Sales up to a day, sorted by county and day. `usable`: all usable sales; `second`: duplicates from other
 * feeds; `twoDates`: second records of a deed; `resold`: sales of lots that were soon sold again; `all`:
 * usable sales without duplicates and second records.
 */
export function salesUntil(comps: Comps, asOfDay: number) {
  const usable = usableSales(comps, asOfDay);
  const second = secondRecords(comps, usable);
  const first = usable.filter(sale => !second.has(sale));
  const { twoDates, resold } = findRepeatSales(comps, first);
  return { usable, second, twoDates, resold, all: first.filter(sale => !twoDates.has(sale)) };
}

export type KnownSales = ReturnType<typeof salesUntil>;

/** A kept record and the feeds it represents. */
type KeptSale = { sale: number; record: SaleRecord; feeds: Set<number> };

/** Duplicate records, each with the record that is kept. @param sales from `usableSales` */
function secondRecords(comps: Comps, sales: Int32Array): Map<number, number> {
  const { feed, county } = comps;
  const second = new Map<number, number>();
  if (feed === undefined) return second;
  for (let first = 0; first < sales.length; ) {
    let end = first;
    let several = false;
    for (; end < sales.length && county[sales[end]!] === county[sales[first]!]; end++)
      several ||= feed[sales[end]!] !== feed[sales[first]!];
    if (several) findSecond(comps, feed, sales.subarray(first, end), second);
    first = end;
  }
  return second;
}

function findSecond(comps: Comps, feed: Int32Array, sales: Int32Array, into: Map<number, number>): void {
  const { soldDay, ofRoll } = comps;
  const rollFirst = (a: number, b: number) => (ofRoll?.[b] ?? 0) - (ofRoll?.[a] ?? 0);
  const byDay = sales.toSorted((a, b) => soldDay[a]! - soldDay[b]! || rollFirst(a, b) || a - b);
  const kept = new Map<number, KeptSale[]>();
  for (const sale of byDay) {
    const record = recordOf(comps, sale);
    const alike = comps.approved?.[sale]
      ? undefined
      : findAlike(kept.get(record.price) ?? [], record, feed[sale]!);
    if (alike === undefined) {
      addToGroup(kept, record.price, { sale, record, feeds: new Set([feed[sale]!]) });
      continue;
    }
    alike.feeds.add(feed[sale]!);
    into.set(sale, alike.sale);
  }
}

/** @param kept records with the same price, ordered by day */
function findAlike(kept: readonly KeptSale[], record: SaleRecord, feed: number): KeptSale | undefined {
  for (let i = kept.length - 1; i >= 0; i--) {
    const other = kept[i]!;
    if (record.day - other.record.day > MAX_DAYS_APART) return undefined;
    if (!other.feeds.has(feed) && isSameSale(record, other.record)) return other;
  }
  return undefined;
}

function recordOf({ price, acres, soldDay, lon, lat }: Comps, sale: number): SaleRecord {
  return { price: price[sale]!, acres: acres[sale]!, day: soldDay[sale]!, lon: lon[sale]!, lat: lat[sale]! };
}

/** The last asking price before each sale, from any of its records. */
export function lastAskingPrices(
  { asked }: Comps,
  second: ReadonlyMap<number, number>,
): Float64Array | undefined {
  if (asked === undefined || second.size === 0) return asked;
  const prices = asked.slice();
  for (const [record, kept] of second) if (Number.isNaN(prices[kept])) prices[kept] = asked[record]!;
  return prices;
}
