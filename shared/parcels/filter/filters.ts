import { z } from 'zod';
import { likeLiteral, wordPatterns, wordsOf, wordsSql } from '../../kernels/owner/owner-words.ts';
import { isoDay, minusMonths, utcDay } from '../../kernels/stats/calendar.ts';
import { NEEDS, onRoll } from '../../model/loaded-data.ts';
import {
  type FieldGroup,
  type FieldSpec,
  MAX_ACRES_RATIO,
  PARCEL_FIELD_NAMES,
  PARCEL_FIELDS,
  type ParcelField,
} from '../../model/parcel-fields.ts';
import { ACRES_SLACK } from '../../model/shown-acres.ts';
import { assemblageFilters } from './assemblage-filters.ts';
import { changedSinceFilter } from './changed-since.ts';
import {
  anyOfFilter,
  booleanFilter,
  booleanValue,
  defineFilter,
  equalsFilter,
  type Filter,
  flagFilter,
  line,
  listOf,
  rangeFilter,
  wholeNumber,
} from './declare-filter.ts';
import { knownFilter } from './known-fields.ts';
import { landFilters } from './land-filters.ts';
import { overlaysFilter } from './overlay-filter.ts';
import { placeFilters } from './place-filters.ts';

/** The filters that a roll field declares. Empty if it declares none or if its filter is in this file. */
function filtersOf(name: ParcelField): Filter[] {
  const spec: FieldSpec = PARCEL_FIELDS[name];
  const needs = spec.needs ?? onRoll(name, lowerFirst(spec.label));
  return predicatesOf(name, spec).map(declared => ({ ...declared, field: name, group: spec.group, needs }));
}

/** Lowercases a label for use within a sentence, except for abbreviations such as APN. */
const lowerFirst = (label: string): string =>
  /^\p{Lu}{2}/u.test(label) ? label : label[0]!.toLowerCase() + label.slice(1);

function predicatesOf(name: ParcelField, spec: FieldSpec): Filter[] {
  const { type, unit, label, filter: kind } = spec;
  const description = spec.filterDoc ?? spec.doc;
  switch (kind) {
    case 'range':
      return rangeFilter({
        name,
        label,
        column: `f.${name}`,
        type: type === 'number' || type === 'date' ? type : 'integer',
        ...(unit && { unit }),
        ...(type === 'year' && { least: 1000, most: 9999 }),
        ...(unit === 'percent' && { most: 100 }),
        description: type === 'date' ? `${description}, YYYYMMDD` : description,
      });
    case 'flag':
      return [booleanFilter(name, label, `f.${name}`, `${description} (true) or not (false).`)];
    case 'list':
      return [anyOfFilter(`${name}s`, label, `p.${name}`, description)];
    case 'exact':
      return [equalsFilter(name, label, `p.${name}`, description)];
    default:
      return [];
  }
}

const fields = (...names: ParcelField[]) => names.flatMap(filtersOf);

const parcelFilters: Filter[] = [
  ...rangeFilter({
    name: 'acres',
    label: 'Acres',
    column: 'f.effective_acres',
    slack: ACRES_SLACK,
    type: 'number',
    unit: 'acres',
    description: 'Acreage stated by the assessor, or measured acreage if none is stated',
  }),
  defineFilter({
    name: 'acres_mismatch',
    label: 'Acreage mismatch',
    type: 'boolean',
    description: `Stated and measured acreages differ by more than a factor of ${MAX_ACRES_RATIO} (true) or don't (false). Parcels never match if either is unknown.`,
    schema: booleanValue,
    on: 'p',
    where: value =>
      `p.acres > 0 and p.calculated_acres > 0
      and ${value ? '' : 'not '}(greatest(p.acres / p.calculated_acres, p.calculated_acres / p.acres) > ${MAX_ACRES_RATIO})`,
  }),
  ...fields('structure_count', 'building_sqft', 'year_built'),
  flagFilter('vacant_only', 'Vacant', 'f.vacant', 'Only vacant parcels (no known structure).'),
  ...fields('school_district', 'subdivision', 'zoning_code', 'land_use_code'),
];

/** Half a unit of the last decimal shown. Estimates have two decimals. */
const CENT_SLACK = 0.005;

