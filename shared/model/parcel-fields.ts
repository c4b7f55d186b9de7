import { NEEDS, type Need } from './loaded-data.ts';

/**
 * Every field of a parcel, declared once. The fields of the roll are what a mapping may fill: feed schema,
 * staging, COPY, merge, filters, the detail page, CLI, MCP's text and the docs are made from them. A new one
 * also needs a migration that adds the column to `parcels` (and to `parcel_filters`, see `filter`).
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

/** The sections of the detail page and of the filter form, in their order. */
export const FIELD_GROUPS = ['Place', 'Land', 'Owner', 'Buildings and values', 'Sale and mortgage'] as const;
export type FieldGroup = (typeof FIELD_GROUPS)[number];

export type FieldSpec = {
  group: FieldGroup;
  type: FieldType;
  /** What people read on pages and in the terminal. */
  label: string;
  /** Without a full stop at the end. */
  doc: string;
  unit?: string;
  filter: FieldFilter;
  /** Text of the filter, where it is not `doc`. */
  filterDoc?: string;
  /** What the filter needs, where that is not the field itself. */
  needs?: Need;
  /** Of a text; what a source has beyond is cut off. Default: MAX_CHARS. */
  maxChars?: number;
};

/** Far above any text that a roll means. */
export const MAX_CHARS = 4_096;
/**
 * Of an address, which listings are looked up by: PostgreSQL limits an entry of an index to 2,704
 * bytes, 676 characters.
 */
export const ADDRESS_CHARS = 500;

type Options = Pick<FieldSpec, 'unit' | 'filterDoc' | 'maxChars' | 'needs'>;

function fieldsOf(group: FieldGroup) {
  return (
    type: FieldType,
    label: string,
    doc: string,
    filter: FieldFilter = 'none',
    options: Options = {},
  ): FieldSpec => ({
    group,
    type,
    label,
    doc,
    filter,
    ...(type === 'money' && { unit: 'USD' }),
    ...options,
  });
}

const place = fieldsOf('Place');
const land = fieldsOf('Land');
const owner = fieldsOf('Owner');
const value = fieldsOf('Buildings and values');
const sale = fieldsOf('Sale and mortgage');

export const PARCEL_FIELDS = {
  apn: place('text', 'APN', "Assessor's parcel number as the roll prints it"),
  acres: land('number', 'Acres (deed)', 'Assessor-reported acreage. 0 if the roll states none', 'none', {
    unit: 'acres',
  }),
  owner_name: owner('text', 'Owner', 'Primary owner of record, as on the roll', 'exact', {
    filterDoc: "The primary owner's full name",
  }),
  owner_name_2: owner('text', 'Second owner', 'Secondary owner of record, as on the roll', 'exact', {
    filterDoc: "The secondary owner's full name",
  }),
  mail_address: owner('text', 'Mailing address', "Street or box of the owner's mailing address", 'none', {
    maxChars: ADDRESS_CHARS,
  }),
  mail_city: owner('text', 'Mailing city', "City of the owner's mailing address"),
  mail_state: owner('state', 'Mailing state', "State of the owner's mailing address"),
  mail_zip: owner('zip', 'Mailing ZIP', "ZIP of the owner's mailing address"),
  situs_address: place('text', 'Address', 'Street address of the parcel', 'none', {
    maxChars: ADDRESS_CHARS,
  }),
  situs_city: place('text', 'City', 'City of the parcel'),
  situs_state: place('state', 'State', 'State of the parcel'),
  situs_zip: place('zip', 'ZIP', 'ZIP of the parcel'),
  subdivision: place('text', 'Subdivision', 'Subdivision name', 'list', { filterDoc: 'Subdivision' }),
  zoning_code: land('text', 'Zoning', 'Zoning code of the county', 'list'),
  land_use_code: land('text', 'Land use', 'Land-use code or label of the county', 'list', {
    filterDoc: 'Land-use code of the county',
  }),
  school_district: place('text', 'School district', 'School-district name', 'exact', {
    filterDoc: 'School district',
  }),
  structure_count: value('integer', 'Structures', 'Structures on the parcel', 'range'),
  building_sqft: value('number', 'Building area', 'Total building area', 'range', { unit: 'square feet' }),
  year_built: value('year', 'Year built', 'Year that a structure was built. 0 means unknown', 'range', {
    filterDoc: 'Year that a structure was built',
  }),
  assessed_total_value: value('money', 'Assessed value', 'Assessed value, total', 'range'),
  assessed_land_value: value('money', 'Assessed, land', 'Assessed value of the land', 'range'),
  assessed_improvement_value: value(
    'money',
    'Assessed, buildings',
    'Assessed value of the improvements',
    'range',
  ),
  market_total_value: value('money', 'Market value', "Assessor's market value, total", 'range'),
  market_land_value: value('money', 'Market value, land', "Assessor's market value of the land", 'range'),
  market_improvement_value: value(
    'money',
    'Market value, buildings',
    "Assessor's market value of the improvements",
    'range',
  ),
  tax_delinquent: value('boolean', 'Tax delinquent', 'Currently flagged tax-delinquent', 'flag', {
    filterDoc: 'Currently flagged as tax-delinquent',
    needs: NEEDS.taxFlags,
  }),
  tax_delinquent_year: value('year', 'Tax delinquent since', 'First year of the current delinquency', 'own'),
  last_sale_date: sale('date', 'Last sale', 'Recording date of the most recent sale', 'range', {
    needs: NEEDS.sales,
  }),
  last_sale_price: sale('money', 'Last sale price', 'Price of the most recent sale', 'range', {
    needs: NEEDS.sales,
  }),
  sale_price_code: sale('text', 'Price code', 'Code that qualifies the sale price', 'list'),
  seller_name: sale('text', 'Seller', 'Seller of the most recent sale'),
  document_type_code: sale('text', 'Deed type', 'Deed or document type of the most recent sale', 'list', {
    filterDoc: 'Deed or document type',
  }),
  inter_family_transfer: sale('boolean', 'Family transfer', 'The last transfer was within a family', 'flag'),
  mortgage_amount: sale('money', 'Mortgage', 'First-mortgage loan amount', 'range'),
  mortgage_date: sale('date', 'Mortgage recorded', 'Recording date of the first mortgage', 'range'),
  mortgage_financing_type_code: sale('text', 'Financing', 'Financing type of the first mortgage', 'list'),
  mortgage_loan_type_code: sale('text', 'Loan type', 'Loan type of the first mortgage', 'list'),
  mortgage_interest_rate: sale('number', 'Interest', 'Interest rate of the first mortgage', 'range', {
    unit: 'percent',
  }),
  owner_occupied: owner('boolean', 'Owner-occupied', 'The owner lives on the parcel'),
  vacant: land('boolean', 'Vacant', 'The parcel has no structure', 'own'),
} as const satisfies Record<string, FieldSpec>;

