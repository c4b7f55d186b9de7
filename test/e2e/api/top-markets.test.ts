import { expect, test } from 'vitest';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect } from '../../support/mcp.ts';
import { ingestSample } from '../../support/sample.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
await ingestSample(db.pool, 'county-facts');

const TOP = '/api/public/v1/markets-stats/top/';
type Ranking = { key: string; results: Record<string, unknown>[] };

test('counties are ranked by their facts, with or without sales, at the price of other figures', async () => {
  const { key } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });
  const rank = async (query: string) => {
    const { status, json, headers } = await api.call(`${TOP}?${query}`, { key });
    expect(status).toBe(200);
    return { ...(json as Ranking), tokens: Number(headers.get('x-tokens-used')) };
  };
  const free = await rank('key=population&limit=2');
  expect(free).toMatchObject({
    key: 'population',
    results: [
      { rank: 1, type: 'county', fips: '06037', name: 'Los Angeles', value: null, n: null },
      { rank: 2, fips: '17031' },
    ],
    tokens: 0,
  });
  const paid = await rank('key=household_income&state=nh&figures=true&limit=100');
  expect(paid.results).toHaveLength(10);
  expect(paid.results.find(({ fips }) => fips === '33019')).toMatchObject({ value: 64_919, n: 13 });
  // No lots of this county are loaded.
  expect(paid.results.find(({ fips }) => fips === '33001')).toMatchObject({ n: null });
  expect(paid.tokens).toBe(20);
  const values = paid.results.map(({ value }) => value as number);
  expect(values).toEqual(values.toSorted((a, b) => b - a));
  const lowest = await rank('key=metro_miles&state=NH&order=asc&limit=1');
  expect(lowest.results).toMatchObject([{ fips: '33011' }]);

  expect((await rank('key=population&least_sales=1&figures=true')).results).toMatchObject([
    { fips: '33019' },
  ]);
  expect((await rank('key=population&least_sales=0&limit=1')).results).toMatchObject([{ fips: '06037' }]);
  expect((await rank('key=population&least_sales=25')).results).toEqual([]);
  expect((await rank('key=Active')).results).toMatchObject([{ fips: '33019' }]);

  const client = await connect(api, key);
  expect(await call(client, 'list_top_markets', { key: 'population_growth', limit: 3 })).toMatchObject({
    tokens: 0,
    structured: { key: 'population_growth' },
  });
});

test.each([
  ['key=population&type=zip', 'type'],
  ['key=population&least_sales=5', 'least_sales'],
  ['key=Active&least_sales=0', 'least_sales'],
  ['key=people', 'key'],
])('%s is refused', async (query, field) => {
  const { key } = await newCaller(db);
  const { status, json } = await api.call(`${TOP}?${query}`, { key });
  expect(status).toBe(400);
  expect(Object.keys((json as { error: { details: object } }).error.details)).toEqual([field]);
});
