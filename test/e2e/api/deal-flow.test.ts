import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Deal } from '../../../api/v1/deal-flow/deal.ts';
import type { DealEvent } from '../../../api/v1/deal-flow/history.ts';
import { uuidV5 } from '../../../shared/domain/uuid.ts';
import { newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { doDealJobs } from '../../support/deals.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);

const PATH = '/api/public/v1/deal-flow/listings/';
const listingId = (n: number) =>
  uuidV5(`listing:Generated sample (not real listings)\u0000GEN-${String(n).padStart(3, '0')}`);

const add = (key: string, body: object) => api.call(PATH, posting(key, JSON.stringify(body)));
const change = (key: string, id: string, body: object) =>
  api.call(`${PATH}${id}/`, { ...posting(key, JSON.stringify(body)), method: 'PATCH' });
const list = async (key: string, query = '') => (await api.call(PATH + query, { key })).json as Deal[];
const added = async (key: string, body: object) => {
  const reply = await add(key, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.json as Deal;
};

test('a deal is answered at once with nulls, and filled by its job', async () => {
  const { key, accountId } = await newCaller(db);
  expect(await list(key)).toEqual([]);
  const deal = await added(key, { listing_id: listingId(2), purchase_price: '12000', agent_fee: 1500.5 });
  expect(deal).toMatchObject({
    ...{ address: null, county: null, state: null, acreage: null, price: null, days_on_market: null },
    ...{ traction_score: null, price_advantage: null, listing_grade: '', suggested_action: '' },
    ...{ suggested_action_price: null, status: 'listed', deal_type: 'cash_close', fetch_status: 'waiting' },
    ...{ expected_profit: '-13500.50', purchase_price: '12000.00', agent_fee: '1500.50', position: 0 },
    ...{ contract_expiration_date: null, closing_date: null },
  });
  expect(await doDealJobs(db.pool)).toEqual([`deal.fetch ${deal.id}`]);
  const [found] = await list(key, '?explain=true');
  expect(found).toMatchObject({
    ...{ address: 'DEER VALLEY ROAD', county: 'Sullivan', state: 'NH', acreage: 4.31, price: 23500 },
    ...{ fetch_status: 'found', expected_profit: '9999.50', listing_id: listingId(2) },
    figures: { as_of: '2025-09-28', bucket: '3 acre-5 acre', active_listings: 37, total_spend: '13500.50' },
  });
  expect(found!.days_on_market).toBe(161);
  expect(found!.listing_grade).toMatch(/^([ABC][+-]?|D|F)$/);
  expect(String(found!.property_id)).toMatch(/^33019\d{8}$/);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test('by a parcel: its listing is found by the number', async () => {
  const { key } = await newCaller(db);
  const { rows } = await db.pool.query<{ id: number }>(
    "select property_id as id from parcels where fips = 33019 and apn = '000009 000011 000000'",
  );
  const deal = await added(key, { property_id: rows[0]!.id });
  await doDealJobs(db.pool);
  expect((await list(key))[0]).toMatchObject({ id: deal.id, listing_id: listingId(2), price: 23500 });
});

test('never found: the deal stays and tells why', async () => {
  const { key } = await newCaller(db);
  const { rows } = await db.pool.query<{ id: number }>(
    "select property_id as id from parcels where fips = 33019 and apn = '000015 000012 000000'",
  );
  await added(key, { listing_url: 'https://listings.example/1' });
  await added(key, { property_id: rows[0]!.id });
  await doDealJobs(db.pool);
  const [page, parcel] = await list(key);
  expect(page).toMatchObject({ fetch_status: 'no_provider', address: null, price: null, listing_grade: '' });
  expect(parcel).toMatchObject({
    fetch_status: 'not_found',
    county: 'Sullivan',
    price: null,
    listing_grade: '',
  });
  expect(parcel!.address).not.toBeNull();
});

describe('what a person changes', () => {
  test('stages, places and amounts; null takes a value back', async () => {
    const { key } = await newCaller(db);
    const ids: string[] = [];
    for (const n of [1, 3, 4]) ids.push((await added(key, { listing_id: listingId(n) })).id);
    await doDealJobs(db.pool);
    const [first, second, third] = ids as [string, string, string];
    const order = async () => (await list(key)).map(({ id, status, position }) => [id, status, position]);
    expect((await change(key, third, { position: 0 })).status).toBe(200);
    expect(await order()).toEqual([
      [third, 'listed', 0],
      [first, 'listed', 1],
      [second, 'listed', 2],
    ]);
    await change(key, first, { status: 'in_title', closing_date: '2026-12-15', misc_costs: '10.10' });
    expect(await order()).toEqual([
      [third, 'listed', 0],
      [second, 'listed', 1],
      [first, 'in_title', 0],
    ]);
    const moved = (await list(key))[2]!;
    expect(moved).toMatchObject({ suggested_action: '', suggested_action_price: null, misc_costs: '10.10' });
    expect(moved.closing_date).toBe('2026-12-15');
    await change(key, first, { misc_costs: null, closing_date: null, status: 'listed', position: 99 });
    expect((await list(key))[2]).toMatchObject({
      id: first,
      misc_costs: null,
      closing_date: null,
      position: 2,
    });
    expect((await api.call(`${PATH}${third}/`, { key, method: 'DELETE' })).status).toBe(204);
    expect((await order()).map(([, , position]) => position)).toEqual([0, 1]);
  });

  test("an advised price that is taken is the deal's until its listing shows another one", async () => {
    const { key } = await newCaller(db);
    const { id } = await added(key, { listing_id: listingId(7) });
    await doDealJobs(db.pool);
    const before = (await list(key))[0]!;
    await change(key, id, { price: '100000' });
    await doDealJobs(db.pool);
    expect((await list(key))[0]).toMatchObject({ price: 100000, expected_profit: '100000.00' });
    expect((await list(key))[0]!.price_advantage).toBeGreaterThanOrEqual(before.price_advantage!);
    await db.pool.query('update listings set price = 99000 where id = $1', [listingId(7)]);
    await change(key, id, { deal_type: 'double_close' });
    await doDealJobs(db.pool);
    expect((await list(key))[0]).toMatchObject({ price: 99000, deal_type: 'double_close' });
    const history = (await api.call(`${PATH}${id}/history/`, { key })).json as DealEvent[];
    expect(history.map(({ cause }) => cause)).toEqual([
      'fetched',
      'edited',
      'fetched',
      'edited',
      'fetched',
      'added',
    ]);
    expect(history[3]).toMatchObject({ changes: { price: ['109600.00', '100000.00'] }, price: 100000 });
    expect(history[3]!.author).toMatch(/^account /);
    expect(history[0]!.author).toBe('plat');
  });
});

test('each sees their own board: users of a company, accounts without a user', async () => {
  const company = 'Deals & Daughters';
  const ana = await newCaller(db, { company, user: 'ana@deals.example' });
  const alsoAna = await newCaller(db, { company, user: 'ana@deals.example' });
  const bob = await newCaller(db, { company, user: 'bob@deals.example' });
  const nobody = await newCaller(db, { company });
  const { id } = await added(ana.key, { listing_id: listingId(5) });
  expect((await list(alsoAna.key)).map(deal => deal.id)).toEqual([id]);
  for (const { key } of [bob, nobody]) {
    expect(await list(key)).toEqual([]);
    for (const reply of [
      await api.call(`${PATH}${id}/`, { key }),
      await api.call(`${PATH}${id}/history/`, { key }),
      await change(key, id, { status: 'sold' }),
      await api.call(`${PATH}${id}/`, { key, method: 'DELETE' }),
    ])
      expect([reply.status, reply.json]).toMatchObject([404, { error: { code: 'not_found' } }]);
  }
  expect((await list(ana.key))[0]).toMatchObject({ id, status: 'listed' });
});

test.each([
  [{}, ['property_id', 'listing_id', 'listing_url']],
  [{ property_id: 1 }, ['property_id']],
  [{ property_id: 9_007_199_254_740_991 }, ['property_id']],
  [{ listing_id: randomUUID() }, ['listing_id']],
  [{ listing_url: 'file:///etc/passwd' }, ['listing_url']],
  [{ listing_url: 'https://a.example/', listing_id: randomUUID() }, ['listing_url', 'listing_id']],
  [{ listing_url: 'https://a.example/', purchase_price: '1,000' }, ['purchase_price']],
  [{ listing_url: 'https://a.example/', purchase_price: 1e21 }, ['purchase_price']],
  [
    { listing_url: 'https://a.example/', purchase_price: '9999999999.99', agent_fee: '0.01' },
    ['purchase_price'],
  ],
  [{ listing_url: 'https://a.example/', closing_costs: '-1' }, ['closing_costs']],
  [{ listing_url: 'https://a.example/', status: 'gone' }, ['status']],
  [{ listing_url: 'https://a.example/', closing_date: '2026-02-30' }, ['closing_date']],
])('%j is refused', async (body, fields) => {
  const { key } = await newCaller(db);
  const reply = await add(key, body);
  expect(reply.status, reply.text).toBe(400);
  expect(Object.keys((reply.json as { error: { details: object } }).error.details).sort()).toEqual(
    fields.sort(),
  );
  expect(await list(key)).toEqual([]);
});

test('a repeated POST with an Idempotency-Key adds one deal', async () => {
  const { key } = await newCaller(db);
  const call = posting(key, JSON.stringify({ listing_id: listingId(6) }));
  const headers = { ...call.headers, 'Idempotency-Key': 'twice' };
  const [one, two] = [await api.call(PATH, { ...call, headers }), await api.call(PATH, { ...call, headers })];
  expect((two.json as Deal).id).toBe((one.json as Deal).id);
  expect(await list(key)).toHaveLength(1);
});

test('a board holds 10,000 deals', async () => {
  const { key, accountId } = await newCaller(db);
  await added(key, { listing_id: listingId(6) });
  await db.pool.query(
    `insert into deals (board_id, status, position, listing_id)
     select b.id, 'sold', n - 1, $2 from deal_boards b, generate_series(1, 9999) n where b.account_id = $1`,
    [accountId, listingId(6)],
  );
  expect((await add(key, { listing_id: listingId(6) })).status).toBe(422);
  expect(await list(key)).toHaveLength(10_000);
});
