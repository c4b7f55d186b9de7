import { uuidV5 } from '../../shared/domain/uuid.ts';

const SHAPE = 'POLYGON ((-72.15 43.15, -72.05 43.15, -72.05 43.22, -72.15 43.22, -72.15 43.15))';
const PARCELS = [
  3_301_900_000_001, 3_301_900_000_007, 3_301_900_000_100, 3_301_900_001_000, 3_301_999_999_999,
];
/** In another county, on the sample's photograph. */
export const FIELD = 3_809_300_000_001;
const FILTERS = [
  { county: '33019' },
  { county: '33019', order: '-acres' },
  { county: '33019', order: '-value' },
  { county: '33019', order: 'value_per_acre', value_min: 20_000, owner_name_includes: ['A'] },
  { counties: ['33019', '33005'], order: 'acres', acres_min: 2 },
  { county: '33019', out_of_state_owner: true, zoning_codes: ['R'] },
  { county: '33019', owner_name_includes: ['SMITH'] },
  { geom_intersects: SHAPE },
  { geom_intersects: SHAPE, order: '-acres', acres_min: 5 },
  { geom_intersects: SHAPE, owner_name_includes: ['A'] },
  { geom_intersects: SHAPE, value_per_acre_max: 9_000 },
  { geom_intersects: 'POINT (-72.1 43.18)' },
  { owner_parcel_id: 3_301_900_000_100 },
];
const PERSON = { first_name: 'Edith', last_name: 'Perrin', address: '649 Linden Dr', zip: '11790' };
const LISTING = uuidV5('listing:Generated sample (not real listings)\u0000GEN-002');

/** An operation, what stands in its address and behind it, and its body. */
export type Question = [operation: string, query?: string, body?: object];

/** In turn: {id} is that of the last thing that was made. */
export const QUESTIONS: Question[] = [
  ...PARCELS.flatMap((id): Question[] => [
    ['get_property', `${id}`],
    ['get_property_ai_comp_value', `${id}`],
    ['get_property_ai_comp_value', `${id}?explain=true`],
    ['get_owner_portfolio', `${id}`],
    ['get_parcel_image', `${id}`],
    ['skip_trace_property_owner', `${id}`],
    ['create_comp_report', '', { property_id: id }],
  ]),
  ['get_parcel_image', `${FIELD}`],
  ['skip_trace_owner', '', PERSON],
  ['list_filters'],
  ['find_regions', '?q=sullivan'],
  ...['main street', '7-40', 'smith', 'washington'].map((q): Question => ['search', `?q=${q}`]),
  ['get_coverage'],
  ['get_county_coverage', '33019'],
  ['get_county_quality', '33019'],
  ['get_county_market_stats', '33019'],
  ['get_zip_market_stats', '03280'],
  ['get_county_market_history', '33019'],
  ['get_zip_market_history', '03280?from=2023-01-01'],
  ['compare_markets', '', { regions: ['33019', '23019'] }],
  ['list_top_markets', '?key=Active&figures=true'],
  ...['owner_name=smith', 'apn=14', 'owner_name=a', 'owner_name=forest&page_size=5'].map(
    (query): Question => ['search_properties', `?fips=33019&${query}`],
  ),
  ...['fips=33019', 'zip=03280&order=-ppa', 'point=-72.1&point=43.18&dist=5000'].map(
    (query): Question => ['list_comps', `?${query}`],
  ),
  ['list_changes', '?from=now'],
  ['save_market', '', { region_id: uuidV5('county:33019') }],
  ['list_saved_markets'],
  ['unsave_market', '{id}'],
  ['create_list', '', { name: 'mailing', one_per_owner: true, offer: { percent: 30 } }],
  ['add_list_rows', '{id}', { filter: { county: '33019', acres_min: 5, acres_max: 20 } }],
  ['update_list_rows', '{id}', { with_status: 'new', status: 'mailed', do_not_mail: true }],
  ['get_list', '{id}'],
  ['list_lists'],
  ['read_list_rows', '{id}?page_size=7'],
  ['remove_list_rows', '{id}?property_ids=3301900000100'],
  ['update_list', '{id}', { name: 'letters' }],
  ['delete_list', '{id}'],
  ['create_export', '', { filter: { county: '33019', acres_min: 5, acres_max: 20 }, format: 'csv' }],
  ['get_export', '{id}'],
  ['list_exports'],
  ['cancel_export', '{id}'],
  ['delete_export', '{id}'],
  ['create_search', '', { name: 'large lots', filter: { county: '33019', acres_min: 5 } }],
  ['get_search', '{id}'],
  ['list_searches'],
  ['update_search', '{id}', { filter: { county: '33019', acres_min: 5, acres_max: 20 } }],
  ['list_search_changes', '{id}'],
  ['delete_search', '{id}'],
  ['create_webhook', '', { url: 'https://example.com/plat', types: ['parcel.changed'] }],
  ['get_webhook', '{id}'],
  ['list_webhooks'],
  ['update_webhook', '{id}', { enabled: true }],
  ['test_webhook', '{id}'],
  ['list_webhook_deliveries', '{id}'],
  ['replay_webhook', '{id}', { since: '2026-01-01T00:00:00Z' }],
  ['rotate_webhook_secret', '{id}'],
  ['delete_webhook', '{id}'],
  ['create_deal_flow_listing', '', { listing_id: LISTING, purchase_price: '12000' }],
  ['delete_deal_flow_listing', '{id}'],
  ['create_deal_flow_listing', '', { listing_id: LISTING, purchase_price: '13000' }],
  ...FILTERS.flatMap(body =>
    ['', '?page_size=7', '?page_size=7&page=2'].map((query): Question => ['filter_properties', query, body]),
  ),
  ...FILTERS.map((body): Question => ['quote_filter', '', body]),
];
/** When the jobs are done that these led to. */
export const LATER: Question[] = [
  ['get_deal_flow_listing', '{id}'],
  ['update_deal_flow_listing', '{id}', { status: 'offer_received' }],
  ['get_deal_flow_listing_history', '{id}'],
  ['list_deal_flow_listings', '?explain=true'],
  ['get_usage'],
  ['get_usage_breakdown'],
];
