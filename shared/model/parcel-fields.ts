import { ROAD_ACCESS } from './land-layers.ts';
import { NEEDS, type Need } from './loaded-data.ts';

/**
 * Every field of a parcel. Mappings can fill the roll fields. The feed schema, staging, COPY, merge, filters,
 * detail page, CLI, MCP text, and docs are generated from these declarations. A new field also needs a
 * migration that adds the column to `parcels` (and to `parcel_filters`, see `filter`).
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
 * How a field is filtered: `range` by bounds, `flag` by true or false, `list` by any of several values,
 * `exact` by one value, and `own` by a hand-written filter. The table parcel_filters has copies of the range,
 * flag, and own columns. List and exact filters read parcels.
 */
export type FieldFilter = 'range' | 'flag' | 'own' | 'list' | 'exact' | 'none';

/** Sections of the detail page and the filter form, in order. */
export const FIELD_GROUPS = [
  'Location',
  'Land',
  'Owner',
  'Buildings and values',
  'Sale and mortgage',
] as const;
export type FieldGroup = (typeof FIELD_GROUPS)[number];

export type FieldSpec = {
  group: FieldGroup;
  type: FieldType;
  /** Shown on pages and in the terminal. */
  label: string;
  /** Without a period at the end. */
  doc: string;
  unit?: string;
  filter: FieldFilter;
  /** Description of the filter. Default: `doc`. */
  filterDoc?: string;
  /** Data that the filter needs. Default: the field itself. */
  needs?: Need;
  /** Maximum length. Longer text from a source is truncated. Default: MAX_CHARS. */
  maxChars?: number;
  /** The text after "Null" in the API's description. Default: "if unknown". */
  nullWhen?: string;
  /** All possible values of a text field that is never null. */
  values?: readonly string[];
};

/** Far longer than any real text on a roll. */
export const MAX_CHARS = 4_096;
/** Listings are searched by address. PostgreSQL limits an index entry to 2,704 bytes, or 676 characters. */
export const ADDRESS_CHARS = 500;

type Options = Pick<FieldSpec, 'unit' | 'filterDoc' | 'maxChars' | 'needs' | 'nullWhen' | 'values'>;

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

const place = fieldsOf('Location');
const land = fieldsOf('Land');
const owner = fieldsOf('Owner');
const value = fieldsOf('Buildings and values');
const sale = fieldsOf('Sale and mortgage');

export const PARCEL_FIELDS = {
  apn: place('text', 'APN', "Assessor's parcel number (APN), as printed on the roll"),
  acres: land('number', 'Acres (deed)', 'Assessor-reported acreage', 'none', {
    unit: 'acres',
  }),
  owner_name: owner('text', 'Owner', 'Primary owner of record, as written on the roll', 'exact', {
    filterDoc: "Primary owner's full name",
  }),
  owner_name_2: owner('text', 'Second owner', 'Secondary owner of record, as written on the roll', 'exact', {
    filterDoc: "Secondary owner's full name",
  }),
  mail_address: owner('text', 'Mailing address', "Street or PO box of the owner's mailing address", 'none', {
    maxChars: ADDRESS_CHARS,
  }),
  mail_city: owner('text', 'Mailing city', "City of the owner's mailing address"),
  mail_state: owner('state', 'Mailing state', "State of the owner's mailing address"),
  mail_zip: owner('zip', 'Mailing ZIP', "ZIP code of the owner's mailing address"),
  situs_address: place('text', 'Address', 'Street address of the parcel', 'none', {
    maxChars: ADDRESS_CHARS,
  }),
  situs_city: place('text', 'City', 'City of the parcel'),
  situs_state: place('state', 'State', 'State of the parcel'),
  situs_zip: place('zip', 'ZIP', 'ZIP code of the parcel'),
  subdivision: place('text', 'Subdivision', 'Subdivision name', 'list'),
  legal_description: place('text', 'Legal description', 'Legal description, as written on the roll'),
  zoning_code: land('text', 'Zoning', 'County zoning code', 'list'),
  land_use_code: land('text', 'Land use', 'County land-use code or label', 'list', {
    filterDoc: 'County land-use code',
  }),
  school_district: place('text', 'School district', 'School district name', 'exact'),
  structure_count: value('integer', 'Structures', 'Number of structures on the parcel', 'range'),
  building_sqft: value('number', 'Building area', 'Total building area', 'range', { unit: 'square feet' }),
  year_built: value('year', 'Year built', 'Year a structure was built', 'range'),
  assessed_total_value: value('money', 'Assessed value', 'Total assessed value', 'range'),
  assessed_land_value: value('money', 'Assessed land value', 'Assessed value of the land', 'range'),
  assessed_improvement_value: value(
    'money',
    'Assessed improvement value',
    'Assessed value of improvements',
    'range',
  ),
  market_total_value: value('money', 'Market value', "Assessor's total market value", 'range'),
  market_land_value: value('money', 'Market land value', "Assessor's market value of the land", 'range'),
  market_improvement_value: value(
    'money',
    'Market improvement value',
    "Assessor's market value of improvements",
    'range',
  ),
  tax_delinquent: value(
    'boolean',
    'Tax delinquent',
    'Whether the parcel is flagged as tax-delinquent',
    'flag',
    {
      filterDoc: 'Flagged as tax-delinquent',
      needs: NEEDS.taxFlags,
    },
  ),
  tax_delinquent_year: value('year', 'Tax delinquent since', 'First year of the current delinquency', 'own'),
  last_sale_date: sale('date', 'Last sale date', 'Deed recording date of the most recent sale', 'range', {
    needs: NEEDS.sales,
  }),
  last_sale_price: sale('money', 'Last sale price', 'Price of the most recent sale', 'range', {
    needs: NEEDS.sales,
  }),
  sale_price_code: sale('text', 'Sale price code', 'Code that qualifies the sale price', 'list'),
  seller_name: sale('text', 'Seller', 'Seller of the most recent sale'),
  document_type_code: sale('text', 'Deed type', 'Deed or document type of the most recent sale', 'list', {
    filterDoc: 'Deed or document type',
  }),
  inter_family_transfer: sale(
    'boolean',
    'Family transfer',
    'Whether the last transfer was within a family',
    'flag',
    { filterDoc: 'Last transfer was within a family' },
  ),
  mortgage_amount: sale('money', 'Mortgage amount', 'First-mortgage loan amount', 'range'),
  mortgage_date: sale('date', 'Mortgage recording date', 'Recording date of the first mortgage', 'range'),
  mortgage_financing_type_code: sale(
    'text',
    'Mortgage financing type',
    'Financing type of the first mortgage',
    'list',
  ),
  mortgage_loan_type_code: sale('text', 'Mortgage loan type', 'Loan type of the first mortgage', 'list'),
  mortgage_interest_rate: sale(
    'number',
    'Mortgage interest rate',
    'Interest rate of the first mortgage',
    'range',
    {
      unit: 'percent',
    },
  ),
  owner_occupied: owner('boolean', 'Owner-occupied', 'Whether the owner lives on the parcel'),
  vacant: land('boolean', 'Vacant', 'Whether the parcel has no structure', 'own'),
} as const satisfies Record<string, FieldSpec>;

