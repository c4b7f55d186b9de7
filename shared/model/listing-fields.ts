import { ADDRESS_CHARS, type FieldSpec, type FieldType, MAX_CHARS } from './parcel-fields.ts';

export type ListingFieldType = FieldType | 'fips' | 'status' | 'url' | 'list' | 'degrees';
export type ListingFieldSpec = Pick<FieldSpec, 'doc' | 'unit' | 'maxChars'> & { type: ListingFieldType };

export const LISTING_STATUSES = ['ACTIVE', 'PENDING', 'SOLD', 'OFF_MARKET'] as const;
export type ListingStatus = (typeof LISTING_STATUSES)[number];

/** What may be shown as a link: a source may hold anything else, such as a script. */
export const isWebAddress = (text: string): boolean =>
  text.length <= MAX_CHARS && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text);

const spec = (type: ListingFieldType, doc: string, unit?: string): ListingFieldSpec =>
  unit === undefined ? { type, doc } : { type, doc, unit };

/** The columns that a listing feed's mapping may fill, in the order of the staging table. */
export const LISTING_FIELDS = {
  source: spec('text', "Origin of the record; the feed's own label where it is not mapped"),
  source_id: spec('text', 'Identifier within the source; required'),
  status: spec('status', 'ACTIVE, PENDING, SOLD or OFF_MARKET; required'),
  address: { type: 'text', doc: 'Street address', maxChars: ADDRESS_CHARS },
  city: spec('text', 'City'),
  state: spec('state', 'Two-letter state'),
  zip: spec('zip', '5-digit ZIP'),
  county: spec('text', 'County name as the source gives it'),
  fips: spec('fips', 'County FIPS'),
  apn: spec('text', "Assessor's parcel number"),
  latitude: spec('degrees', 'Latitude, WGS84', 'degrees'),
  longitude: spec('degrees', 'Longitude, WGS84', 'degrees'),
  lot_acres: spec('number', 'Lot size', 'acres'),
  list_price: spec(
    'number',
    'Asking price: the price of an ACTIVE or PENDING listing, and what was asked last for a SOLD one',
    'USD',
  ),
  sold_price: spec('number', 'Closing price: the price of a SOLD listing', 'USD'),
  listed_date: spec('date', 'Day on which it was listed'),
  status_date: spec('date', 'Day of the most recent change of status'),
  sold_date: spec('date', 'Day of closing'),
  days_on_market: spec('integer', "The feed's own count", 'days'),
  sale_type: spec('text', 'Label of the kind of sale, as the source gives it'),
  url: spec('url', 'Public http(s) address of the listing'),
  photos: spec('list', 'http(s) addresses of photographs'),
  views: spec('integer', 'How often its page was looked at', 'times'),
  saves: spec('integer', 'How often it was saved', 'times'),
} as const satisfies Record<string, ListingFieldSpec>;

export type ListingField = keyof typeof LISTING_FIELDS;
export const LISTING_FIELD_NAMES = Object.keys(LISTING_FIELDS) as ListingField[];
