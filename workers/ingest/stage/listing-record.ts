import { copyValue } from '../../../shared/copy.ts';
import {
  LISTING_FIELD_NAMES,
  type ListingField,
  type ListingStatus,
} from '../../../shared/domain/listing-fields.ts';
import { uuidV5 } from '../../../shared/domain/uuid.ts';
import { toE7 } from '../../../shared/geo/codec.ts';
import { countyByName } from '../../../shared/regions/county-names.ts';
import { countyAt, nearestCounty } from '../../../shared/regions/county-polygons.ts';
import type { ListingValue } from '../map/listing.ts';
import { digest } from './hash.ts';

/** A comp as the staging table holds it. Dates are 'YYYY-MM-DD', the location integers of 1e-7 degree. */
export type ListingRecord = {
  source: string;
  sourceId: string;
  status: ListingStatus;
  address: string;
  city: string;
  state: string;
  zip: string;
  county: string;
  apn: string;
  location: { lonE7: number; latE7: number } | null;
  fips: number | null;
  lotAcres: number | null;
  price: number;
  /** What was asked last for what is sold. */
  askedPrice: number | null;
  listedDate: string | null;
  statusDate: string | null;
  soldDate: string | null;
  daysOnMarket: number | null;
  saleType: string;
  url: string;
  photos: string[];
};

export const COPY_LISTING = `copy stage_listing (row_no, id, source, source_id, status, address, city, state, zip, county, apn,
  location, fips, lot_acres, price, listed_date, status_date, sold_date, days_on_market, sale_type, url, photos, hash, asked_price) from stdin`;

/** The same listing has the same id in every installation. */
function listingId(source: string, sourceId: string): string {
  return uuidV5(`listing:${source}\u0000${sourceId}`);
}

/** One line of `COPY_LISTING`. */
export function listingLine(rowNo: number, l: ListingRecord): string {
  const location = l.location === null ? null : `(${l.location.lonE7},${l.location.latE7})`;
  const values = [
    ...[l.source, l.sourceId, l.status, l.address, l.city, l.state, l.zip, l.county, l.apn, location, l.fips],
    ...[l.lotAcres, l.price, l.listedDate, l.statusDate, l.soldDate, l.daysOnMarket, l.saleType, l.url],
    arrayLiteral(l.photos),
  ]
    .map(copyValue)
    .join('\t');
  const asked = copyValue(l.askedPrice);
  // Without an asking price the hash is what it was before there were any.
  const hash = digest(l.askedPrice === null ? values : `${values}\t${asked}`);
  return `${rowNo}\t${listingId(l.source, l.sourceId)}\t${values}\t${hash}\t${asked}`;
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayLiteral(items: string[]): string {
  return `{${items.map(item => `"${item.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}

const AT = Object.fromEntries(LISTING_FIELD_NAMES.map((name, i) => [name, i])) as Record<
  ListingField,
  number
>;

/**
 * A mapped listing as a comp. The county is the feed's FIPS; else its county name and state; else the county
 * polygon that holds its point; else unknown. The price is the closing price of a sale and the asking price of
 * everything else, 0 where the source withholds it (such a listing is kept, and counts in no statistic).
 */
export function resolveListing(values: ListingValue[]): ListingRecord {
  const text = (field: ListingField): string => (values[AT[field]] ?? '') as string;
  const number = (field: ListingField): number | null => values[AT[field]] as number | null;
  const day = (field: ListingField): string | null => values[AT[field]] as string | null;

  const status = values[AT.status] as ListingStatus;
  const lon = number('longitude');
  const lat = number('latitude');
  const placed = lon !== null && lat !== null;
  const sold = status === 'SOLD';
  return {
    source: text('source'),
    sourceId: text('source_id'),
    status,
    address: text('address'),
    city: text('city'),
    state: text('state'),
    zip: text('zip'),
    county: text('county'),
    apn: text('apn'),
    location: placed ? { lonE7: toE7(lon), latE7: toE7(lat) } : null,
    fips:
      number('fips') ?? countyByName(text('county'), text('state')) ?? (placed ? countyOf(lon, lat) : null),
    lotAcres: number('lot_acres'),
    price: number(sold ? 'sold_price' : 'list_price') ?? 0,
    askedPrice: sold ? number('list_price') : null,
    listedDate: day('listed_date'),
    statusDate: day('status_date') ?? (sold ? day('sold_date') : null),
    soldDate: sold ? (day('sold_date') ?? day('status_date')) : null,
    daysOnMarket: number('days_on_market'),
    saleType: text('sale_type'),
    url: text('url'),
    photos: (values[AT.photos] as string[] | null) ?? [],
  };
}

/** The polygons are generalised: a shore parcel may lie just off its own county's. */
function countyOf(lon: number, lat: number): number | null {
  return countyAt(lon, lat) ?? nearestCounty(lon, lat);
}