export type ParcelField = keyof typeof PARCEL_FIELDS;
export const PARCEL_FIELD_NAMES = Object.keys(PARCEL_FIELDS) as ParcelField[];

const REPEATED: readonly FieldFilter[] = ['range', 'flag', 'own'];

export const FILTERED_FIELDS = PARCEL_FIELD_NAMES.filter(name =>
  REPEATED.includes(PARCEL_FIELDS[name].filter),
);

/** If stated and measured acreage differ by more than this factor, they are a mismatch. */
export const MAX_ACRES_RATIO = 1.5;

/** Null if either is unknown or 0. */
export function areAcresApart(stated: number | null, measured: number | null): boolean | null {
  if (!stated || !measured) return null;
  return Math.max(stated / measured, measured / stated) > MAX_ACRES_RATIO;
}

const NO_SLOPES = 'if no elevation layer has slopes for at least half of the parcel';
const notCovered = (layer: string) =>
  `if no ${layer} layer covers the parcel, or if the parcel has no boundary`;

const NOT_BUILDABLE = 'unless the slope, the wetlands, and the flood zones of the parcel are known';

/** Fields computed from the roll and the land layers. Their filters are written by hand. */
export const COMPUTED_FIELDS = {
  calculated_acres: land('number', 'Acres (measured)', 'Geodesic area of the boundary', 'none', {
    unit: 'acres',
  }),
  acres_mismatch: land(
    'boolean',
    'Acreage mismatch',
    `Whether stated and measured acreages differ by more than a factor of ${MAX_ACRES_RATIO}; null if either is unknown`,
  ),
  improvement_percent: value(
    'number',
    'Improvement share of value',
    'Improvements as a share of total market value, or of assessed value if there is no market value',
    'none',
    { unit: 'percent' },
  ),
  tax_delinquent_years: value(
    'integer',
    'Years delinquent',
    'Years since the first year of the current delinquency; null if that year is unknown or the parcel is flagged as not delinquent',
  ),
  ownership_months: owner(
    'integer',
    'Months owned',
    'Whole months since the last sale was recorded; null if its date is unknown',
  ),
  out_of_state_owner: owner(
    'boolean',
    'Out of state',
    "Whether the owner's mailing address is outside the parcel's state",
  ),
  out_of_county_owner: owner(
    'boolean',
    'Out of county',
    "Whether the owner's mailing address is outside the parcel's county",
  ),
  out_of_zip_owner: owner(
    'boolean',
    'Out of ZIP',
    "Whether the owner's mailing address is outside the parcel's ZIP code",
  ),
  corporate_owner: owner(
    'boolean',
    'Company',
    'Whether the owner is a company, judging by the name (LLC, INC, …). Trusts do not count as companies',
  ),
  hoa_owner: owner(
    'boolean',
    "Homeowners' association",
    "Whether the owner is a homeowners' association, judging by the name",
  ),
  access: land(
    'text',
    'Road access',
    'Road access. `public_road` and `private_road`: such a road touches the parcel, or faces it within the reach of the road. `unmapped`: no mapped road does, but the parcel has a house number and a building, or a corridor between parcels leads to a road. `none`: the parcel is landlocked. `unknown`: no road layer covers the parcel, or its access has not been measured. Easements are not considered',
    'none',
    { values: ROAD_ACCESS },
  ),
  landlocked: land(
    'boolean',
    'Landlocked',
    'Whether the parcel is landlocked: no road and no mapped or implied way reaches it (`access` is `none`). Easements are not considered',
    'none',
    { nullWhen: notCovered('road') },
  ),
  waterfront: land(
    'boolean',
    'Waterfront',
    'Whether the parcel is on a lake, a river, or the sea: its boundary is within 5 m of the water, or the land use on the roll says so',
    'none',
    { nullWhen: `${notCovered('water')}, and the land use on the roll does not say that it is on water` },
  ),
  waterfront_ft: land('number', 'Waterfront', 'Length of the shore', 'none', {
    unit: 'feet',
    nullWhen: notCovered('water'),
  }),
  water_name: land('text', 'Water', 'Name of the lake, river, or sea that has most of the shore', 'none', {
    nullWhen: 'if the parcel is not on water, or if the layer does not name the water',
  }),
  wetlands_percent: land('number', 'Wetlands', 'Share of the parcel that is wetlands', 'none', {
    unit: 'percent',
    nullWhen: notCovered('wetlands'),
  }),
  flood_zone_percent: land('number', 'Flood zone', 'Share of the parcel in a flood zone', 'none', {
    unit: 'percent',
    nullWhen: notCovered('flood'),
  }),
  highway_frontage_ft: land('number', 'Highway frontage', 'Frontage on major highways', 'none', {
    unit: 'feet',
    nullWhen: notCovered('road'),
  }),
  road_frontage_ft: land('number', 'Road frontage', 'Frontage on secondary roads (MTFCC S1200)', 'none', {
    unit: 'feet',
    nullWhen: notCovered('road'),
  }),
  local_frontage_ft: land('number', 'Local road frontage', 'Frontage on local roads', 'none', {
    unit: 'feet',
    nullWhen: notCovered('road'),
  }),
  buildable_acres: land(
    'number',
    'Buildable',
    'Acres that are left after wetlands, special flood hazard areas, water, and ground steeper than 15%. A screening figure, not a permit',
    'none',
    { unit: 'acres', nullWhen: NOT_BUILDABLE },
  ),
  buildable_percent: land('number', 'Buildable share', 'Share of the parcel that is buildable', 'none', {
    unit: 'percent',
    nullWhen: NOT_BUILDABLE,
  }),
  buildable_patch_acres: land(
    'number',
    'Largest buildable piece',
    'Largest connected piece of the buildable land that is at least 60 ft wide everywhere',
    'none',
    { unit: 'acres', nullWhen: NOT_BUILDABLE },
  ),
  mean_slope_percent: land('number', 'Average slope', 'Mean slope of the ground, weighted by area', 'none', {
    unit: 'percent',
    nullWhen: NO_SLOPES,
  }),
  min_elevation_m: land('number', 'Lowest elevation', 'Lowest elevation', 'none', {
    unit: 'meters above sea level',
    nullWhen: NO_SLOPES,
  }),
  mean_elevation_m: land('number', 'Average elevation', 'Mean elevation', 'none', {
    unit: 'meters above sea level',
    nullWhen: NO_SLOPES,
  }),
  max_elevation_m: land('number', 'Highest elevation', 'Highest elevation', 'none', {
    unit: 'meters above sea level',
    nullWhen: NO_SLOPES,
  }),
} as const satisfies Record<string, FieldSpec>;

/** Roll fields first. */
export const ALL_FIELDS: Readonly<Record<string, FieldSpec>> = { ...PARCEL_FIELDS, ...COMPUTED_FIELDS };

/** The fields of a group with their names, in declaration order. */
export const fieldsIn = (
  group: FieldGroup,
  fields: Readonly<Record<string, FieldSpec>> = ALL_FIELDS,
): [name: string, spec: FieldSpec][] => Object.entries(fields).filter(([, spec]) => spec.group === group);

/** A mapped value: text, a number, a date as 'YYYY-MM-DD', a boolean, or null for unknown. */
export type FieldValue = string | number | boolean | null;
