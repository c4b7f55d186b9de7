import { MAX_CENTS } from '../../shared/deals/deal-terms.ts';
import { dailyInterest, type Peers, perAcre } from '../../shared/kernels/deal-grade.ts';
import { normalizeStreet } from '../../shared/kernels/owner/street.ts';
import { isoDay, utcDay } from '../../shared/kernels/stats/calendar.ts';
import { median } from '../../shared/kernels/stats/region-stats.ts';
import type { Estimate } from '../../shared/kernels/valuation/shrink.ts';
import {
  countyElasticity,
  DEFAULT_ELASTICITY,
  ppaAtSize,
} from '../../shared/kernels/valuation/size-elasticity.ts';
import { type AcreBucket, narrowestBucket } from '../../shared/model/buckets.ts';
import type { Db } from '../../shared/platform/db.ts';

/** A row of deals/list_live and deals/find_listings. */
export type Listing = {
  id: string;
  status: 'ACTIVE' | 'PENDING' | 'SOLD' | 'OFF_MARKET';
  /** Null if the source withholds the price. */
  cents: number | null;
  acres: number | null;
  days: number | null;
  views: number | null;
  saves: number | null;
  /** Empty when unknown. */
  apn: string;
  address: string;
  zip: string;
  state: string;
  county: string;
  url: string;
  fips: number | null;
  /** 1e-7 degrees. */
  x: number | null;
  y: number | null;
};

/**
 * The listings that a deal is compared with for advice, and what they have in common (`of`). Their prices per
 * acre are adjusted to the deal's acreage.
 */
export type PeerListings = { of: 'bucket' | 'size' | 'county'; others: Peers };

export type TimeToSell = { bucket: AcreBucket['label'] | null; medianDays: number; sales: number };

/** A county's market at one moment. */
export type Market = {
  /** 'YYYY-MM-DD' */
  asOf: string;
  live: Map<string, Listing>;
  /** By `plainApn`. */
  byApn: Map<string, Listing>;
  /** Listings by street address, in any common spelling. Null if several listings have the same address. */
  byStreet(street: string): Listing | null | undefined;
  /** Prices per acre of ACTIVE listings in USD, ascending. */
  perAcre: Float64Array;
  /** Elasticity of price per acre with respect to acres. */
  elasticity: number;
  /** Listings of similar size. @param own the deal's own listing if it is among them */
  like(acres: number, own: Listing | null): PeerListings;
  /** `dailyInterest` of ACTIVE listings with views, ascending. */
  interest: Float64Array;
  timeToSell(acres: number | null): TimeToSell;
};

const DEFAULT_DAYS = 180;

export const isCounted = ({ status, cents, acres }: Listing): boolean =>
  status === 'ACTIVE' && cents !== null && acres !== null;
export const hasViews = ({ status, views }: Listing): boolean => status === 'ACTIVE' && (views ?? 0) > 0;
export const interestIn = ({ views, saves, days }: Listing): number => dailyInterest(views, saves, days);
/** The asking price. A price above the maximum that deals allow is a placeholder. */
export const centsOf = ({ cents }: Pick<Listing, 'cents'>): bigint | null =>
  cents === null || BigInt(cents) > MAX_CENTS ? null : BigInt(cents);
export const ppaOf = ({ cents, acres }: Listing): number => perAcre(BigInt(cents!), acres!);

/** @param fips null for a deal whose county is unknown, which has no market */
export async function readMarket(db: Db, fips: number | null): Promise<Market> {
  const days = await db.run<{ day: string | null }>('deals/get_market_day', { fips });
  const asOf = days[0]?.day ?? isoDay(utcDay(Date.now()));
  const live = await db.run<Listing>('deals/list_live', { fips, as_of: asOf });
  const sold = await db.run<{ acres: number; days: number }>('deals/list_sold', { fips, as_of: asOf });
  const byApn = new Map<string, Listing>();
  // `live` is sorted newest first, so the newest listing of a parcel number wins.
  for (const listing of live)
    if (listing.apn !== '' && !byApn.has(listing.apn)) byApn.set(listing.apn, listing);
  const elasticity = await readElasticity(db, fips);
  const perAcre = Float64Array.from(live.filter(isCounted), ppaOf).sort();
  let streets: Map<string, Listing | null> | undefined;
  return {
    asOf,
    live: new Map(live.map(listing => [listing.id, listing])),
    byApn,
    byStreet(street) {
      streets ??= streetsOf(live);
      return streets.get(street);
    },
    perAcre,
    elasticity,
    like: peersIn(live.filter(isCounted), elasticity),
    interest: Float64Array.from(live.filter(hasViews), interestIn).sort(),
    timeToSell: timesToSell(sold),
  };
}

