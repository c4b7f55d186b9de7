import { expect, test } from 'vitest';
import { dayOf } from '../../../shared/kernels/stats/calendar.ts';
import { recomputeStats } from '../../../workers/market/recompute-stats.ts';
import { restateHistory } from '../../../workers/market/restate-history.ts';
import { addFeed, addListings, keepFewRegions } from '../../db/market-support.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect } from '../../support/mcp.ts';

const db = await createTestDatabase({}, { regions: true });
const { pool } = db;
await keepFewRegions(pool);
const api = await startTestApi(db, { now: () => new Date('2026-07-01T12:00:00Z') });
const feed = await addFeed(pool, 'living', null);
const sales = [10, 11, 12, 13, 14].map(n => ({ acres: 6, price: 1_000 * n, sold: '2026-05-20' }));
const before = [5, 6, 7, 8, 9].map(n => ({ acres: 6, price: 1_000 * n, sold: '2025-05-20' }));
const elsewhere = [20, 21, 22, 23, 24].map(n => ({ acres: 6, price: 1_000 * n, sold: '2026-06-02' }));
await addListings(pool, feed, [
  ...[...sales, ...before].map(one => ({ ...one, status: 'SOLD' as const })),
  ...elsewhere.map(one => ({ ...one, status: 'SOLD' as const, fips: 23_019, zip: '' })),
  { status: 'ACTIVE', acres: 6, price: 12_000 },
]);
await pool.query("update listings set asked_price = price / 0.8 where sold_date = '2026-05-20'");
const knots = [
  [dayOf('2020-01-01'), 0, 0],
  [dayOf('2026-01-01'), Math.log(2), 0.1],
];
await pool.query('insert into valuation_counties (fips, price_index) values (33019, $1)', [
  JSON.stringify(knots),
]);
await recomputeStats(pool, { all: true }, { asOf: '2026-06-30' });
await restateHistory(pool, { today: dayOf('2026-07-01') });

