import type { FetchStatus } from '../../shared/deals/deal-terms.ts';
import { decodeBoundary, fromE7 } from '../../shared/geo/geometry-codec.ts';
import { pointInMultiPolygon } from '../../shared/geo/point-in-polygon.ts';
import { addToGroup } from '../../shared/kernels/groups.ts';
import { MAX_ACREAGE_CORRECTION } from '../../shared/model/sold-acres.ts';
import type { Db } from '../../shared/platform/db.ts';
import { countyName } from '../../shared/regions/counties.ts';
import { stateOfFips } from '../../shared/regions/states.ts';
import { centsOf, type Listing, type Market, plainApn, streetAddress } from './deal-market.ts';
import type { ProviderListing } from './listing-provider.ts';

/** The columns of deals/list_unfinished that are needed to find a listing. */
export type ListingQuery = {
  property_id: number | null;
  listing_id: string | null;
  listing_url: string | null;
  seen_at: Date | null;
  fips: number | null;
  address: string | null;
  county: string | null;
  state: string | null;
  acreage: number | null;
  listed_price: string | null;
  days_on_market: number | null;
  views: number | null;
  saves: number | null;
};

/** A row of deals/read_lots. Amounts are in cents. */
export type DealLot = {
  fips: number;
  property_id: number;
  apn: string | null;
  address: string | null;
  zip: string | null;
  state: string | null;
  /** Effective acres. */
  acres: number | null;
  stated_acres: number | null;
  calculated_acres: number | null;
  land_use_code: string | null;
  retired: boolean;
  boundary: Uint8Array | null;
  adjusted: number | null;
  low: number | null;
  high: number | null;
  out_of_support: boolean | null;
};

export type ListingFacts = Omit<ProviderListing, 'fips'> & {
  status: FetchStatus;
  /** From the feeds. Null for a provider's listing. */
  listing: Listing | null;
};

export const isLive = ({ status }: Listing): boolean => status === 'ACTIVE' || status === 'PENDING';

export async function readLots(
  db: Db,
  fips: number | null,
  ids: readonly number[],
): Promise<Map<number, DealLot>> {
  const rows = await db.run<DealLot>('deals/read_lots', { fips, property_ids: ids });
  return new Map(rows.map(lot => [lot.property_id, lot]));
}

/** The live listing of a lot, found by parcel number, otherwise by location, otherwise by address. */
function listingOf(lot: DealLot, market: Market): Listing | undefined {
  const apn = plainApn(lot.apn);
  return (
    (apn === '' ? undefined : market.byApn.get(apn)) ??
    [...market.live.values()].find(listing => isOn(listing, lot)) ??
    listingAt(lot, market)
  );
}

type Shape = Pick<DealLot, 'acres' | 'boundary'>;

/** The acreage must agree, because a listing's point is often on the road or on a neighboring lot. */
function isOn(listing: Listing, lot: Shape): boolean {
  const { x, y, acres: listed } = listing;
  if (x === null || y === null || listed === null || lot.acres === null || lot.boundary === null)
    return false;
  if (Math.abs(lot.acres - listed) > MAX_ACREAGE_CORRECTION * listed) return false;
  return pointInMultiPolygon([fromE7(x), fromE7(y)], decodeBoundary(lot.boundary)) !== 'outside';
}

/**
 * The parcels of listings by listing id: the only parcel with the listing's number, or otherwise the one at
 * its location.
 */
export async function findLots(
  db: Db,
  fips: number | null,
  listings: readonly Listing[],
): Promise<Map<string, number>> {
  const lots = await db.run<Shape & { property_id: number; apn: string | null }>('deals/find_lots', {
    fips,
    apns: listings.flatMap(({ apn }) => apn || []),
    points: listings.flatMap(({ x, y }) => (x === null ? [] : `(${x},${y})`)),
  });
  const byApn = new Map<string, typeof lots>();
  for (const lot of lots) addToGroup(byApn, plainApn(lot.apn), lot);
  const matches = new Map<string, number>();
  for (const listing of listings) {
    const numbered = listing.apn === '' ? [] : (byApn.get(plainApn(listing.apn)) ?? []);
    const lot = numbered.length === 1 ? numbered[0] : lots.find(each => isOn(listing, each));
    if (lot !== undefined) matches.set(listing.id, lot.property_id);
  }
  return matches;
}

function listingAt({ address, zip }: DealLot, market: Market): Listing | undefined {
  const street = streetAddress(address);
  const listing = street === null ? null : market.byStreet(street);
  if (!listing || (zip && listing.zip && zip !== listing.zip)) return undefined;
  return listing;
}

/**
 * @param named the deal's listing by id or URL, in any status
 * @param fetched the provider's response, or undefined if there was no request
 */
export function factsOf(
  deal: ListingQuery,
  named: Listing | undefined,
  lot: DealLot | undefined,
  market: Market,
  fetched: ProviderListing | FetchStatus | undefined,
): ListingFacts {
  const live = named !== undefined && isLive(named) ? named : lot && listingOf(lot, market);
  if (live) return ofListing('found', live, centsOf(live), live);
  if (typeof fetched === 'object')
    return { ...fetched, status: 'found', listing: null, address: fetched.address ?? lot?.address ?? null };
  const kept = {
    address: deal.address,
    county: deal.county,
    state: deal.state,
    acreage: deal.acreage,
    days: deal.days_on_market,
    views: deal.views,
    saves: deal.saves,
    cents: centsText(deal.listed_price),
    listing: null,
  };
  // Keep the provider's previous response until the next daily request.
  const wasFetched = deal.listing_url !== null && deal.listing_id === null && deal.seen_at !== null;
  if (wasFetched && fetched !== 'not_found') return { ...kept, status: 'found' };
  if (named !== undefined) return { ...ofListing('ended', named, kept.cents, kept), listing: null };
  const status: FetchStatus = deal.seen_at !== null ? 'ended' : (fetched ?? 'not_found');
  if (lot === undefined) return { ...kept, status };
  const fips = deal.fips ?? 0;
  return {
    ...kept,
    status,
    address: kept.address ?? lot.address,
    county: kept.county ?? (countyName(fips) || null),
    state: kept.state ?? lot.state ?? stateOfFips(fips) ?? null,
    acreage: kept.acreage ?? lot.acres,
  };
}

function ofListing(
  status: FetchStatus,
  listing: Listing,
  cents: bigint | null,
  { days, views, saves }: Pick<ListingFacts, 'days' | 'views' | 'saves'>,
): ListingFacts {
  const { address, county, state, acres: acreage, fips } = listing;
  return {
    status,
    listing,
    address,
    acreage,
    cents,
    days,
    views,
    saves,
    county: county || (fips === null ? null : countyName(fips)),
    state: state || (fips === null ? null : (stateOfFips(fips) ?? null)),
  };
}

const centsText = (decimal: string | null): bigint | null =>
  decimal === null ? null : BigInt(decimal.replace('.', ''));
