import { ADDRESS_CHARS, type FieldSpec, type FieldType, MAX_CHARS } from './parcel-fields.ts';

export type ListingFieldType = FieldType | 'fips' | 'status' | 'url' | 'list' | 'degrees';
export type ListingFieldSpec = Pick<FieldSpec, 'doc' | 'unit' | 'maxChars'> & { type: ListingFieldType };

export const LISTING_STATUSES = ['ACTIVE', 'PENDING', 'SOLD', 'OFF_MARKET'] as const;
export type ListingStatus = (typeof LISTING_STATUSES)[number];

/** Whether text can be shown as a link. Sources can contain anything, such as scripts. */
export const isWebAddress = (text: string): boolean =>
  text.length <= MAX_CHARS && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text);

const spec = (type: ListingFieldType, doc: string, unit?: string): ListingFieldSpec =>
  unit === undefined ? { type, doc } : { type, doc, unit };

/** Columns that a listing feed's mapping can fill, in the order of the staging table. */
export const LISTING_FIELDS = {
  source: spec('text', "Origin of the record; the feed's label if not mapped"),
  source_id: spec('text', 'Id of the record in the source; required'),
  status: spec('status', 'ACTIVE, PENDING, SOLD, or OFF_MARKET; required'),
  address: { type: 'text', doc: 'Street address', maxChars: ADDRESS_CHARS },
  city: spec('text', 'City'),
  state: spec('state', 'Two-letter state code'),
  zip: spec('zip', '5-digit ZIP code'),
  county: spec('text', 'County name, as written by the source'),
  fips: spec('fips', 'County FIPS code'),
  apn: spec('text', "Assessor's parcel number"),
  latitude: spec('degrees', 'Latitude (WGS84)', 'degrees'),
  longitude: spec('degrees', 'Longitude (WGS84)', 'degrees'),
  lot_acres: spec('number', 'Lot size', 'acres'),
  list_price: spec(
    'number',
    'List price of an ACTIVE or PENDING listing, or the last list price of a SOLD one',
    'USD',
  ),
  sold_price: spec('number', 'Sale price of a SOLD listing', 'USD'),
  listed_date: spec('date', 'Date of listing'),
  status_date: spec('date', 'Date of the most recent status change'),
  sold_date: spec('date', 'Closing date'),
  days_on_market: spec('integer', 'Time on the market, as counted by the source', 'days'),
  sale_type: spec('text', 'Type of sale, as the source labels it'),
  url: spec('url', 'Public http(s) URL of the listing'),
  photos: spec('list', 'http(s) URLs of photos'),
  views: spec('integer', 'Number of views of the listing', 'times'),
  saves: spec('integer', 'Number of saves of the listing', 'times'),
} as const satisfies Record<string, ListingFieldSpec>;

export type ListingField = keyof typeof LISTING_FIELDS;
export const LISTING_FIELD_NAMES = Object.keys(LISTING_FIELDS) as ListingField[];
