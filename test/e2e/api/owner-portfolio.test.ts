import { beforeAll, describe, expect, test } from 'vitest';
import { SUMMARY_COLUMNS } from '../../../api/v1/common/parcel-summary.ts';
import { MAX_PORTFOLIO } from '../../../api/v1/parcels/owner-portfolio.ts';
import type { BoundStatement } from '../../../shared/platform/named-parameters.ts';
import { statement } from '../../../shared/platform/statements.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels, retireParcels, square } from '../../support/parcels.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org' } });
const { key } = await newCaller(db);

const SULLIVAN = 33_019e8;
const HANCOCK = 23_009e8;
const PENOBSCOT = 23_019e8;
const OWNER = '11111111-1111-1111-1111-111111111111';
const ALONE = '22222222-2222-2222-2222-222222222222';
const PLACE = '55555555-5555-5555-5555-555555555555';
const STACKED = '66666666-6666-6666-6666-666666666666';
const SHARED = '77777777-7777-7777-7777-777777777777';
const RAILWAY = '33333333-3333-3333-3333-333333333333';

beforeAll(async () => {
  await insertParcels(db.pool, [
    // Written in no order; 1.005 + 2.1 + 0.3 acres, and one whose acreage nobody knows.
    { property_id: SULLIVAN + 2, owner_key: OWNER, acres: 1.005, owner_name: 'ONE NAME', apn: '2' },
    { property_id: HANCOCK + 9, owner_key: OWNER, acres: 2.1, owner_name: 'ANOTHER LLC' },
    { property_id: PENOBSCOT + 1, owner_key: OWNER },
    { property_id: SULLIVAN + 1, owner_key: OWNER, acres: 0.3 },
    { property_id: SULLIVAN + 3, owner_key: ALONE, boundary: square(-72.1, 43.2) },
    { property_id: SULLIVAN + 4, owner_name: 'NO ADDRESS' },
    { property_id: SULLIVAN + 5, owner_key: OWNER, acres: 100 },
  ]);
  await retireParcels(db.pool, [SULLIVAN + 5]);
});

type Portfolio = {
  source_parcel: { property_id: number };
  total_parcels: number;
  total_acres: number;
  total_states: number;
  total_counties: number;
  results: { property_id: number }[];
};

const ask = (id: number | string, caller = key) =>
  api.call(`/api/public/v1/properties/${id}/owner-portfolio/`, { key: caller });

test.each([
  ['all of the land for each unit', null, 20 * 2.5],
  ["the unit's share of the land", 0.1, 2],
])(
  'units that share a boundary count its land once, if the roll states %s',
  async (_words, acres, together) => {
    const owner = acres === null ? STACKED : SHARED;
    const first = (acres === null ? 23_003 : 23_005) * 1e8;
    const boundary = square(-70.1, 44.2);
    await insertParcels(
      db.pool,
      Array.from({ length: 20 }, (_, n) => ({
        property_id: first + n + 1,
        owner_key: owner,
        acres,
        boundary,
        calculated_acres: 2.5,
      })),
    );
    await insertParcels(db.pool, [{ property_id: first + 21, owner_key: owner, acres: 10 }]);
    const { json } = await ask(first + 1);
    expect((json as Portfolio).total_acres).toBe(10 + Math.min(together, 2.5));
  },
);

test('has every parcel of the owner by property_id, including the subject, with totals', async () => {
  const { status, json, headers } = await ask(SULLIVAN + 2);
  expect(status).toBe(200);
  const { results, source_parcel, ...totals } = json as Portfolio;
  expect(results.map(parcel => parcel.property_id)).toEqual([
    HANCOCK + 9,
    PENOBSCOT + 1,
    SULLIVAN + 1,
    SULLIVAN + 2,
  ]);
  // 3.405 is rounded half away from zero.
  expect(totals).toEqual({ total_parcels: 4, total_acres: 3.41, total_states: 2, total_counties: 3 });
  expect(source_parcel).toEqual(results[3]);
  expect(source_parcel).toEqual({
    property_id: SULLIVAN + 2,
    url: `https://app.example.org/data?parcel=${SULLIVAN + 2}`,
    apn: '2',
    fips: '33019',
    point: null,
    acres: 1.005,
    calculated_acres: null,
    effective_acres: 1.005,
    owner_name: 'ONE NAME',
    situs_address: null,
    situs_city: null,
    situs_state: null,
    situs_zip: null,
    assemblage: null,
    assemblage_reason: null,
    row_version: 0,
  });
  expect(headers.get('x-tokens-used')).toBe('30');
});

test('is the same from each of its parcels, whatever name they have', async () => {
  const [one, other] = await Promise.all([ask(SULLIVAN + 1), ask(HANCOCK + 9)]);
  expect((one.json as Portfolio).results).toEqual((other.json as Portfolio).results);
  expect((other.json as Portfolio).source_parcel.property_id).toBe(HANCOCK + 9);
});

