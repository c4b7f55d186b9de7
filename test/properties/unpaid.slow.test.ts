import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { endpoints } from '../../api/endpoints.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { keepFewRegions } from '../db/market-support.ts';
import { expectAlike, FEW, idIn, MANY, newClient, type Step, startTwins, take } from '../support/twins.ts';

/**
 * A client without tokens learns nothing that is sold: whatever it calls, two services whose data differ in
 * an owner, a value, or the parcels that a filter finds, give it the same bytes. Exact counts from 25 up are
 * not among that: they are quoted for free, 500 per day, and may be compared.
 */
const SCRIPTS = Number(process.env.SCRIPTS ?? 25);

const twins = await startTwins(async ({ pool }) => {
  await keepFewRegions(pool);
  await recomputeStats(pool, { all: true }, { asOf: '2026-06-30' });
});
beforeEach(async () => {
  for (const twin of twins) await newClient(twin);
});

const few = { county: String(FEW) };
const many = { county: String(MANY) };
const VALUABLE = { market_total_value_min: 15_000 };

const ids = (count: number, fips = FEW) => Array.from({ length: count }, (_, i) => idIn(fips, i + 1));

const id = fc.constantFrom(...ids(4), ...ids(3, MANY), idIn(FEW, 99));
const someIds = fc.oneof(fc.constantFrom(ids(12), ids(30, MANY)), fc.uniqueArray(id, { minLength: 1 }));
const filter = fc.constantFrom<object>(
  few,
  { ...few, acres_min: 3 },
  { ...few, ...VALUABLE },
  { ...few, ...VALUABLE, acres_min: 3 },
  { zips_include: ['03280'], ...VALUABLE },
  many,
  { ...many, ...VALUABLE },
  { ...many, market_total_value_min: 5_000 },
  { ...few, apn: '1-5' },
  { ...few, property_id: idIn(FEW, 1), ...VALUABLE },
  { ...many, property_id: idIn(MANY, 1), ...VALUABLE },
  { owner_parcel_id: idIn(FEW, 1) },
  { ...few, owner_name: 'ADA ONE', acres_min: 3 },
  { ...few, owner_name_includes: ['BEA'], ...VALUABLE },
  { list_id: '{made}' },
  { list_id: '{made}', ...VALUABLE },
);
const made = fc.constant({ id: '{made}' });
const property = id.map(property_id => ({ property_id }));
const status = fc.constantFrom('new', 'mailed', 'answered');
const quoted = fc.constantFrom<Record<string, string>>({}, { quote: 'true' });
const settings = fc.record(
  {
    one_per_owner: fc.boolean(),
    offer: fc.constantFrom(null, { percent: 30, of: 'market_value' }),
    leave_out: fc.constantFrom<object>(
      { lists: ['{made}'] },
      { mailed_within_days: 30 },
      { lists: [], mailed_within_days: null },
    ),
  },
  { requiredKeys: [] },
);
const nothing = fc.constant({});
const paging = fc.record({
  page: fc.constantFrom(1, 1, 2, 5),
  page_size: fc.constantFrom(1, 5, 25, 500),
});

