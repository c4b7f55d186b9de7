import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  Budget,
  BudgetError,
  connect,
  orderExport,
  pages,
  quoted,
  type Result,
  rows,
  unwrap,
  waitForExport,
} from '../../client/src/index.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { newCaller, startTestApi, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { makeExports } from '../support/exports.ts';
import { ON_LOOPBACK } from '../support/webhooks.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org', ...ON_LOOPBACK } });
const { key } = await newCaller(db);
const plat = connect({ baseUrl: api.url, key });

const V1 = '/api/public/v1';
const fips = '33019';
const parcel = { path: { property_id: 3301900001247 } };
const order = { filter: { county: fips, acres_min: 50 }, format: 'csv' } as const;
const county = { path: { fips } };
const zip = { path: { zip: '03280' } };
/** Ids of what earlier calls created, by name. */
const made: Record<string, string> = {};

/** Keeps the id that a call returns. */
async function keeping<Data extends { id: string }>(name: string, result: Result<Data>) {
  const outcome = await result;
  if (outcome.data !== undefined) made[name] = outcome.data.id;
  return outcome;
}

const one = (name: string) => ({ params: { path: { id: made[name]! } } });

/** A call for every operation, in an order in which each finds what it needs. */
const CALLS: Record<string, () => Result<unknown>> = {
  search: () => plat.GET(`${V1}/search/`, { params: { query: { q: 'half moon pond' } } }),
  filter_properties: () => plat.POST(`${V1}/properties/filter/`, { body: { county: fips, acres_min: 5 } }),
  quote_filter: () => plat.POST(`${V1}/properties/filter/quote/`, { body: { county: fips } }),
  search_properties: () =>
    plat.GET(`${V1}/properties/search/`, { params: { query: { fips, owner_name: 'trent family' } } }),
  get_property: () => plat.GET(`${V1}/properties/{property_id}/`, { params: parcel }),
  get_parcel_image: () => plat.GET(`${V1}/properties/{property_id}/parcel-image/`, { params: parcel }),
  get_owner_portfolio: () => plat.GET(`${V1}/properties/{property_id}/owner-portfolio/`, { params: parcel }),
  get_property_ai_comp_value: () =>
    plat.GET(`${V1}/properties/{property_id}/ai-comp-value/`, {
      params: { ...parcel, query: { explain: true } },
    }),
  skip_trace_property_owner: () =>
    plat.POST(`${V1}/properties/{property_id}/skip-trace/`, { params: parcel }),
  skip_trace_owner: () =>
    plat.POST(`${V1}/skip-trace/`, { body: { first_name: 'Ada', last_name: 'One', zip: '03280' } }),
  list_filters: () => plat.GET(`${V1}/filters/`),
  get_county_market_stats: () => plat.GET(`${V1}/markets-stats/{fips}/stats/`, { params: county }),
  get_zip_market_stats: () => plat.GET(`${V1}/markets-stats/zip/{zip}/stats/`, { params: zip }),
  get_county_market_history: () => plat.GET(`${V1}/markets-stats/{fips}/history/`, { params: county }),
  get_zip_market_history: () => plat.GET(`${V1}/markets-stats/zip/{zip}/history/`, { params: zip }),
  compare_markets: () => plat.POST(`${V1}/markets-stats/compare/`, { body: { regions: [fips, '23019'] } }),
  list_top_markets: () => plat.GET(`${V1}/markets-stats/top/`, { params: { query: { key: 'Sold: 1yr' } } }),
  list_comps: () =>
    plat.GET(`${V1}/comps/`, { params: { query: { fips, status: ['SOLD', 'PENDING'], page_size: 2 } } }),
  list_changes: () => plat.GET(`${V1}/changes/`, { params: { query: { fips, limit: 5 } } }),
  create_search: () =>
    keeping('search', plat.POST(`${V1}/searches/`, { body: { name: 'lots', filter: { county: fips } } })),
  list_searches: () => plat.GET(`${V1}/searches/`),
  get_search: () => plat.GET(`${V1}/searches/{id}/`, one('search')),
  update_search: () => plat.PATCH(`${V1}/searches/{id}/`, { ...one('search'), body: { name: 'land' } }),
  list_search_changes: () => plat.GET(`${V1}/searches/{id}/changes/`, one('search')),
  delete_search: () => plat.DELETE(`${V1}/searches/{id}/`, one('search')),
  create_webhook: () =>
    keeping(
      'webhook',
      plat.POST(`${V1}/webhooks/`, { body: { url: 'http://127.0.0.1:9/', types: ['parcel.changed'] } }),
    ),
  list_webhooks: () => plat.GET(`${V1}/webhooks/`),
  get_webhook: () => plat.GET(`${V1}/webhooks/{id}/`, one('webhook')),
  update_webhook: () => plat.PATCH(`${V1}/webhooks/{id}/`, { ...one('webhook'), body: { enabled: true } }),
  rotate_webhook_secret: () => plat.POST(`${V1}/webhooks/{id}/rotate/`, one('webhook')),
  test_webhook: () => plat.POST(`${V1}/webhooks/{id}/test/`, one('webhook')),
  replay_webhook: () =>
    plat.POST(`${V1}/webhooks/{id}/replay/`, { ...one('webhook'), body: { since: '2026-06-30T00:00:00Z' } }),
  list_webhook_deliveries: () => plat.GET(`${V1}/webhooks/{id}/deliveries/`, one('webhook')),
  delete_webhook: () => plat.DELETE(`${V1}/webhooks/{id}/`, one('webhook')),
  create_list: () => keeping('list', plat.POST(`${V1}/lists/`, { body: { name: 'mailing' } })),
  list_lists: () => plat.GET(`${V1}/lists/`),
  get_list: () => plat.GET(`${V1}/lists/{id}/`, one('list')),
  update_list: () => plat.PATCH(`${V1}/lists/{id}/`, { ...one('list'), body: { one_per_owner: true } }),
  add_list_rows: () =>
    plat.POST(`${V1}/lists/{id}/rows/`, {
      ...one('list'),
      body: { property_ids: [parcel.path.property_id] },
    }),
  read_list_rows: () => plat.GET(`${V1}/lists/{id}/rows/`, one('list')),
  update_list_rows: () =>
    plat.PATCH(`${V1}/lists/{id}/rows/`, {
      ...one('list'),
      body: { property_ids: [parcel.path.property_id], status: 'mailed' },
    }),
  remove_list_rows: () =>
    plat.DELETE(`${V1}/lists/{id}/rows/`, {
      params: { ...one('list').params, query: { property_ids: String(parcel.path.property_id) } },
    }),
  delete_list: () => plat.DELETE(`${V1}/lists/{id}/`, one('list')),
  create_export: async () => {
    const outcome = await plat.POST(`${V1}/exports/`, { body: order });
    if (outcome.data !== undefined && 'id' in outcome.data) made.export = outcome.data.id;
    return outcome;
  },
  list_exports: () => plat.GET(`${V1}/exports/`),
  cancel_export: () => plat.POST(`${V1}/exports/{id}/cancel/`, one('export')),
  get_export: () => plat.GET(`${V1}/exports/{id}/`, one('export')),
  delete_export: () => plat.DELETE(`${V1}/exports/{id}/`, one('export')),
  create_comp_report: () => plat.POST(`${V1}/comp-reports/`, { body: parcel.path }),
  find_regions: () => keeping('region', firstRegion()),
  save_market: () => keeping('market', plat.POST(`${V1}/markets/`, { body: { region_id: made.region! } })),
  list_saved_markets: () => plat.GET(`${V1}/markets/`),
  unsave_market: () => plat.DELETE(`${V1}/markets/{id}/`, one('market')),
  create_deal_flow_listing: () =>
    keeping('deal', plat.POST(`${V1}/deal-flow/listings/`, { body: parcel.path })),
  list_deal_flow_listings: () => plat.GET(`${V1}/deal-flow/listings/`),
  get_deal_flow_listing: () => plat.GET(`${V1}/deal-flow/listings/{id}/`, one('deal')),
  update_deal_flow_listing: () =>
    plat.PATCH(`${V1}/deal-flow/listings/{id}/`, { ...one('deal'), body: { price: 9_500 } }),
  get_deal_flow_listing_history: () => plat.GET(`${V1}/deal-flow/listings/{id}/history/`, one('deal')),
  delete_deal_flow_listing: () => plat.DELETE(`${V1}/deal-flow/listings/{id}/`, one('deal')),
  get_usage: () => plat.GET(`${V1}/usage/`),
  get_usage_breakdown: () => plat.GET(`${V1}/usage/breakdown/`),
  get_coverage: () => plat.GET(`${V1}/coverage/`),
  get_county_coverage: () => plat.GET(`${V1}/coverage/{fips}/`, { params: county }),
  get_county_quality: () => plat.GET(`${V1}/coverage/{fips}/quality/`, { params: county }),
  list_overlays: () => plat.GET(`${V1}/overlays/`, { params: { query: { fips } } }),
};

