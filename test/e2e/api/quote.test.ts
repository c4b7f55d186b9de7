import { expect, test } from 'vitest';
import { endpoints } from '../../../api/endpoints.ts';
import { isQuotable } from '../../../api/http/quote.ts';
import { newCaller, startTestApi, type TestReply, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect } from '../../support/mcp.ts';

const V1 = '/api/public/v1';
const PARCEL = 3301900001047;
const OWNED_BY_A_PERSON = 3301900000007;

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { now: () => new Date('2026-11-22T12:00:00Z') });

type Case = { path: string; body?: object; method?: 'POST'; atMost: number };

const post = (path: string, body: object | undefined, atMost: number): Case => ({
  path,
  method: 'POST',
  atMost,
  ...(body && { body }),
});
const get = (path: string, atMost: number): Case => ({ path, atMost });

/** Of every endpoint that costs something and cannot say it beforehand, calls and their ceilings. */
const CASES: Record<string, Case[]> = {
  filter_properties: [
    post('/properties/filter/?page_size=500', { county: '33019' }, 30),
    post('/properties/filter/', { county: '33019', apn: 'none' }, 30),
  ],
  quote_filter: [post('/properties/filter/quote/', { county: '33019' }, 1)],
  search_properties: [get('/properties/search/?fips=33019&owner_name=quill', 10)],
  get_property: [get(`/properties/${PARCEL}/`, 10)],
  get_parcel_image: [get(`/properties/${PARCEL}/parcel-image/`, 30)],
  get_owner_portfolio: [get(`/properties/${PARCEL}/owner-portfolio/`, 30)],
  get_property_ai_comp_value: [get(`/properties/${PARCEL}/ai-comp-value/?explain=true`, 10)],
  skip_trace_property_owner: [post(`/properties/${OWNED_BY_A_PERSON}/skip-trace/`, undefined, 20)],
  skip_trace_owner: [post('/skip-trace/', { first_name: 'Edith', last_name: 'Perrin', zip: '11790' }, 20)],
  get_county_market_stats: [get('/markets-stats/33019/stats/', 10)],
  get_zip_market_stats: [get('/markets-stats/zip/03280/stats/', 10)],
  list_top_markets: [
    get('/markets-stats/top/?key=Active', 0),
    get('/markets-stats/top/?key=Active&figures=true', 50),
  ],
  add_list_rows: [
    post('/lists/f2b7c8d9-0e1f-4a2b-8c3d-4e5f6a7b8c9d/rows/?pay=true', { filter: { county: '33019' } }, 30),
    post('/lists/f2b7c8d9-0e1f-4a2b-8c3d-4e5f6a7b8c9d/rows/', { filter: { county: '33019' } }, 1),
    post('/lists/f2b7c8d9-0e1f-4a2b-8c3d-4e5f6a7b8c9d/rows/', { property_ids: [PARCEL] }, 0),
  ],
  list_comps: [get('/comps/?fips=33019', 100), get('/comps/?fips=33019&page_size=7&page=2', 7)],
  list_search_changes: [get('/searches/f2b7c8d9-0e1f-4a2b-8c3d-4e5f6a7b8c9d/changes/?limit=11', 2)],
  list_changes: [get('/changes/?limit=100', 10), get('/changes/?limit=101&from=now', 11)],
};

