import {
  LISTING_FIELD_NAMES,
  type ListingField,
  type ListingStatus,
} from '../../../shared/domain/listing-fields.ts';
import { toE7 } from '../../../shared/geo/codec.ts';
import { countyByName } from '../../../shared/regions/county-names.ts';
import { countyAt, nearestCounty } from '../../../shared/regions/county-polygons.ts';
import type { ListingValue } from '../map/listing.ts';
import type { ListingRecord } from './listing-row.ts';

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