/** Arguments for every operation; one that is new has to say what a client would try. */
type Given = Omit<Step, 'operation' | 'how'>;
const CALLS: Record<string, fc.Arbitrary<Given>> = {
  search: fc
    .constantFrom('main st', '1 main st', 'ada', 'bea two', '1-5', String(idIn(FEW, 1)), String(idIn(FEW, 3)))
    .map(q => ({ query: { q } })),
  filter_properties: fc.record({ body: filter, query: quoted }),
  quote_filter: fc.record({ body: filter }),
  search_properties: fc.constant({ query: { fips: String(FEW), owner_name: 'ada' } }),
  get_property: fc.record({ params: property, query: quoted }),
  get_parcel_image: fc.record({ params: property }),
  get_owner_portfolio: fc.record({ params: property, query: quoted }),
  get_property_ai_comp_value: fc.record({ params: property, query: quoted }),
  skip_trace_property_owner: fc.record({ params: property, query: quoted }),
  skip_trace_owner: fc.record({ body: fc.constant({ first_name: 'Ada', last_name: 'One', zip: '03280' }) }),
  list_filters: nothing,
  get_county_market_stats: fc.record({ params: fc.constant({ fips: String(FEW) }), query: quoted }),
  get_zip_market_stats: fc.record({ params: fc.constant({ zip: '03280' }) }),
  get_county_market_history: fc.record({ params: fc.constant({ fips: String(FEW) }) }),
  get_zip_market_history: fc.record({ params: fc.constant({ zip: '03280' }) }),
  compare_markets: fc.record({ body: fc.constant({ regions: [String(FEW)] }) }),
  list_top_markets: fc
    .constantFrom(0, 1, 5, 6, 7, 25)
    .map(least_sales => ({ query: { key: 'Sold: 1yr', bucket: '5 acre-10 acre', least_sales } })),
  list_comps: fc.record({
    query: fc.tuple(paging, quoted).map(
      ([pages, quote]): Record<string, string | number> => ({
        fips: FEW,
        acres_max: 10,
        ...pages,
        ...quote,
      }),
    ),
  }),
  list_changes: fc.constantFrom<Given[]>({ query: { fips: String(FEW) } }, { query: { from: 'now' } }),
  list_searches: nothing,
  create_search: fc.record({ body: filter.map(one => ({ name: 'a search', filter: one })) }),
  get_search: fc.record({ params: made }),
  update_search: fc.record({ params: made, body: filter.map(one => ({ filter: one })) }),
  delete_search: fc.record({ params: made }),
  list_search_changes: fc.record({ params: made, query: quoted }),
  list_webhooks: nothing,
  create_webhook: fc.constant({ body: { url: 'http://127.0.0.1:9/', types: ['search.changed'] } }),
  get_webhook: fc.record({ params: made }),
  update_webhook: fc.record({ params: made, body: fc.constant({ enabled: false }) }),
  delete_webhook: fc.record({ params: made }),
  rotate_webhook_secret: fc.record({ params: made }),
  test_webhook: fc.record({ params: made }),
  replay_webhook: fc.record({ params: made, body: fc.constant({ since: '2026-06-30T00:00:00Z' }) }),
  list_webhook_deliveries: fc.record({ params: made }),
  list_lists: nothing,
  create_list: fc.record({ body: settings.map(one => ({ name: 'a list', ...one })) }),
  get_list: fc.record({ params: made }),
  update_list: fc.record({ params: made, body: settings.map(one => ({ name: 'changed', ...one })) }),
  delete_list: fc.record({ params: made }),
  read_list_rows: fc.record({
    params: made,
    query: fc
      .tuple(paging, quoted, fc.constantFrom({}, { status: 'mailed' }, { tag: 'a' }))
      .map((parts): Record<string, string | number> => Object.assign({}, ...parts)),
  }),
  add_list_rows: fc.record({
    params: made,
    query: fc.constantFrom<Record<string, string>>({}, {}, { pay: 'true' }, { quote: 'true' }),
    body: fc.oneof(
      filter.map(one => ({ filter: one })),
      someIds.map(property_ids => ({ property_ids })),
      fc.constant({ apns: ['1-5', '2-5', '3-5', '77'], fips: String(FEW) }),
    ),
  }),
  update_list_rows: fc.record({
    params: made,
    body: fc
      .tuple(
        fc.oneof(
          someIds.map(property_ids => ({ property_ids })),
          status.map(with_status => ({ with_status })),
        ),
        fc.oneof(
          status.map(one => ({ status: one })),
          fc.boolean().map(do_not_mail => ({ do_not_mail })),
          fc.constant({ tags: ['a'] }),
        ),
      )
      .map(([which, change]) => ({ ...which, ...change })),
  }),
  remove_list_rows: fc.record({
    params: made,
    query: someIds.map(given => ({ property_ids: given.join(',') })),
  }),
  create_export: fc.record({
    query: quoted,
    body: fc
      .tuple(
        fc.oneof<fc.Arbitrary<object>[]>(
          filter.map(one => ({ filter: one })),
          fc.constant({ list_id: '{made}' }),
          fc.constant({ comps: { fips: String(FEW), acres_max: 10 } }),
        ),
        fc.constantFrom<object>({}, { one_per_owner: true }, { most_tokens: 5 }, { most_tokens: 25 }),
      )
      .map(([what, more]) => ({ format: 'csv', ...what, ...more })),
  }),
  list_exports: nothing,
  get_export: fc.record({ params: made }),
  delete_export: fc.record({ params: made }),
  cancel_export: fc.record({ params: made }),
  create_comp_report: fc.record({ body: property }),
  find_regions: fc.constant({ query: { q: 'sullivan' } }),
  list_saved_markets: nothing,
  save_market: fc.constant({ body: { region_id: '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11' } }),
  unsave_market: fc.record({ params: made }),
  list_deal_flow_listings: nothing,
  create_deal_flow_listing: fc.record({ body: property }),
  get_deal_flow_listing: fc.record({
    params: made,
    query: fc.constantFrom<Record<string, string>[]>({}, { explain: 'true' }),
  }),
  update_deal_flow_listing: fc.record({ params: made, body: fc.constant({ price: 20_000 }) }),
  delete_deal_flow_listing: fc.record({ params: made }),
  get_deal_flow_listing_history: fc.record({ params: made }),
  get_usage: nothing,
  get_usage_breakdown: nothing,
  get_coverage: nothing,
  get_county_coverage: fc.record({ params: fc.constant({ fips: String(FEW) }) }),
  get_county_quality: fc.record({ params: fc.constant({ fips: String(FEW) }) }),
  list_overlays: fc.constant({ query: { fips: String(FEW) } }),
};