const valueFilters: Filter[] = [
  ...rangeFilter({
    name: 'value',
    label: 'Estimated value',
    needs: NEEDS.estimates,
    column: 'v.mean_adjusted_price',
    slack: CENT_SLACK,
    type: 'number',
    unit: 'USD',
    on: 'v',
    description: 'Estimated value (mean_adjusted_price in ai-comp-value/)',
  }),
  ...rangeFilter({
    name: 'value_per_acre',
    label: 'Estimated value per acre',
    needs: NEEDS.estimates,
    column: 'v.mean_adjusted_ppa',
    slack: CENT_SLACK,
    type: 'number',
    unit: 'USD',
    on: 'v',
    description: 'Estimated value per acre (mean_adjusted_ppa in ai-comp-value/)',
  }),
  ...rangeFilter({
    name: 'improvement_percent',
    label: 'Improvement share of value',
    needs: NEEDS.values,
    column: 'f.improvement_percent',
    shown: 2,
    type: 'number',
    unit: 'percent',
    description: 'Improvements as a share of market value, or of assessed value if there is none',
  }),
  ...fields('assessed_total_value', 'assessed_land_value', 'assessed_improvement_value'),
  ...fields('market_total_value', 'market_land_value', 'market_improvement_value'),
  ...fields('tax_delinquent'),
  defineFilter({
    name: 'tax_delinquent_years_min',
    label: 'Years delinquent',
    needs: NEEDS.taxYears,
    type: 'integer',
    unit: 'years',
    description:
      'Minimum years delinquent: the current year minus the first year of the delinquency. Parcels flagged as not delinquent never match.',
    schema: wholeNumber({ most: 1000 }),
    on: 'f',
    where: (years, { bind, asOf }) =>
      `f.tax_delinquent is not false and f.tax_delinquent_year <= ${bind(asOf.getUTCFullYear() - years)}::int`,
  }),
];

/** The date `months` before `asOf`, computed like PostgreSQL's `date - interval`. */
const monthsBefore = (asOf: Date, months: number): string =>
  isoDay(minusMonths(utcDay(asOf.getTime()), months));

/** 400 years. */
const MAX_MONTHS = 4_800;
const ownershipMonths = (bound: 'min' | 'max', description: string) =>
  defineFilter({
    name: `ownership_months_${bound}`,
    label: 'Months owned',
    needs: NEEDS.sales,
    type: 'integer',
    unit: 'months',
    description,
    range: { of: 'ownership_months', bound },
    schema: wholeNumber({ most: MAX_MONTHS }),
    on: 'f',
    where: (months, { bind, asOf }) =>
      bound === 'min'
        ? `f.last_sale_date <= ${bind(monthsBefore(asOf, months))}::date`
        : `f.last_sale_date > ${bind(monthsBefore(asOf, months + 1))}::date`,
  });

const saleFilters: Filter[] = [
  ...fields('last_sale_price', 'sale_price_code', 'last_sale_date'),
  ownershipMonths('min', 'Whole months since the last sale was recorded. Minimum, inclusive.'),
  ownershipMonths('max', 'Whole months since the last sale was recorded. Maximum, inclusive.'),
  defineFilter({
    name: 'seller_name_contains',
    label: 'Seller name contains',
    needs: NEEDS.sellers,
    type: 'list of strings',
    description: "Most recent seller's name contains any of these strings, ignoring case.",
    schema: listOf(line),
    on: 'p',
    where: (pieces, { bind }) => {
      const patterns = pieces.map(piece => `%${likeLiteral(piece)}%`);
      return `upper(p.seller_name) like any (array(select upper(v) from unnest(${bind(patterns)}::text[]) v))`;
    },
  }),
  ...fields('document_type_code', 'inter_family_transfer', 'mortgage_amount', 'mortgage_date'),
  ...fields('mortgage_financing_type_code', 'mortgage_loan_type_code', 'mortgage_interest_rate'),
];

const words = listOf(line.refine(text => wordsOf(text) !== '', 'must contain a letter or digit'));

/**
 * Matches whole words (owner-words.ts), after a cheap check for the letters in order. Non-ASCII names skip
 * the check.
 */
const hasWord = (words: readonly string[], bind: (value: unknown) => string): string => {
  const inOrder = words.map(word => `%${[...wordsOf(word).replaceAll(' ', '')].join('%')}%`);
  return `(upper(p.owner_name collate "C") like any (${bind(inOrder)}::text[])
      or octet_length(p.owner_name) <> char_length(p.owner_name))
    and ${wordsSql('p.owner_name')} like any (${bind(wordPatterns(words))}::text[])`;
};

