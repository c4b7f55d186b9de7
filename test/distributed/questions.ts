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
const COUNTY = { county: '33019', acres_min: 5, acres_max: 20 };
const EXPORTED = [
  { filter: COUNTY, format: 'csv', boundary: true },
  { filter: COUNTY, format: 'xlsx' },
  { filter: { ...COUNTY, value_min: 1_000 }, format: 'geojsonl' },
  { filter: COUNTY, format: 'geoparquet' },
  { filter: COUNTY, format: 'kml' },
  { filter: { geom_intersects: SHAPE, acres_min: 5 }, format: 'csv' },
  { filter: { counties: ['33019', '33005'], acres_min: 10 }, format: 'csv', columns: ['property_id', 'apn'] },
  { filter: { county: '33019', acres_min: 2 }, format: 'csv', one_per_owner: true },
  { filter: { county: '33019', owner_name_includes: ['A'] }, format: 'csv' },
  { filter: { owner_parcel_id: 3_301_900_000_100 }, format: 'csv' },
  { list_id: '{create_list}', format: 'csv' },
  { list_id: '{create_list}', format: 'geojsonl', one_per_owner: false },
  { list_id: '{create_list}', format: 'csv', status: 'answered' },
  { comps: { fips: '33019' }, format: 'csv' },
  { markets: [uuidV5('county:33019')], format: 'csv' },
];
const PERSON = { first_name: 'Edith', last_name: 'Perrin', address: '649 Linden Dr', zip: '11790' };
const LISTING = uuidV5('listing:Generated sample (not real listings)\u0000GEN-002');

/** An operation, its path and query, and its body. */
export type Question = [operation: string, query?: string, body?: object];

/**
 * Asked in turn. {id} is the last thing that was created, {create_list} the last that create_list
 * created, and {cursor} the place in the changes where the questions started.
 */
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
  ['list_changes', '?from=now&fips=33019&types=parcel.changed'],
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
  ['create_list', '', { name: 'kept' }],
  ['add_list_rows', '{id}', { property_ids: [...PARCELS, FIELD] }],
  ['add_list_rows', '{id}', { filter: { geom_intersects: SHAPE, acres_min: 10 } }],
  ['add_list_rows', '{id}', { filter: { county: '33019', acres_min: 5 } }],
  ['update_list_rows', '{id}', { property_ids: PARCELS.slice(0, 2), status: 'answered', tags_add: ['call'] }],
  // Twice: the rows that the company has paid for are free.
  ...['page_size=50', 'page_size=50', 'page_size=50&page=2', 'status=answered', 'tag=call'].map(
    (query): Question => ['read_list_rows', `{id}?${query}`],
  ),
  ['update_list', '{id}', { one_per_owner: true }],
  ['read_list_rows', '{id}?page_size=20'],
  ['get_list', '{id}'],
  ...EXPORTED.flatMap((body): Question[] => [
    ['create_export', '', body],
    ['get_export', '{id}'],
  ]),
  ['list_exports'],
  ['cancel_export', '{id}'],
  ['delete_export', '{id}'],
  ['create_search', '', { name: 'large lots', filter: { county: '33019', acres_min: 5 } }],
  ['get_search', '{id}'],
  ['list_searches'],
  ['list_search_changes', '{id}'],
  ['delete_search', '{id}'],
  ['create_search', '', { name: 'some lots', filter: { county: '33019', acres_min: 5 } }],
  ['update_search', '{id}', { filter: { county: '33019', acres_min: 0.2, acres_max: 20 } }],
  ['list_changes', '?from=now&search_id={id}'],
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
/** When the jobs are done that these led to, and a roll has changed. */
export const LATER: Question[] = [
  ['get_deal_flow_listing', '{id}'],
  ['update_deal_flow_listing', '{id}', { status: 'offer_received' }],
  ['get_deal_flow_listing_history', '{id}'],
  ['list_deal_flow_listings', '?explain=true'],
  ['list_changes', '?cursor={cursor}'],
  ['list_changes', '?cursor={cursor}&limit=3'],
  ['list_search_changes', '{create_search}'],
  ['get_search', '{create_search}'],
  ['read_list_rows', '{create_list}?page_size=50'],
  ['get_list', '{create_list}'],
  ['create_export', '', { list_id: '{create_list}', format: 'csv' }],
  ['filter_properties', '', { county: '33019', owner_name_includes: ['OWNER'] }],
  ['get_usage'],
  ['get_usage_breakdown'],
];

/** Pages of the web app that read parcels, and the tiles of its map from the nation down to a street. */
export const PAGES = [
  '/data?county=33019',
  '/data?county=33019&page=2&owner_name_includes=A',
  '/data?parcel=3301900000100',
  '/data?q=smith&county=33019',
  '/data/box.json?county=33019&value_min=1000',
  '/data/spreads?county=33019',
  '/data/credits?box=-72.2,43.1,-72,43.3&layers=roads,wetlands,flood',
  '/data/drawing/3301900000100.svg',
  '/data?county=33019&view=table&order=-value',
  '/data?county=33019&color=value_per_acre',
  '/search?q=smith',
  '/search/options?q=washington',
  '/coverage',
  '/coverage/values.json',
  '/coverage/33019',
  '/lists',
  '/lists/{create_list}',
  '/searches',
  '/searches/{create_search}',
  '/markets?type=zip&state=NH',
  '/markets/values.json',
  '/markets/export.csv',
  '/markets/33019',
  '/markets/33019?format=csv&bucket=2+acre-100+acre',
  '/markets/zip/03280',
  '/deals',
  '/deals/{create_deal_flow_listing}',
  '/deals/export.csv',
  '/exports',
  '/comping',
  '/comping/{report_id}',
  '/comping/{report_id}/comps.csv',
  '/comping/{report_id}/comps.json',
  '/account',
  ...['9/153/187', '11/613/751', '13/2455/3004', '16/19642/24036'].flatMap(tile => [
    `/tiles/parcels/${tile}.mvt`,
    `/tiles/parcels/${tile}.mvt?county=33019&color=slope`,
  ]),
];
