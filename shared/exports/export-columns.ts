import { ALL_FIELDS, type FieldType } from '../domain/parcel-fields.ts';

type ColumnSpec = { type: FieldType; doc: string };

/** What a file has of a parcel besides its declared fields, before them. */
const OWN: Record<string, ColumnSpec> = {
  property_id: { type: 'integer', doc: 'Stable numeric identifier of the parcel' },
  fips: { type: 'text', doc: '5-digit county FIPS code' },
  longitude: { type: 'number', doc: 'Of a point on the parcel, WGS84' },
  latitude: { type: 'number', doc: 'Of a point on the parcel, WGS84' },
  effective_acres: { type: 'number', doc: '`acres`, or `calculated_acres` where none is stated' },
};

const COLUMNS: Record<string, ColumnSpec> = { ...OWN, ...ALL_FIELDS };

/** The columns that a file of parcels may have, in the order in which it has all of them. */
export const EXPORT_COLUMNS = Object.keys(COLUMNS) as [string, ...string[]];

/** The last column of every file: who is to be credited for a row, and on which terms it may be used. */
export const SOURCES_COLUMN = 'sources';

export type ExportColumn = { name: string; type: FieldType };

/** Those that were chosen, in the order in which they were chosen, and `sources`. */
export const columnsOf = (names: readonly string[] = EXPORT_COLUMNS): ExportColumn[] => [
  ...names.map(name => ({ name, type: COLUMNS[name]!.type })),
  { name: SOURCES_COLUMN, type: 'text' },
];