test('all paid data differs', async () => {
  const sold: Step[] = [
    { operation: 'filter_properties', body: { ...few, acres_min: 3 } },
    { operation: 'filter_properties', body: { ...many, ...VALUABLE } },
    { operation: 'get_property', params: { property_id: idIn(FEW, 1) } },
    { operation: 'get_owner_portfolio', params: { property_id: idIn(FEW, 3) } },
    { operation: 'list_comps', query: { fips: FEW, acres_max: 10 } },
    { operation: 'get_county_market_stats', params: { fips: FEW } },
  ];
  for (const twin of twins) await newClient(twin, 1_000);
  for (const step of sold) {
    const [first, second] = [await take(twins[0], step), await take(twins[1], step)];
    expect([first, second].map(text => text.slice(0, 5))).toEqual(['[200,', '[200,']);
    expect(second, JSON.stringify(step)).not.toBe(first);
  }
});

test('every operation is called', () => {
  expect(Object.keys(CALLS).sort()).toEqual(endpoints.map(({ operationId }) => operationId).sort());
});

const how = fc.constantFrom('rest', 'rest', 'mcp', 'head' as const) as fc.Arbitrary<Step['how']>;
const step = (operation: string): fc.Arbitrary<Step> =>
  fc.tuple(CALLS[operation]!, how).map(([given, way]) => ({ operation, ...given, ...(way && { how: way }) }));
/** Lists are where one call prepares what another shows. */
const ON_LISTS = [
  'create_list',
  'get_list',
  'update_list',
  'read_list_rows',
  'add_list_rows',
  'update_list_rows',
  'remove_list_rows',
  'create_export',
  'list_lists',
];

test('every free or refused call gets the same response, over REST and as a tool', async () => {
  for (const operation of Object.keys(CALLS)) {
    // A skip trace is limited to 20 a minute: with fewer calls an account, no answer depends on the clock.
    if (operation.startsWith('skip_trace')) for (const twin of twins) await newClient(twin);
    for (const way of ['rest', 'mcp', 'head'] as const)
      for (const given of fc.sample(CALLS[operation]!, { numRuns: 5, seed: 7 })) {
        await expectAlike(twins, [{ operation, ...given, how: way }]);
      }
  }
});

test('any sequence of calls to lists gets the same responses', async () => {
  const list = step('create_list').filter(({ body }) => !JSON.stringify(body).includes('made'));
  const steps = fc.array(fc.constantFrom(...ON_LISTS).chain(step), { minLength: 5, maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(list, steps, async (first, others) => {
      for (const twin of twins) await newClient(twin);
      await expectAlike(twins, [first, ...others]);
    }),
    { numRuns: SCRIPTS, endOnFailure: true },
  );
});
