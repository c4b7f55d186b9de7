/**
 * The columns that a roll's mapping may fill: feed schema, mapper, staging table, COPY, merge, detail and
 * filters are made from this list. A new field also needs a migration that adds the column to `parcels` (and
 * to `parcel_filters`, see `filter`).
 */
export type FieldType =
  | 'text'
  | 'integer'
  | 'number'
  | 'money'
  | 'date'
  | 'boolean'
  | 'state'
  | 'zip'
  | 'year';

/**
 * How a field is filtered: `range` by bounds, `flag` by true and false, `list` by any of some values, `exact`
 * by one; `own` by a filter written by hand.
 * Table parcel_filters repeats the columns of range, flag and own; list and exact read parcels.
 */
export type FieldFilter = 'range' | 'flag' | 'own' | 'list' | 'exact' | 'none';

export type FieldSpec = {
  type: FieldType;
  doc: string;
  unit?: string;
  filter: FieldFilter;
  /** Of a text; what a source has beyond is cut off. Default: MOST_CHARS. */
  maxChars?: number;
};

/** Far above any text that a roll means. */
export const MOST_CHARS = 4_096;
/**
 * Of an address, which listings are looked up by: PostgreSQL limits an entry of an index to 2,704
 * bytes, 676 characters.
 */
export const ADDRESS_CHARS = 500;

const address = (doc: string): FieldSpec => ({ type: 'text', doc, filter: 'none', maxChars: ADDRESS_CHARS });

function field(type: FieldType, doc: string, filter: FieldFilter = 'none', unit?: string): FieldSpec {
  if (type === 'money') return { type, doc, unit: 'USD', filter };
  return unit === undefined ? { type, doc, filter } : { type, doc, unit, filter };
}

export const PARCEL_FIELDS = {
  apn: field('text', "Assessor's parcel number as the roll prints it"),
  acres: field('number', 'Assessor-reported acreage; 0 means that none is stated', 'none', 'acres'),
  owner_name: field('text', 'Primary owner of record, raw', 'exact'),
  owner_name_2: field('text', 'Secondary owner of record, raw', 'exact'),
  mail_address: address("Street or box of the owner's mailing address"),
  mail_city: field('text', "City of the owner's mailing address"),
  mail_state: field('state', "State of the owner's mailing address"),
  mail_zip: field('zip', "ZIP of the owner's mailing address"),
  situs_address: address('Street address of the parcel'),
  situs_city: field('text', 'City of the parcel'),
  situs_state: field('state', 'State of the parcel'),
  situs_zip: field('zip', 'ZIP of the parcel'),
  subdivision: field('text', 'Subdivision name', 'list'),
  zoning_code: field('text', 'Zoning code of the county', 'list'),
  land_use_code: field('text', 'Land-use code or label of the county', 'list'),
  school_district: field('text', 'School-district name', 'exact'),
  structure_count: field('integer', 'Structures on the parcel', 'range'),
  building_sqft: field('number', 'Total building area', 'range', 'square feet'),
  year_built: field('year', 'Year in which a structure was built; 0 means unknown', 'range'),
  assessed_total_value: field('money', 'Assessed value, total', 'range'),
  assessed_land_value: field('money', 'Assessed value of the land', 'range'),
  assessed_improvement_value: field('money', 'Assessed value of the improvements', 'range'),
  market_total_value: field('money', 'Market value by the assessor, total', 'range'),
  market_land_value: field('money', 'Market value of the land by the assessor', 'range'),
  market_improvement_value: field('money', 'Market value of the improvements by the assessor', 'range'),
  tax_delinquent: field('boolean', 'Currently flagged tax-delinquent', 'flag'),
  tax_delinquent_year: field('year', 'First year of the current delinquency', 'own'),
  last_sale_date: field('date', 'Recording date of the most recent sale', 'range'),
  last_sale_price: field('money', 'Price of the most recent sale', 'range'),
  sale_price_code: field('text', 'Code that qualifies the sale price', 'list'),
  seller_name: field('text', 'Seller of the most recent sale'),
  document_type_code: field('text', 'Deed or document type of the most recent sale', 'list'),
  inter_family_transfer: field('boolean', 'The last transfer was within a family', 'flag'),
  mortgage_amount: field('money', 'First-mortgage loan amount', 'range'),
  mortgage_date: field('date', 'Recording date of the first mortgage', 'range'),
  mortgage_financing_type_code: field('text', 'Financing type of the first mortgage', 'list'),
  mortgage_loan_type_code: field('text', 'Loan type of the first mortgage', 'list'),
  mortgage_interest_rate: field('number', 'Interest rate of the first mortgage', 'range', 'percent'),
  owner_occupied: field('boolean', 'The owner lives on the parcel'),
  vacant: field('boolean', 'No structure stands on the parcel', 'own'),
} as const satisfies Record<string, FieldSpec>;

export type ParcelField = keyof typeof PARCEL_FIELDS;
export const PARCEL_FIELD_NAMES = Object.keys(PARCEL_FIELDS) as ParcelField[];

const REPEATED: readonly FieldFilter[] = ['range', 'flag', 'own'];

export const FILTERED_FIELDS = PARCEL_FIELD_NAMES.filter(name =>
  REPEATED.includes(PARCEL_FIELDS[name].filter),
);

/** A mapped value: text, a number, a day as 'YYYY-MM-DD', a boolean, or null for not known. */
export type FieldValue = string | number | boolean | null;
