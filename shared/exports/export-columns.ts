import { METRIC_KEYS } from '../model/market-metrics.ts';
import { ALL_FIELDS, type FieldType } from '../model/parcel-fields.ts';
import type { ExportKind, ExportRequest } from './export-request.ts';
import { kindOf } from './export-request.ts';
import { COUNTRY, MAIL_COLUMNS, MAIL_PRESETS } from './mail-layout.ts';

type Columns = Record<string, { type: FieldType; doc: string }>;

/** Columns that come before the parcel's own fields. */
const OWN: Columns = {
  property_id: { type: 'integer', doc: 'Stable numeric identifier of the parcel' },
  fips: { type: 'text', doc: '5-digit county FIPS code' },
  longitude: { type: 'number', doc: 'Coordinate of a point on the parcel, WGS84' },
  latitude: { type: 'number', doc: 'Coordinate of a point on the parcel, WGS84' },
  effective_acres: { type: 'number', doc: '`acres`, or `calculated_acres` if the roll has none' },
};

/** Totals for the row's owner, in list exports and in files with one row per owner. */
const OWNER: Columns = {
  owner_parcels: { type: 'integer', doc: "Number of this owner's parcels in the export" },
  owner_acres: {
    type: 'number',
    doc: 'Total effective acres of these parcels. Units that share one boundary count its land once',
  },
};

/** Columns of a list's rows. Notes are excluded because people keep phone numbers in them. */
const LIST: Columns = {
  status: { type: 'text', doc: 'Status of the row' },
  status_at: { type: 'date', doc: 'Date of the status' },
  tags: { type: 'text', doc: 'Separated by semicolons. Tags with a phone number are excluded' },
  value: { type: 'number', doc: 'Estimated value, USD' },
  offer: { type: 'number', doc: "Offer in USD. With one row per owner, the sum for the owner's parcels" },
  offer_high: { type: 'number', doc: 'High end of the offer in USD, for a range' },
  offer_source: { type: 'text', doc: 'computed or entered' },
  offer_parcels: { type: 'integer', doc: 'Number of parcels that the offer covers' },
  needs_review: { type: 'text', doc: 'Reason why parcels have no offer' },
};

/** The owner's lots around the parcel. */
const ASSEMBLAGE: Columns = {
  assemblage_id: { type: 'integer', doc: 'Smallest property_id of the assemblage' },
  assemblage_parcels: { type: 'integer', doc: "The owner's lots within 30 m of each other" },
  assemblage_acres: { type: 'number', doc: 'Total acres of these lots' },
  touching_parcels: { type: 'integer', doc: 'Lots reached in steps of up to 1 m, including the parcel' },
  touching_acres: { type: 'number', doc: 'Total acres of these lots' },
};

const PARCEL: Columns = { ...OWN, ...ALL_FIELDS, ...ASSEMBLAGE };

const COMP: Columns = {
  id: { type: 'text', doc: 'Comp id' },
  status: { type: 'text', doc: 'ACTIVE, PENDING or SOLD' },
  address: { type: 'text', doc: 'Street address' },
  city: { type: 'text', doc: 'City' },
  state: { type: 'text', doc: 'Two-letter state' },
  zip: { type: 'text', doc: '5-digit ZIP' },
  county: { type: 'text', doc: 'County, as named by the source' },
  apn: { type: 'text', doc: "Assessor's parcel number" },
  longitude: { type: 'number', doc: 'WGS84' },
  latitude: { type: 'number', doc: 'WGS84' },
  lot_size: { type: 'number', doc: 'Acres' },
  price: { type: 'number', doc: 'USD. 0 if the source withholds it' },
  sold_date: { type: 'date', doc: 'Sale date' },
  days_on_market: { type: 'integer', doc: 'Days' },
  sale_type: { type: 'text', doc: 'Sale type, as named by the source' },
  url: { type: 'text', doc: 'Listing URL' },
  source: { type: 'text', doc: 'Origin of the record' },
};

/** One row per market and acreage bucket. */
const MARKET: Columns = {
  id: { type: 'text', doc: 'Region id' },
  type: { type: 'text', doc: 'county or zip' },
  code: { type: 'text', doc: 'FIPS or ZIP' },
  name: { type: 'text', doc: 'County name, or the ZIP' },
  state: { type: 'text', doc: 'Two-letter state' },
  county_name: { type: 'text', doc: "Name of the county, or of the ZIP's county" },
  as_of: { type: 'date', doc: 'Date that the windows end on' },
  bucket: { type: 'text', doc: 'Acreage bucket. Buckets overlap' },
  listings: { type: 'integer', doc: 'Listings in the bucket' },
  ...Object.fromEntries(METRIC_KEYS.map(key => [key, { type: 'number' as const, doc: key }])),
};

const COLUMNS: Record<ExportKind, Columns> = {
  filter: PARCEL,
  owners: { ...PARCEL, ...OWNER },
  list: { ...PARCEL, ...OWNER, ...LIST },
  mail: MAIL_COLUMNS,
  comps: COMP,
  markets: MARKET,
};

/** A column of an overlay: its largest class, the share of that class, or the distance to a feature. */
export const OVERLAY_COLUMN = /^overlay\.([a-z][a-z0-9_]{0,39})(?:\.(percent|distance_ft))?$/;

/** Whether files have the column, if it isn't one of the kind's own. */
export const isOverlayColumn = (kind: ExportKind, name: string): boolean =>
  (kind === 'filter' || kind === 'owners' || kind === 'list') && OVERLAY_COLUMN.test(name);

function typeOf(kind: ExportKind, name: string): FieldType {
  const overlay = OVERLAY_COLUMN.exec(name);
  return overlay ? (overlay[2] === undefined ? 'text' : 'number') : COLUMNS[kind][name]!.type;
}

/** The columns of a kind of export, in their default order. */
export const columnNames = (kind: ExportKind): string[] => Object.keys(COLUMNS[kind]);

export const EXPORT_COLUMNS = [
  ...new Set(Object.values(COLUMNS).flatMap(columns => Object.keys(columns))),
] as [string, ...string[]];

/** The last column of files, with the credits and terms of the row's sources. Mail files don't have it. */
export const SOURCES_COLUMN = 'sources';

export type ExportColumn = {
  /** The name in the file. */
  name: string;
  type: FieldType;
  /** What the column has, if a preset gave it another name. */
  of?: string;
};

/** The chosen columns in the chosen order, followed by `sources`. Mail files get their credits separately. */
export function columnsOf(
  request: Pick<ExportRequest, 'columns' | 'preset'> & Parameters<typeof kindOf>[0],
): ExportColumn[] {
  const kind = kindOf(request);
  if (request.preset !== undefined)
    return MAIL_PRESETS[request.preset].columns.map(([name, of]) => ({
      name,
      type: of === COUNTRY ? 'text' : MAIL_COLUMNS[of].type,
      of,
    }));
  const { columns: names = columnNames(kind) } = request;
  const columns = names.map(name => ({ name, type: typeOf(kind, name) }));
  return kind === 'mail' ? columns : [...columns, { name: SOURCES_COLUMN, type: 'text' }];
}
