import { METRIC_KEYS } from '../model/market-metrics.ts';
import { ALL_FIELDS, type FieldType } from '../model/parcel-fields.ts';
import type { ExportKind } from './export-request.ts';

type Columns = Record<string, { type: FieldType; doc: string }>;

/** What a file has of a parcel besides its declared fields, before them. */
const OWN: Columns = {
  property_id: { type: 'integer', doc: 'Stable numeric identifier of the parcel' },
  fips: { type: 'text', doc: '5-digit county FIPS code' },
  longitude: { type: 'number', doc: 'Of a point on the parcel, WGS84' },
  latitude: { type: 'number', doc: 'Of a point on the parcel, WGS84' },
  effective_acres: { type: 'number', doc: '`acres`, or `calculated_acres` where none is stated' },
};

/** What the owner of a row has, in a file of one row an owner or of a list. */
const OWNER: Columns = {
  owner_parcels: { type: 'integer', doc: 'Parcels of this owner among those that were asked for' },
  owner_acres: {
    type: 'number',
    doc: 'Their effective acres together; units on one boundary count its land once',
  },
};

/** What a list says of its rows. Notes stay out: people keep telephone numbers there. */
const LIST: Columns = {
  status: { type: 'text', doc: 'How far one is with the owner' },
  status_at: { type: 'date', doc: 'Since when' },
  tags: { type: 'text', doc: 'Separated by semicolons; those with a telephone number stay out' },
  value: { type: 'number', doc: 'The estimate, USD' },
  offer: { type: 'number', doc: 'By the terms of the list, USD' },
  needs_review: { type: 'text', doc: 'Why there is no offer' },
};

const PARCEL: Columns = { ...OWN, ...ALL_FIELDS };

const COMP: Columns = {
  id: { type: 'text', doc: 'Of the comp' },
  status: { type: 'text', doc: 'ACTIVE, PENDING or SOLD' },
  address: { type: 'text', doc: 'Street address' },
  city: { type: 'text', doc: 'City' },
  state: { type: 'text', doc: 'Two-letter state' },
  zip: { type: 'text', doc: '5-digit ZIP' },
  county: { type: 'text', doc: 'County as the source names it' },
  apn: { type: 'text', doc: "Assessor's parcel number" },
  longitude: { type: 'number', doc: 'WGS84' },
  latitude: { type: 'number', doc: 'WGS84' },
  lot_size: { type: 'number', doc: 'Acres' },
  price: { type: 'number', doc: 'USD; 0 where the source withholds it' },
  sold_date: { type: 'date', doc: 'Day of the sale' },
  days_on_market: { type: 'integer', doc: 'Days' },
  sale_type: { type: 'text', doc: 'Label as the source gives it' },
  url: { type: 'text', doc: 'Of the listing' },
  source: { type: 'text', doc: 'Origin of the record' },
};

/** A line a market and acreage bucket. */
const MARKET: Columns = {
  id: { type: 'text', doc: 'Of the region' },
  type: { type: 'text', doc: 'county or zip' },
  code: { type: 'text', doc: 'FIPS or ZIP' },
  name: { type: 'text', doc: 'Of the county, or the ZIP' },
  state: { type: 'text', doc: 'Two-letter state' },
  county_name: { type: 'text', doc: 'The county itself, or that of the ZIP' },
  as_of: { type: 'date', doc: 'Day as of which the windows count' },
  bucket: { type: 'text', doc: 'Acreage bucket; buckets overlap' },
  listings: { type: 'integer', doc: 'Listings in the bucket' },
  ...Object.fromEntries(METRIC_KEYS.map(key => [key, { type: 'number' as const, doc: key }])),
};

const COLUMNS: Record<ExportKind, Columns> = {
  filter: PARCEL,
  owners: { ...PARCEL, ...OWNER },
  list: { ...PARCEL, ...OWNER, ...LIST },
  comps: COMP,
  markets: MARKET,
};

/** The columns that a file may have, in the order in which it has all of them. */
export const columnNames = (kind: ExportKind): string[] => Object.keys(COLUMNS[kind]);

export const EXPORT_COLUMNS = [
  ...new Set(Object.values(COLUMNS).flatMap(columns => Object.keys(columns))),
] as [string, ...string[]];

/** The last column of every file: who is to be credited for a row, and on which terms it may be used. */
export const SOURCES_COLUMN = 'sources';

export type ExportColumn = { name: string; type: FieldType };

/** Those that were chosen, in the order in which they were chosen, and `sources`. */
export const columnsOf = (kind: ExportKind, names: readonly string[] = columnNames(kind)): ExportColumn[] => [
  ...names.map(name => ({ name, type: COLUMNS[kind][name]!.type })),
  { name: SOURCES_COLUMN, type: 'text' },
];