const V1 = '/api/public/v1/markets-stats';
const BUCKET = encodeURIComponent('5 acre-10 acre');
const post = (key: string, body: object, query = '') =>
  api.call(`${V1}/compare/${query}`, {
    key,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
type Reply = Awaited<ReturnType<typeof api.call>>;
const tokensOf = ({ headers }: Reply) => Number(headers.get('x-tokens-used'));
const detailsOf = ({ status, json }: Reply) => {
  expect(status).toBe(400);
  return Object.keys((json as { error: { details: object } }).error.details);
};

test('other figures of a bucket require enough sales: supply, sale to list, change in a year, price index', async () => {
  const { key } = await newCaller(db);
  const { json } = await api.call(`${V1}/33019/stats/`, { key });
  const { stats } = json as { stats: { type: string; more: object }[] };
  const index = { price_index: 200, price_index_low: 175.94, price_index_high: 227.35 };
  expect(stats.find(({ type }) => type === '5 acre-10 acre')!.more).toEqual({
    months_of_supply: 2.4,
    sale_to_list: 80,
    median_ppa_change_12mo: 71.43,
    sales_prior_12mo: 5,
    ...index,
  });
  const zip = await api.call(`${V1}/zip/03280/stats/`, { key });
  expect((zip.json as { stats: { more: object }[] }).stats.at(-1)!.more).toMatchObject({ price_index: null });
});

test('a history has one date per month, null if unknown, and costs 1 token per date, up to 10 per year', async () => {
  const { key, accountId } = await newCaller(db);
  const keys = ['Sold: 1mo', 'Median Sold PPA', 'Active', 'price_index'].map(encodeURIComponent).join(',');
  const path = `${V1}/33019/history/?bucket=${BUCKET}&keys=${keys}`;
  const reply = await api.call(`${path}&from=2024-12-01&to=2026-06-30`, { key });
  const {
    dates,
    keys: figures,
    ...region
  } = reply.json as {
    dates: { as_of: string; kind: string | null; n: number | null }[];
    keys: Record<string, (number | null)[]>;
  };
  expect(region).toEqual({ type: 'county', fips: '33019', zip: null, bucket: '5 acre-10 acre' });
  expect(dates).toHaveLength(19);
  expect(dates[0]).toEqual({ as_of: '2024-12-31', kind: null, n: null });
  expect(dates[5]).toEqual({ as_of: '2025-05-31', kind: 'restated', n: 5 });
  expect(dates.at(-1)).toEqual({ as_of: '2026-06-30', kind: 'restated', n: 5 });
  expect(figures['Sold: 1mo']!.slice(4)).toEqual([null, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0].slice(0));
  expect(figures['Median Sold PPA']!.at(-1)).toBe(2_000);
  // No listing of the feed has an event: what was on the market is not known.
  expect(figures.Active!.every(value => value === null)).toBe(true);
  expect(figures.price_index!.at(-1)).toBe(200);
  expect(tokensOf(reply)).toBe(19);

  const quoted = await api.call(`${path}&from=2024-12-01&to=2026-06-30&quote=true`, { key });
  expect([quoted.json, tokensOf(quoted)]).toEqual([{ tokens: 19, at_most: 19 }, 0]);
  const usual = await api.call(path, { key });
  expect([(usual.json as { dates: object[] }).dates.length, tokensOf(usual)]).toEqual([12, 10]);
  const quarters = await api.call(`${path}&from=2025-01-01&every=quarter`, { key });
  expect(
    (quarters.json as typeof reply.json & { dates: { as_of: string }[] }).dates.map(({ as_of }) => as_of),
  ).toEqual(['2025-03-31', '2025-06-30', '2025-09-30', '2025-12-31', '2026-03-31', '2026-06-30']);
  const zip = await api.call(`${V1}/zip/03280/history/?to=2026-06-30&every=year`, { key });
  expect(zip.json).toMatchObject({ type: 'zip', fips: null, zip: '03280', dates: [{ as_of: '2025-12-31' }] });
  const nothing = await api.call(`${V1}/33005/history/`, { key });
  expect([(nothing.json as { dates: object[] }).dates.length, tokensOf(nothing)]).toEqual([12, 0]);
  expect((await usageOf(db, accountId)).tokens).toBe(19 + 10 + 6 + 1);
});

test('an invalid question about the past gets an error for its field, and costs nothing', async () => {
  const { key, accountId } = await newCaller(db);
  const get = (path: string) => api.call(V1 + path, { key });
  expect(detailsOf(await get('/33019/history/?bucket=5-10'))).toEqual(['bucket']);
  expect(detailsOf(await get('/33019/history/?keys=Sold'))).toEqual(['keys']);
  expect(detailsOf(await get('/33019/history/?to=2026-07-01'))).toEqual(['to']);
  expect(detailsOf(await get('/33019/history/?from=2010-01-01'))).toEqual(['from']);
  expect(detailsOf(await get('/33019/history/?from=2026-06-01&to=2026-06-20'))).toEqual(['from']);
  expect(detailsOf(await get('/33019/history/?from=June'))).toEqual(['from']);
  expect(detailsOf(await get('/33019/stats/?as_of=2026-07-01'))).toEqual(['as_of']);
  expect(detailsOf(await get('/top/'))).toEqual(['key']);
  expect(detailsOf(await get('/top/?key=Active&state=ZZ&limit=0&least_sales=x'))).toEqual([
    'state',
    'least_sales',
    'limit',
  ]);
  expect(detailsOf(await post(key, { regions: ['99999'] }))).toEqual(['regions']);
  expect(detailsOf(await post(key, { regions: ['33019'], as_of: '2026-07-01' }))).toEqual(['as_of']);
  expect((await get('/99999/history/')).status).toBe(404);
  expect((await get('/zip/99999/stats/?as_of=2026-01-31')).status).toBe(404);
  const unknown = await get('/33005/stats/?as_of=2026-01-31');
  expect([unknown.json, tokensOf(unknown)]).toMatchObject([{ as_of: '2026-01-31', stats: [] }, 0]);
  expect((await usageOf(db, accountId)).tokens).toBe(0);
});

test('markets are compared, now and on a past day, for 2 tokens per market with listings', async () => {
  const { key } = await newCaller(db);
  const body = {
    regions: ['33019', 'zip:03280', '23019', '33005'],
    bucket: '5 acre-10 acre',
    keys: ['Median Sold PPA', 'price_index'],
  };
  const reply = await post(key, body);
  expect((reply.json as { regions: object[] }).regions).toMatchObject([
    {
      type: 'county',
      fips: '33019',
      zip: null,
      as_of: '2026-06-30',
      kind: null,
      n: 5,
      keys: { 'Median Sold PPA': 2_000, price_index: 200 },
    },
    { type: 'zip', fips: null, zip: '03280', n: 5, keys: { 'Median Sold PPA': 2_000, price_index: null } },
    { fips: '23019', n: 5, keys: { 'Median Sold PPA': 3_666.67 } },
    { fips: '33005', as_of: null, n: 0, keys: { 'Median Sold PPA': null, price_index: null } },
  ]);
  expect(tokensOf(reply)).toBe(6);
  expect((await post(key, body, '?quote=true')).json).toEqual({ tokens: 6, at_most: 6 });
  const past = await post(key, { ...body, as_of: '2026-05-31' });
  expect((past.json as { regions: object[] }).regions).toMatchObject([
    { as_of: '2026-05-31', kind: 'restated', n: 5, keys: { price_index: 200 } },
    { kind: 'restated' },
    { as_of: null, kind: null, n: 0 },
    { n: 0 },
  ]);
  expect(tokensOf(past)).toBe(4);
  // A sale counts from its day on: the five of 2026, those of the year before, none.
  const keys = ['Sold: 1yr', 'price_index', 'Active'];
  const n = async (day: string) => {
    const { json } = await post(key, { ...body, regions: ['33019'], keys, as_of: day });
    return (json as { regions: object[] }).regions[0];
  };
  const told = { as_of: '2026-05-20', kind: 'restated', n: 5 };
  expect(await n('2026-05-20')).toMatchObject({ ...told, keys: { 'Sold: 1yr': 5, price_index: 200 } });
  expect(await n('2026-05-19')).toMatchObject({ n: 5, keys: { 'Sold: 1yr': 5, Active: null } });
  expect(await n('2025-05-19')).toMatchObject({ as_of: null, kind: null, n: 0, keys: { 'Sold: 1yr': null } });
});

test('ranking markets is free, their figures are 2 tokens a row; assistants have the same tools', async () => {
  const { key } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });
  const path = `${V1}/top/?key=${encodeURIComponent('Median Sold PPA')}&bucket=${BUCKET}`;
  const free = await api.call(path, { key });
  expect((free.json as { results: object[] }).results).toMatchObject([
    { rank: 1, fips: '23019', name: 'Penobscot', value: null, n: null },
    { rank: 2, fips: '33019', zip: null, value: null },
  ]);
  const paid = await api.call(`${path}&figures=true&order=asc&limit=1&type=zip&state=nh`, { key });
  expect((paid.json as { results: object[] }).results).toMatchObject([
    { rank: 1, type: 'zip', zip: '03280', fips: '', value: 2_000, n: 5 },
  ]);
  expect([tokensOf(free), tokensOf(paid)]).toEqual([0, 2]);
  for (const least of [0, 6, 24])
    expect(detailsOf(await api.call(`${path}&least_sales=${least}`, { key }))).toEqual(['least_sales']);
  expect((await api.call(`${path}&least_sales=6&figures=true`, { key })).status).toBe(200);
  const none = await api.call(`${path}&least_sales=25`, { key });
  expect((none.json as { results: object[] }).results).toEqual([]);

  const client = await connect(api, key);
  const history = await call(client, 'get_market_history', {
    zip: '03280',
    keys: 'Active',
    every: 'quarter',
  });
  expect(history).toMatchObject({
    tokens: 4,
    structured: { type: 'zip', keys: { Active: [null, null, null, null] } },
  });
  expect(await call(client, 'compare_markets', { regions: ['33019'], quote: true })).toMatchObject({
    structured: { tokens: 2, at_most: 2 },
  });
  expect(await call(client, 'list_top_markets', { key: 'Sold: 1yr' })).toMatchObject({ tokens: 0 });
});
