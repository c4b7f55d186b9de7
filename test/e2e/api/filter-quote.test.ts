import { beforeAll, expect, test } from 'vitest';
import { newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect } from '../../support/mcp.ts';
import { insertParcels, square, type TestParcel } from '../../support/parcels.ts';

const PATH = '/api/public/v1/properties/filter/quote/';
const NOW = new Date('2026-11-24T12:00:00Z');

const db = await createTestDatabase();
let now = NOW;
const api = await startTestApi(db, { now: () => now });
const { key, accountId } = await newCaller(db);

/** 40 parcels of Sullivan in a row of 0.001 degrees each, 10 of Penobscot, all of one acre. */
const parcel = (fips: number, index: number): TestParcel => ({
  property_id: fips * 1e8 + index + 1,
  acres: 1 + index / 10,
  apn: `${index}`,
  owner_name: `Owner ${index}`,
  situs_zip: '03280',
  ...(fips === 33019 && { boundary: square(-72.1 + index * 0.001, 43.2) }),
});
const rows = (fips: number, length: number) => Array.from({ length }, (_, index) => parcel(fips, index));
beforeAll(async () => {
  await insertParcels(db.pool, [...rows(33_019, 40), ...rows(23_019, 10)]);
  await db.pool.query(
    `insert into regions (id, type, code, name, state, county_name, fips) values
       (gen_random_uuid(), 'county', '33019', 'Sullivan', 'NH', 'Sullivan', 33019),
       (gen_random_uuid(), 'county', '23019', 'Penobscot', 'ME', 'Penobscot', 23019),
       (gen_random_uuid(), 'zip', '03280', '03280', 'NH', 'Sullivan', 33019)`,
  );
});

async function ask(body: object, as = key) {
  const { status, headers, json, text } = await api.call(PATH, posting(as, JSON.stringify(body)));
  return { status, text, json: json as object, tokens: Number(headers.get('x-tokens-used')) };
}

const TELLS_NOTHING = { quotable: true, count: null, at_most: 25, tokens: null };

