import { listFilledFields } from '../../../shared/feeds/feed-statements.ts';
import type { Filter } from '../../../shared/parcels/filter/declare-filter.ts';
import { rangeLabelOf } from '../../../shared/parcels/filter/declare-filter.ts';
import type { Coverage } from '../../v1/feeds/get-coverage.ts';
import { countyCoverage } from '../../v1/feeds/get-coverage.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';

/** What is known of a county: its coverage, and the fields that its rolls have a value of. */
export type Known = { coverage: Coverage; filled: ReadonlySet<string> };

/** @throws PlatError `not_found` */
export async function readKnown(visit: Visit, fips: string): Promise<Known> {
  const [coverage, filled] = await Promise.all([
    callEndpoint<Coverage>(visit, countyCoverage, { params: { fips } }),
    listFilledFields(visit.deps.resources.database, Number(fips)),
  ]);
  return { coverage, filled };
}

/** What a filter reads, in words, and whether a county has it. */
export type Need = { words: string; isKnown(known: Known): boolean };

const layer = (kind: string, words: string): Need => ({
  words,
  isKnown: ({ coverage }) => coverage.sources.some(source => source.kind === kind),
});

const ROADS = layer('roads', 'roads');
const WETLANDS = layer('wetlands', 'wetlands');
const FLOOD = layer('flood', 'flood zones');
const HEIGHTS = layer('elevation', 'slopes');
const OWNERS: Need = { words: 'owners', isKnown: ({ coverage }) => coverage.with_owner > 0 };
const SALES: Need = { words: 'sales', isKnown: ({ coverage }) => coverage.with_sale > 0 };
const VALUES: Need = { words: 'assessed values', isKnown: ({ coverage }) => coverage.with_values > 0 };
const ESTIMATES: Need = {
  words: 'estimates',
  isKnown: ({ coverage }) => coverage.valuations_as_of !== null,
};

const onRoll = (field: string, words: string): Need => ({
  words,
  isKnown: ({ filled }) => filled.has(field),
});

/** Of filters that are not of one field of the roll; of both bounds of a range by its name. */
const NEEDS: Readonly<Record<string, Need>> = {
  exclude_landlocked: ROADS,
  only_landlocked: ROADS,
  road_frontage: ROADS,
  count_highway_frontage: ROADS,
  count_road_frontage: ROADS,
  count_local_frontage: ROADS,
  wetlands_percent: WETLANDS,
  flood_zone_percent: FLOOD,
  exclude_steep: HEIGHTS,
  slope_area_index: HEIGHTS,
  slope_area_percent: HEIGHTS,
  out_of_state_owner: OWNERS,
  out_of_county_owner: OWNERS,
  out_of_zip_owner: OWNERS,
  exclude_corp_owner: OWNERS,
  exclude_hoa_owner: OWNERS,
  owner_occupied: OWNERS,
  owner_name_includes: OWNERS,
  owner_name_excludes: OWNERS,
  ownership_months: SALES,
  last_sale_date: SALES,
  last_sale_price: SALES,
  seller_name_contains: onRoll('seller_name', 'sellers'),
  improvement_percent: VALUES,
  value: ESTIMATES,
  value_per_acre: ESTIMATES,
  tax_delinquent_years: onRoll('tax_delinquent_year', 'delinquent taxes'),
  tax_delinquent: onRoll('tax_delinquent', 'delinquent taxes'),
};

/** Undefined where every county has what the filter reads. */
function needOf(filter: Filter): Need | undefined {
  const { name, field } = filter;
  const need = NEEDS[name.replace(/_(min|max)$/, '')];
  return need ?? (field && onRoll(field, `“${rangeLabelOf(filter)}”`));
}

/** Whether no parcel of a county can match, or be told from others, by a filter. */
export function isLacking(filter: Filter, known: Known | undefined): boolean {
  return known !== undefined && needOf(filter)?.isKnown(known) === false;
}

const and = new Intl.ListFormat('en-US');

/** `wetlands and slopes`, of several filters, each once. */
export const needsText = (filters: readonly Filter[]): string =>
  and.format(new Set(filters.map(filter => needOf(filter)?.words ?? `“${rangeLabelOf(filter)}”`)));