export type ParcelField = keyof typeof PARCEL_FIELDS;
export const PARCEL_FIELD_NAMES = Object.keys(PARCEL_FIELDS) as ParcelField[];

const REPEATED: readonly FieldFilter[] = ['range', 'flag', 'own'];

export const FILTERED_FIELDS = PARCEL_FIELD_NAMES.filter(name =>
  REPEATED.includes(PARCEL_FIELDS[name].filter),
);

/** Stated and measured acreage that are further apart contradict each other. */
export const MAX_ACRES_RATIO = 1.5;

/** Null where one of them is unknown or 0. */
export function areAcresApart(stated: number | null, measured: number | null): boolean | null {
  if (!stated || !measured) return null;
  return Math.max(stated / measured, measured / stated) > MAX_ACRES_RATIO;
}

/** What is computed of the roll and of the land layers. Their filters are written by hand. */
export const COMPUTED_FIELDS = {
  calculated_acres: land('number', 'Acres (measured)', 'Geodesic area of the boundary', 'none', {
    unit: 'acres',
  }),
  acres_mismatch: land(
    'boolean',
    'Acreage mismatch',
    `The stated and the measured acreage are more than a factor of ${MAX_ACRES_RATIO} apart; null where one of them is unknown`,
  ),
  improvement_percent: value(
    'number',
    "Buildings' share of value",
    'Improvements as a share of the total market value, or of the assessed value if there is none',
    'none',
    { unit: 'percent' },
  ),
  tax_delinquent_years: value(
    'integer',
    'Years tax delinquent',
    'Years from the first of the current delinquency to the current one; null where the parcel is flagged as not delinquent',
  ),
  ownership_months: owner('integer', 'Months owned', 'Whole months since the last recording'),
  out_of_state_owner: owner('boolean', 'Out of state', 'The owner has mail sent to another state'),
  out_of_county_owner: owner('boolean', 'Out of county', 'The owner has mail sent to another county'),
  out_of_zip_owner: owner('boolean', 'Out of ZIP', 'The owner has mail sent to another ZIP code'),
  corporate_owner: owner(
    'boolean',
    'Company',
    'The owner is a company by its name (LLC, INC …); a trust is none',
  ),
  hoa_owner: owner(
    'boolean',
    "Homeowners' association",
    "The owner is a homeowners' association by its name",
  ),
  landlocked: land(
    'boolean',
    'Landlocked',
    'No road that cars use, private roads and service drives included, touches the parcel or faces it within its reach. It says nothing of easements. Null where no road layer covers the parcel',
  ),
  wetlands_percent: land('number', 'Wetlands', 'Share of the area that is wetlands', 'none', {
    unit: 'percent',
  }),
  flood_zone_percent: land('number', 'Flood zone', 'Share of the area in a flood zone', 'none', {
    unit: 'percent',
  }),
  highway_frontage_ft: land('number', 'Highway frontage', 'Frontage on major highways', 'none', {
    unit: 'feet',
  }),
  road_frontage_ft: land('number', 'Road frontage', 'Frontage on normal roads', 'none', { unit: 'feet' }),
  local_frontage_ft: land('number', 'Local road frontage', 'Frontage on local roads', 'none', {
    unit: 'feet',
  }),
  mean_slope_percent: land('number', 'Mean slope', 'Mean slope of the ground', 'none', { unit: 'percent' }),
  min_elevation_m: land('number', 'Lowest ground', 'Lowest ground', 'none', {
    unit: 'metres above sea level',
  }),
  mean_elevation_m: land('number', 'Mean elevation', 'Mean height of the ground', 'none', {
    unit: 'metres above sea level',
  }),
  max_elevation_m: land('number', 'Highest ground', 'Highest ground', 'none', {
    unit: 'metres above sea level',
  }),
} as const satisfies Record<string, FieldSpec>;

/** Fields of the roll first. */
export const ALL_FIELDS: Readonly<Record<string, FieldSpec>> = { ...PARCEL_FIELDS, ...COMPUTED_FIELDS };

/** The fields of a group with their names, in the order of the declarations. */
export const fieldsIn = (
  group: FieldGroup,
  fields: Readonly<Record<string, FieldSpec>> = ALL_FIELDS,
): [name: string, spec: FieldSpec][] => Object.entries(fields).filter(([, spec]) => spec.group === group);

/** A mapped value: text, a number, a day as 'YYYY-MM-DD', a boolean, or null for not known. */
export type FieldValue = string | number | boolean | null;
