import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARCEL_FIELD_NAMES } from '../../../shared/model/parcel-fields.ts';

/** Requests to the bundled sample, with their responses. The web app is at https://app.example.org. */
const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8'));

export const COMPS_EXAMPLE = read('comps');
export const COVERAGE_EXAMPLE = read('coverage');
export const QUALITY_EXAMPLE = read('quality');
export const OVERLAYS_EXAMPLE = read('overlays');
export const DEAL_EXAMPLE = read('deal');
/** The same deal, before its listing is found. */
export const NEW_DEAL_EXAMPLE = {
  ...DEAL_EXAMPLE,
  address: null,
  county: null,
  state: null,
  acreage: null,
  price: null,
  days_on_market: null,
  traction_score: null,
  listing_grade: '',
  price_advantage: null,
  suggested_action: '',
  suggested_action_price: null,
  advice: null,
  expected_profit: '-14250.00',
  property_id: null,
  fetch_status: 'waiting',
  fetched_at: null,
  views: null,
  saves: null,
};
const detail = read('property-detail');
/** Roll fields that the file doesn't have are unknown. */
export const DETAIL_EXAMPLE = {
  ...detail,
  ...Object.fromEntries(PARCEL_FIELD_NAMES.filter(name => !(name in detail)).map(name => [name, null])),
};
/** The parcel in DETAIL_EXAMPLE and PORTFOLIO_EXAMPLE. It is in Washington, New Hampshire. */
export const EXAMPLE_ID: number = DETAIL_EXAMPLE.property_id;
export const FILTER_EXAMPLE = read('filter');
/** Matches enough parcels for their number to be disclosed. */
export const WIDE_FILTER = { county: '33019', acres_min: 5, acres_max: 20, out_of_state_owner: true };
const markets = read('markets');
export const COMPARE_EXAMPLE = markets.compare;
export const HISTORY_EXAMPLE = markets.history;
const unknown = HISTORY_EXAMPLE.value.dates.map(() => null);
/** All of the sample's sales are in this ZIP code, which has no price index. */
export const ZIP_HISTORY_EXAMPLE = {
  ...HISTORY_EXAMPLE,
  value: {
    ...HISTORY_EXAMPLE.value,
    type: 'zip',
    fips: null,
    zip: '03280',
    keys: {
      ...HISTORY_EXAMPLE.value.keys,
      price_index: unknown,
      price_index_low: unknown,
      price_index_high: unknown,
    },
  },
};
export const TOP_EXAMPLE = markets.top;
export const LIST_ROW_EXAMPLE = read('list-row');
export const PORTFOLIO_EXAMPLE = read('owner-portfolio');
export const SEARCH_BOX_EXAMPLE = read('search');
export const SEARCH_EXAMPLE = read('property-search');
export const STATS_EXAMPLE = read('stats-33019');
export const SKIP_TRACE_EXAMPLE = read('skip-trace');
/** These are the same with or without the sample's generated listings. */
export const VALUE_EXAMPLE = read('comp-value').response;
export const VALUE_EXAMPLE_ID: number = read('comp-value').property_id;