test('a quote of 25 parcels or more is exact and free', async () => {
  expect(await ask({ county: '33019' })).toMatchObject({
    status: 200,
    tokens: 0,
    json: {
      quotable: true,
      count: 40,
      at_most: 40,
      tokens: { page_25: 30, page_500: 30, all_pages: 30, export: 40 },
      counties: [{ fips: '33019', count: 40, at_most: 40 }],
      as_of: NOW.toISOString(),
    },
  });
  expect((await ask({ county: '33019', acres_max: 3.4 })).json).toMatchObject({ count: 25 });
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test('below 25, the quote for one parcel is the same as for none or 24, byte for byte', async () => {
  const answers = await Promise.all(
    [0, 1, 3.3].map(async most => {
      const { json, text } = await ask({ county: '33019', acres_max: most });
      expect(json).toMatchObject(TELLS_NOTHING);
      return text;
    }),
  );
  expect(new Set(answers).size).toBe(1);
});

test("the counts of several counties don't reveal one county's count by subtraction", async () => {
  const withheld = { fips: '23019', count: null, at_most: 25 };
  const both = await ask({ counties: ['33019', '23019'] });
  expect(both.json).toMatchObject({
    count: 50,
    counties: [withheld, { fips: '33019', count: null, at_most: 50 }],
  });
  const none = await ask({ counties: ['33019', '23019'], state: 'NH' });
  expect(none.json).toMatchObject({ count: 40, counties: [{ fips: '33019', count: 40 }] });
  // By ZIP as well: the county that a ZIP falls in is listed, another with a few parcels is not.
  expect((await ask({ zips_include: ['03280'] })).json).toMatchObject({
    count: 50,
    counties: [{ fips: '33019', count: null, at_most: 50 }],
  });
});

const ring = (west: number, south: number, size: number) =>
  `((${west} ${south}, ${west + size} ${south}, ${west + size} ${south + size}, ${west} ${south + size}, ${west} ${south}))`;

test('shapes are counted from 1 km² up, every part of them', async () => {
  // 0.02 degrees are 1.6 km by 2.2 km, 0.01 a quarter of that.
  const large = ring(-72.09, 43.195, 0.02);
  const small = ring(-72.09, 43.195, 0.01);
  expect((await ask({ geom_intersects: `POLYGON ${large}` })).json).toMatchObject(TELLS_NOTHING);
  expect((await ask({ geom_intersects: `POLYGON ${ring(-72.11, 43.195, 0.06)}` })).json).toMatchObject({
    count: 40,
    counties: [{ fips: '33019', count: 40, at_most: 40 }],
  });
  for (const shape of [
    `POLYGON ${small}`,
    `MULTIPOLYGON (${small}, ${ring(-60, 40, 1)})`,
    `MULTIPOLYGON (${Array.from({ length: 9 }, () => small).join(', ')})`,
    `GEOMETRYCOLLECTION (POLYGON ${large}, POINT (-72.1 43.2))`,
    'POINT (-72.1 43.2)',
    'LINESTRING (-72.1 43.2, -60 40)',
    'POLYGON EMPTY',
  ])
    expect((await ask({ geom_intersects: shape })).json, shape).toMatchObject({ quotable: false });
});

test('filters that identify one thing are not quoted', async () => {
  const naming = [
    { apn: '1' },
    { property_id: 3301900000001 },
    { owner_name: 'Owner 1' },
    { owner_name_2: 'x' },
    { owner_name_includes: ['1'] },
    { owner_name_excludes: ['1'] },
    { seller_name_contains: ['a'] },
  ];
  for (const one of naming) {
    expect(await ask({ county: '33019', ...one })).toMatchObject({
      status: 200,
      tokens: 0,
      json: { quotable: false, count: null, at_most: null, tokens: null, counties: [] },
    });
  }
});

test('an invalid filter gets the same error as its quote', async () => {
  const details = async (body: object) =>
    ((await ask(body)).json as { error: { details: object } }).error.details;
  expect(await details({ acres_min: 1 })).toHaveProperty('county');
  expect(await details({ county: '99999' })).toHaveProperty('county');
  expect(await details({ county: '33019', acre_min: 1 })).toHaveProperty('acre_min');
  expect(await details({ county: '33019', acres_min: 2, acres_max: 1 })).toHaveProperty('acres_min');
});

test('500 quotes a day are free, each further one costs a token; a new day resets the count', async () => {
  const own = await newCaller(db, { tokensIncluded: 1 });
  const one = () => ask({ county: '33019' }, own.key);
  expect((await one()).tokens).toBe(0);
  await db.pool.query('update quote_counts set quotes = 499 where account_id = $1', [own.accountId]);
  expect((await one()).tokens).toBe(0);
  expect((await one()).tokens).toBe(1);
  expect(await usageOf(db, own.accountId)).toEqual({ tokens: 1, calls: 1, daily: 1 });
  expect(await one()).toMatchObject({ status: 402, json: { error: { code: 'usage_limit_exceeded' } } });
  // What is not counted is not charged for, and another account has its own.
  expect((await ask({ county: '33019', apn: '1' }, own.key)).tokens).toBe(0);
  expect((await ask({ county: '33019' })).tokens).toBe(0);
  now = new Date(NOW.getTime() + 86_400_000);
  expect((await one()).tokens).toBe(0);
  now = NOW;
});

test('concurrent quotes are counted individually', async () => {
  const own = await newCaller(db);
  await ask({ county: '33019' }, own.key);
  await db.pool.query('update quote_counts set quotes = 495 where account_id = $1', [own.accountId]);
  const all = await Promise.all(Array.from({ length: 20 }, () => ask({ county: '33019' }, own.key)));
  expect(all.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(15);
});

test('assistants have a tool for it', async () => {
  const own = await newCaller(db, {}, { scopes: ['api:mcp'] });
  const client = await connect(api, own.key);
  expect(await call(client, 'quote_filter', { county: 33019, acres_min: 2 })).toMatchObject({
    isError: false,
    tokens: 0,
    structured: { count: 30, tokens: { export: 30 } },
  });
});
