/**
 * The columns that a roll's mapping may fill: the one list behind the feed schema, the mapper, the staging
 * table and the merge. Order is the order of the staging table's columns.
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

export type FieldSpec = { type: FieldType; doc: string; unit?: string };

const spec = (type: FieldType, doc: string, unit?: string): FieldSpec =>
  unit === undefined ? { type, doc } : { type, doc, unit };

export const PARCEL_FIELDS = {
  apn: spec('text', "Assessor's parcel number as the roll prints it"),
  acres: spec('number', 'Assessor-reported acreage; 0 means that none is stated', 'acres'),
  owner_name: spec('text', 'Primary owner of record, raw'),
  owner_name_2: spec('text', 'Secondary owner of record, raw'),
  mail_address: spec('text', "Street or box of the owner's mailing address"),
  mail_city: spec('text', "City of the owner's mailing address"),
  mail_state: spec('state', "State of the owner's mailing address"),
  mail_zip: spec('zip', "ZIP of the owner's mailing address"),
  situs_address: spec('text', 'Street address of the parcel'),
  situs_city: spec('text', 'City of the parcel'),
  situs_state: spec('state', 'State of the parcel'),
  situs_zip: spec('zip', 'ZIP of the parcel'),
  subdivision: spec('text', 'Subdivision name'),
  zoning_code: spec('text', 'Zoning code of the county'),
  land_use_code: spec('text', 'Land-use code or label of the county'),
  school_district: spec('text', 'School-district name'),
  structure_count: spec('integer', 'Structures on the parcel'),
  building_sqft: spec('number', 'Total building area', 'square feet'),
  year_built: spec('year', 'Year in which a structure was built; 0 means unknown'),
  assessed_total_value: spec('money', 'Assessed value, total', 'USD'),
  assessed_land_value: spec('money', 'Assessed value of the land', 'USD'),
  assessed_improvement_value: spec('money', 'Assessed value of the improvements', 'USD'),
  market_total_value: spec('money', 'Market value by the assessor, total', 'USD'),
  market_land_value: spec('money', 'Market value of the land by the assessor', 'USD'),
  market_improvement_value: spec('money', 'Market value of the improvements by the assessor', 'USD'),
  tax_delinquent: spec('boolean', 'Currently flagged tax-delinquent'),
  tax_delinquent_year: spec('year', 'First year of the current delinquency'),
  last_sale_date: spec('date', 'Recording date of the most recent sale'),
  last_sale_price: spec('money', 'Price of the most recent sale', 'USD'),
  sale_price_code: spec('text', 'Code that qualifies the sale price'),
  seller_name: spec('text', 'Seller of the most recent sale'),
  document_type_code: spec('text', 'Deed or document type of the most recent sale'),
  inter_family_transfer: spec('boolean', 'The last transfer was within a family'),
  mortgage_amount: spec('money', 'First-mortgage loan amount', 'USD'),
  mortgage_date: spec('date', 'Recording date of the first mortgage'),
  mortgage_financing_type_code: spec('text', 'Financing type of the first mortgage'),
  mortgage_loan_type_code: spec('text', 'Loan type of the first mortgage'),
  mortgage_interest_rate: spec('number', 'Interest rate of the first mortgage', 'percent'),
  owner_occupied: spec('boolean', 'The owner lives on the parcel'),
  vacant: spec('boolean', 'No structure stands on the parcel'),
} as const satisfies Record<string, FieldSpec>;

export type ParcelField = keyof typeof PARCEL_FIELDS;
export const PARCEL_FIELD_NAMES = Object.keys(PARCEL_FIELDS) as ParcelField[];

/** A mapped value: text, a number, a day as 'YYYY-MM-DD', a boolean, or null for not known. */
export type FieldValue = string | number | boolean | null;