/**
 * A parcel number without leading zeros or empty groups, so that numbers from rolls match those from agents:
 * 000009-000011-000000 is 9-11.
 */
export function plainApn(apn: string | null): string {
  const groups = (apn ?? '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map(group => group.replace(/^0+/, ''));
  return groups.slice(0, groups.findLastIndex(group => group !== '') + 1).join('-');
}

function streetsOf(listings: readonly Listing[]): Map<string, Listing | null> {
  const streets = new Map<string, Listing | null>();
  for (const listing of listings) {
    const street = streetAddress(listing.address);
    if (street !== null) streets.set(street, streets.has(street) ? null : listing);
  }
  return streets;
}

/**
 * A normalized street with its house number. Null if there is no number, because a road alone isn't a place.
 */
export function streetAddress(address: string | null): string | null {
  const street = normalizeStreet(address);
  return street !== null && /^\d/.test(street) ? street : null;
}

/**
 * If the size bucket has fewer listings, compare with listings of similar size. If there are too few of
 * those, compare with all.
 */
const MIN_PEERS = 10;
const SIZE_FACTOR = 3;

export function peersIn(counted: readonly Listing[], elasticity: number): Market['like'] {
  const between = (least: number, isBelow: (acres: number) => boolean) =>
    counted.filter(({ acres }) => acres! >= least && isBelow(acres!));
  // Cached, because deals in the same county share buckets.
  const byBucket = new Map<AcreBucket, readonly Listing[]>();
  return (acres, own) => {
    const moved = (listing: Listing) => ppaAtSize(ppaOf(listing), listing.acres!, acres, elasticity);
    const peers = (of: PeerListings['of'], others: readonly Listing[]): PeerListings => ({
      of,
      others: { ascending: Float64Array.from(others, moved).sort(), own: own === null ? null : moved(own) },
    });
    const isEnough = (others: readonly Listing[]) => others.length - (own === null ? 0 : 1) >= MIN_PEERS;
    const bucket = narrowestBucket(acres);
    if (bucket !== undefined) {
      const others = byBucket.get(bucket) ?? between(bucket.minAcres, other => other < bucket.maxAcres);
      byBucket.set(bucket, others);
      if (isEnough(others)) return peers('bucket', others);
    }
    const others = between(acres / SIZE_FACTOR, other => other <= acres * SIZE_FACTOR);
    return isEnough(others) ? peers('size', others) : peers('county', counted);
  };
}

async function readElasticity(db: Db, fips: number | null): Promise<number> {
  if (fips === null) return DEFAULT_ELASTICITY;
  const rows = await db.run<Estimate & { fips: number }>('deals/list_elasticities');
  return countyElasticity(new Map(rows.map(({ fips: county, ...estimate }) => [county, estimate])), fips);
}

function timesToSell(sold: readonly { acres: number; days: number }[]): Market['timeToSell'] {
  const cache = new Map<AcreBucket | undefined, TimeToSell>();
  return acres => {
    const bucket = acres === null ? undefined : narrowestBucket(acres);
    const cached = cache.get(bucket);
    if (cached !== undefined) return cached;
    const days = sold
      .filter(sale => bucket !== undefined && bucket.minAcres <= sale.acres && sale.acres < bucket.maxAcres)
      .map(sale => sale.days)
      .sort((a, b) => a - b);
    const middle = median(days, one => one) ?? DEFAULT_DAYS;
    const time = { bucket: bucket?.label ?? null, medianDays: middle, sales: days.length };
    cache.set(bucket, time);
    return time;
  };
}