test('costs 30 tokens, or nothing if the owner has only the subject', async () => {
  const { key: own, accountId } = await newCaller(db);
  const alone = await ask(SULLIVAN + 3, own);
  expect(alone.json).toMatchObject({ total_parcels: 1, total_states: 1, total_counties: 1 });
  expect(alone.headers.get('x-tokens-used')).toBe('0');
  await ask(SULLIVAN + 1, own);
  expect(await usageOf(db, accountId)).toMatchObject({ tokens: 30, calls: 1 });
});

test.each([0, 29])(
  'a refusal reveals nothing about the portfolio to an account with %i tokens',
  async tokens => {
    const { key: poor } = await newCaller(db, {
      tier: 'starter',
      tokensIncluded: tokens,
      overageAllowed: false,
    });
    for (const alone of [3, 1]) {
      const { status, json } = await ask(SULLIVAN + alone, poor);
      expect(status).toBe(402);
      expect(json).toMatchObject({ error: { code: 'usage_limit_exceeded' } });
    }
  },
);

test("a subject without an owner's mailing address is a validation error", async () => {
  const { status, json, headers } = await ask(SULLIVAN + 4);
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error: {
      code: 'validation_error',
      details: { property_id: [expect.stringContaining('mailing address')] },
    },
  });
  expect(headers.get('x-tokens-used')).toBe('0');
});

test.each([
  ['an unknown id', SULLIVAN + 99],
  ['the id of an unknown county', 99_999e8 + 1],
  ['an id too small for any county', 7],
  ['a parcel that left the roll', SULLIVAN + 5],
])('%s is a 404 at 0 tokens', async (_what, id) => {
  const { status, json, headers } = await ask(id);
  expect(status).toBe(404);
  expect(json).toMatchObject({ error: { code: 'not_found' } });
  expect(headers.get('x-tokens-used')).toBe('0');
});

test('an owner of more than 10,000 parcels is unprocessable, and the message names the filter', async () => {
  await insertParcels(
    db.pool,
    Array.from({ length: MAX_PORTFOLIO }, (_, at) => ({
      property_id: HANCOCK + 1000 + at,
      owner_key: RAILWAY,
      acres: 1,
    })),
  );
  const most = await ask(HANCOCK + 1000);
  expect(most.json).toMatchObject({ total_parcels: 10_000, total_acres: 10_000 });
  await insertParcels(db.pool, [{ property_id: HANCOCK + 20_000, owner_key: RAILWAY }]);
  const { status, json, headers } = await ask(HANCOCK + 1000);
  expect(status).toBe(422);
  expect(json).toMatchObject({
    error: { code: 'unprocessable', message: expect.stringContaining('owner_parcel_id') },
  });
  expect(headers.get('x-tokens-used')).toBe('0');
});

describe('the plan', () => {
  test('goes from the subject to its owner and from the owner to the parcels by index only', async () => {
    await insertParcels(
      db.pool,
      Array.from({ length: 3_000 }, (_, at) => ({
        property_id: SULLIVAN + 1000 + at,
        owner_key: `44444444-4444-4444-4444-${String(at).padStart(12, '0')}`,
        place_key: PLACE,
      })),
    );
    for (const table of ['parcels', 'parcel_filters', 'owner_parcels'])
      await db.pool.query(`vacuum analyze ${table}`);
    const plan = async ({ text, values }: BoundStatement) => {
      const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      return rows.map(row => row['QUERY PLAN']).join('\n');
    };
    const texts = [
      await plan(statement('parcels/read_owner', { fips: 33_019, property_id: SULLIVAN + 1 })),
      await plan(statement('parcels/list_portfolio', { owner_keys: [OWNER], limit: MAX_PORTFOLIO })),
      await plan(statement('parcels/list_places', { owner_key: OWNER })),
      await plan(statement('parcels/list_open_places', { place_keys: [PLACE] })),
      await plan(statement('parcels/list_place_owners', { place_key: PLACE })),
      await plan(
        statement(
          'parcels/read_summaries',
          { property_ids: [SULLIVAN + 1, HANCOCK + 9], counties: [33_019, 23_009] },
          { summary: SUMMARY_COLUMNS },
        ),
      ),
    ];
    for (const text of texts) expect(text).not.toMatch(/Seq Scan/);
    // Shards are named otherwise than the partitions of a state, and of two that are asked
    // alike one is shown.
    for (const index of [
      /owner_parcels_pkey/,
      /owner_parcels_place/,
      /parcels(_33)?_pkey/,
      /parcels_23_pkey|Tasks Shown: One of 2/,
      /parcel_filters(_33)?_pkey/,
    ])
      expect(texts.join('\n')).toMatch(index);
  });
});