async function firstRegion() {
  const { data, ...rest } = await plat.GET(`${V1}/regions/`, { params: { query: { q: 'sullivan' } } });
  return { ...rest, ...(data?.results[0] && { data: data.results[0] }) };
}

test('every operation of openapi.json is called', async () => {
  const { paths } = JSON.parse(readFileSync(join(rootDir, 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(paths).flatMap(path =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(Object.keys(CALLS).sort()).toEqual(operations.sort());
  for (const [operation, call] of Object.entries(CALLS)) {
    const { response } = await call();
    // No source of pictures covers the sample's town.
    const good = operation === 'get_parcel_image' ? [404] : [200, 201, 202, 204];
    expect.soft(good, `${operation}: ${response.status}`).toContain(response.status);
  }
});

test('pages and rows are read by cursor, each once', async () => {
  const sizes: number[] = [];
  const ids = new Set<number>();
  const body = { county: fips, acres_min: 20 };
  for await (const { results } of pages(at =>
    plat.POST(`${V1}/properties/filter/`, { body, params: { query: { page_size: 20, ...at } } }),
  )) {
    sizes.push(results.length);
    for (const { property_id } of results) ids.add(property_id);
  }
  const { count } = await unwrap(plat.POST(`${V1}/properties/filter/`, { body }));
  expect(count).toBeGreaterThan(20);
  expect(ids.size).toBe(count);
  expect(sizes.slice(0, -1)).toEqual(sizes.slice(0, -1).map(() => 20));
  let comps = 0;
  for await (const { id } of rows(at =>
    plat.GET(`${V1}/comps/`, { params: { query: { fips, page_size: 100, ...at } } }),
  ))
    comps += id === '' ? 0 : 1;
  expect(comps).toBe((await unwrap(plat.GET(`${V1}/comps/`, { params: { query: { fips } } }))).count);
  let changes = 0;
  for await (const { seq } of rows(at =>
    plat.GET(`${V1}/changes/`, { params: { query: { types: 'stats.written', limit: 1, ...at } } }),
  ))
    changes += seq > 0 ? 1 : 0;
  expect(changes).toBe(2);
});

test('an error is thrown with its code and details', async () => {
  const wrong = unwrap(plat.POST(`${V1}/properties/filter/`, { body: { county: '99999' } }));
  await expect(wrong).rejects.toMatchObject({
    name: 'PlatError',
    status: 400,
    code: 'validation_error',
    details: { county: [expect.any(String)] },
    requestId: expect.any(String),
  });
});

test('a quote has the price of the call', async () => {
  const query = { quote: true, page_size: 500 };
  expect(
    await quoted(plat.POST(`${V1}/properties/filter/`, { body: { county: fips }, params: { query } })),
  ).toEqual({ tokens: null, at_most: 30 });
});

test('an export is ready once a worker has written its file', async () => {
  const { id, state } = await orderExport(plat, order, 'one-file');
  expect(state).toBe('queued');
  expect((await orderExport(plat, order, 'one-file')).id).toBe(id);
  await makeExports(db);
  expect(await waitForExport(plat, id)).toMatchObject({ state: 'ready', parts: [{ n: 1 }] });
});

test('parallel calls stay within a budget, and the account was charged what it counts', async () => {
  const caller = await newCaller(db);
  const budget = new Budget(130);
  const spending = connect({ baseUrl: api.url, key: caller.key, budget });
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 6 }, (_, at) =>
      spending.POST(`${V1}/properties/filter/`, { body: { county: fips, acres_min: at } }),
    ),
    ...Array.from({ length: 6 }, () => spending.GET(`${V1}/properties/{property_id}/`, { params: parcel })),
    orderExport(spending, order).then(async ({ id }) => {
      await makeExports(db);
      await waitForExport(spending, id);
    }),
  ]);
  const refused = outcomes.filter(outcome => outcome.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every(({ reason }) => reason instanceof BudgetError)).toBe(true);
  const { tokens } = await usageOf(db, caller.accountId);
  expect(tokens).toBeGreaterThan(60);
  expect([budget.used, budget.used + budget.left]).toEqual([tokens, 130]);
});