const send = (key: string, { path, body, method }: Case, headers: Record<string, string> = {}) =>
  api.call(V1 + path, {
    key,
    method: method ?? 'GET',
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

const quoted = (one: Case): Case => ({
  ...one,
  path: `${one.path}${one.path.includes('?') ? '&' : '?'}quote=true`,
});
const tokensOf = ({ headers }: TestReply) => Number(headers.get('x-tokens-used'));

test('every endpoint that costs tokens has a case', () => {
  const priced = endpoints
    .filter(endpoint => isQuotable(endpoint) && endpoint.metering?.quote === undefined)
    .map(({ operationId }) => operationId);
  expect(Object.keys(CASES).sort()).toEqual(priced.sort());
});

test('a quote is free and never exceeds the price of the call', async () => {
  const { key, accountId } = await newCaller(db);
  for (const one of Object.values(CASES).flat()) {
    const quote = await send(key, quoted(one));
    expect(quote.json, one.path).toEqual({ tokens: null, at_most: one.atMost });
    expect([quote.status, tokensOf(quote)]).toEqual([200, 0]);
  }
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
  for (const one of Object.values(CASES).flat())
    expect(tokensOf(await send(key, one)), one.path).toBeLessThanOrEqual(one.atMost);
  expect((await usageOf(db, accountId)).tokens).toBeGreaterThan(100);
});

test('a quote looks nothing up: missing things get the same quote, and nothing is recorded', async () => {
  const { key, accountId } = await newCaller(db);
  const nothing = await send(key, quoted(get('/properties/3301999999999/', 10)));
  expect(nothing.json).toEqual({ tokens: null, at_most: 10 });
  await send(key, quoted(CASES.skip_trace_owner![0]!));
  const { rows } = await db.pool.query('select from traces where account_id = $1', [accountId]);
  expect(rows).toEqual([]);
});

test('an account without tokens left may still ask for a price', async () => {
  const { key } = await newCaller(db, { tokensIncluded: 10 });
  const [detail] = CASES.get_property as [Case];
  expect(tokensOf(await send(key, detail))).toBe(10);
  expect((await send(key, detail)).status).toBe(402);
  expect((await send(key, quoted(detail))).json).toEqual({ tokens: null, at_most: 10 });
});

test("a quote doesn't use up the Idempotency-Key of the call that follows it", async () => {
  const { key } = await newCaller(db);
  const [filter] = CASES.filter_properties as [Case];
  const headers = { 'Idempotency-Key': 'one' };
  const quote = await send(key, quoted(filter), headers);
  const done = await send(key, filter, headers);
  expect([tokensOf(quote), tokensOf(done)]).toEqual([0, 30]);
  const again = await send(key, filter, headers);
  expect([tokensOf(again), again.headers.get('idempotency-replayed')]).toEqual([0, 'true']);
});

test('an invalid call has an invalid quote; free calls have none', async () => {
  const { key } = await newCaller(db);
  const wrong: [Case, string][] = [
    [post('/properties/filter/?quote=true', { acres_min: 5 }, 0), 'county'],
    [get('/comps/?fips=33019&quote=yes', 0), 'quote'],
    [get('/comps/?fips=33019&quote=true&quote=true', 0), 'quote'],
    [get('/filters/?quote=true', 0), 'quote'],
    [post('/properties/filter/', { county: '33019', quote: true }, 0), 'quote'],
  ];
  for (const [one, field] of wrong) {
    const reply = await send(key, one);
    expect(reply.json, one.path).toMatchObject({
      error: { code: 'validation_error', details: { [field]: expect.anything() } },
    });
  }
  const strict = await newCaller(db, { skipTrace: false });
  expect((await send(strict.key, quoted(CASES.skip_trace_owner![0]!))).status).toBe(403);
});

test('assistants use an argument', async () => {
  const { key, accountId } = await newCaller(db, {}, { scopes: ['api:mcp'] });
  const client = await connect(api, key);
  const ask = (name: string, given: object) => call(client, name, { ...given, quote: true });
  const quotes = [
    await ask('filter_properties', { county: '33019' }),
    await ask('get_market_stats', { fips: '33019' }),
    await ask('list_comps', { fips: '33019', page_size: 60 }),
    await ask('skip_trace_owner', { first_name: 'Edith', last_name: 'Perrin', zip: '11790' }),
  ];
  expect(quotes.map(({ structured, tokens }) => [structured, tokens])).toEqual(
    [30, 10, 60, 20].map(atMost => [{ tokens: null, at_most: atMost }, 0]),
  );
  expect(quotes[0]!.text).toBe('at_most: 30');
  expect((await usageOf(db, accountId)).tokens).toBe(0);
  const done = await call(client, 'get_market_stats', { fips: '33019', quote: false });
  expect(done).toMatchObject({ tokens: 10, structured: { type: 'county' } });
});