const mailedElsewhere = (place: 'state' | 'county' | 'zip', short: string, words: string) =>
  booleanFilter(
    `out_of_${place}_owner`,
    `Out-of-${short} owner`,
    `f.out_of_${place}_owner`,
    `Owner's mailing address is outside the parcel's ${words} (true) or inside it (false).`,
    { needs: NEEDS.owners },
  );

const OCCUPANCY = ['Y', 'N'] as const;

const ownerFilters: Filter[] = [
  mailedElsewhere('state', 'state', 'state'),
  mailedElsewhere('county', 'county', 'county'),
  mailedElsewhere('zip', 'ZIP', 'ZIP code'),
  flagFilter(
    'exclude_corp_owner',
    'Individuals only',
    'f.corporate_owner is not true',
    'Excludes corporate owners (LLC, INC, CORP, LP, LLP, LTD, CO, and variants). Trusts are kept.',
    { keepsUnknown: 'corporate_owner', needs: NEEDS.owners },
  ),
  flagFilter(
    'exclude_hoa_owner',
    'No HOA owners',
    'f.hoa_owner is not true',
    "Excludes parcels owned by homeowners' associations.",
    {
      keepsUnknown: 'hoa_owner',
      needs: NEEDS.owners,
    },
  ),
  defineFilter({
    name: 'owner_occupied',
    label: 'Owner-occupied',
    needs: NEEDS.owners,
    type: 'string',
    description: 'Y: only owner-occupied parcels. N: only parcels whose owner lives elsewhere.',
    values: OCCUPANCY,
    schema: z.enum(OCCUPANCY, 'must be Y or N'),
    on: 'f',
    where: value => (value === 'Y' ? 'f.owner_occupied' : 'not f.owner_occupied'),
  }),
  defineFilter({
    name: 'owner_name_includes',
    label: 'Owner name contains',
    needs: NEEDS.owners,
    type: 'list of strings',
    description: "Primary owner's name contains any of these as whole words, ignoring case.",
    schema: words,
    on: 'p',
    where: (value, { bind }) => hasWord(value, bind),
  }),
  defineFilter({
    name: 'owner_name_excludes',
    label: "Owner name doesn't contain",
    needs: NEEDS.owners,
    type: 'list of strings',
    description:
      "Primary owner's name contains none of these as whole words, ignoring case. Parcels without an owner name are kept.",
    schema: words,
    keepsUnknown: 'owner_name',
    on: 'p',
    where: (value, { bind }) => `not coalesce(${hasWord(value, bind)}, false)`,
  }),
  ...fields('owner_name', 'owner_name_2'),
];

export const ORDERS = [
  'property_id',
  'acres',
  '-acres',
  'value',
  '-value',
  'value_per_acre',
  '-value_per_acre',
  'last_sale_date',
  '-last_sale_date',
  'assemblage_acres',
  '-assemblage_acres',
  'buildable_acres',
  '-buildable_acres',
] as const;
export type Order = (typeof ORDERS)[number];

const order = defineFilter({
  name: 'order',
  label: 'Sort by',
  type: 'string',
  description:
    'Sort order. `acres` is the effective acreage, and `value` is the estimate. A leading minus sorts in descending order, also ties by `property_id`. Unknown values come last.',
  values: ORDERS,
  default: 'property_id',
  schema: z.enum(ORDERS, `must be one of ${ORDERS.join(', ')}`),
  on: 'f',
});

const inGroup = (group: FieldGroup, filters: readonly Filter[]): Filter[] =>
  filters.map(declared => ({ group, ...declared }));

const placed: readonly Filter[] = [
  ...inGroup('Location', placeFilters),
  ...inGroup('Land', parcelFilters),
  ...inGroup('Buildings and values', valueFilters),
  ...inGroup('Sale and mortgage', saleFilters),
  ...inGroup('Owner', ownerFilters),
  ...inGroup('Land', landFilters),
  ...inGroup('Land', assemblageFilters),
  ...inGroup('Land', [overlaysFilter]),
];

/** Every field of a filter body, in documentation order. Roll fields that aren't listed above come last. */
export const FILTERS: readonly Filter[] = [
  ...placed,
  ...fields(...PARCEL_FIELD_NAMES).filter(({ name }) => placed.every(other => other.name !== name)),
  changedSinceFilter,
  knownFilter,
  order,
];
