import type { ListingStatus } from '../../../shared/domain/listing-fields.ts';
import { uuidV5 } from '../../../shared/domain/uuid.ts';
import { copyValue } from './copy.ts';
import { digest } from './digest.ts';

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
    ...[
      l.source,
      l.sourceId,
      l.status,
      l.address,
      l.city,
      l.state,
      l.zip,
      l.county,
      l.apn,
      location,
      l.fips,
      l.lotAcres,
    ],
    ...[
      l.price,
      l.listedDate,
      l.statusDate,
      l.soldDate,
      l.daysOnMarket,
      l.saleType,
      l.url,
      arrayLiteral(l.photos),
    ],
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
