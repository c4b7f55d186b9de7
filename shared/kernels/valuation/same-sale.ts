import { geodesicDistanceM } from '../../geo/distance.ts';
import { SQ_M_PER_ACRE } from '../../geo/units.ts';
import { addTo } from '../groups.ts';
import { usableSales } from './screen.ts';
import type { Comps } from './valuation-types.ts';

/**
 * One sale often comes twice, with its deed by the roll and its closing by a listing feed; the record of the
 * earlier day stays, of one day the roll's.
 * Records of one feed are never taken for one another, and one stands for at most one of each other feed.
 */
type SaleRecord = { price: number; acres: number; day: number; lon: number; lat: number };

/** From a closing to the recording of its deed, and what a feed takes to report it. */
const MOST_DAYS_APART = 60;
const MOST_ACRES_APART = 0.02;
/** Or as far as a square lot of its size is wide: one record stands at the road, the other amid the lot. */
const LEAST_APART_M = 200;

function isSameSale(a: SaleRecord, b: SaleRecord): boolean {
  return (
    a.price === b.price &&
    Math.abs(a.day - b.day) <= MOST_DAYS_APART &&
    Math.abs(Math.log(a.acres / b.acres)) <= MOST_ACRES_APART &&
    geodesicDistanceM(a.lon, a.lat, b.lon, b.lat) <=
      Math.max(LEAST_APART_M, Math.sqrt(a.acres * SQ_M_PER_ACRE))
  );
}

/**
 * The usable sales of a day by county and day, the second records among them, and what is left without these.
 */
export function knownSales(comps: Comps, asOfDay: number) {
  const usable = usableSales(comps, asOfDay);
  const second = secondRecords(comps, usable);
  return { usable, second, all: usable.filter(sale => !second.has(sale)) };
}

/** A record that stays, and the feeds that it stands for. */
type Stays = { sale: number; record: SaleRecord; feeds: Set<number> };

/**
 * The records that are second, with those that stay in their stead. @param sales as `usableSales` gives them
 */
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
  const staying = new Map<number, Stays[]>();
  for (const sale of byDay) {
    const record = recordOf(comps, sale);
    const alike = findAlike(staying.get(record.price) ?? [], record, feed[sale]!);
    if (alike === undefined) {
      addTo(staying, record.price, { sale, record, feeds: new Set([feed[sale]!]) });
      continue;
    }
    alike.feeds.add(feed[sale]!);
    into.set(sale, alike.sale);
  }
}

/** @param staying records of the same price, by day */
function findAlike(staying: readonly Stays[], record: SaleRecord, feed: number): Stays | undefined {
  for (let i = staying.length - 1; i >= 0; i--) {
    const other = staying[i]!;
    if (record.day - other.record.day > MOST_DAYS_APART) return undefined;
    if (!other.feeds.has(feed) && isSameSale(record, other.record)) return other;
  }
  return undefined;
}

function recordOf({ price, acres, soldDay, lon, lat }: Comps, sale: number): SaleRecord {
  return { price: price[sale]!, acres: acres[sale]!, day: soldDay[sale]!, lon: lon[sale]!, lat: lat[sale]! };
}

/** What was asked before each sale, by any of its records. */
export function askedByAny({ asked }: Comps, second: ReadonlyMap<number, number>): Float64Array | undefined {
  if (asked === undefined || second.size === 0) return asked;
  const told = asked.slice();
  for (const [record, stays] of second) if (Number.isNaN(told[stays])) told[stays] = asked[record]!;
  return told;
}
