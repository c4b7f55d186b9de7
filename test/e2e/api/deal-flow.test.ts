import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DealEvent } from '../../../api/v1/deals/deal-history.ts';
import type { Deal } from '../../../api/v1/deals/deal-schema.ts';
import { changeAccount } from '../../../shared/accounts/contracts.ts';
import { enqueue } from '../../../shared/platform/queue/jobs.ts';
import { gradeDealsDailyJob } from '../../../workers/deals/grade-deals-daily-job.ts';
import { sampleDir } from '../../../workers/ingest/feed-folders.ts';
import { loadFeed } from '../../../workers/ingest/load-feeds.ts';
import { newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { dealCalls, doDealJobs, listingId, setValue } from '../../support/deals.ts';
import { testFolder } from '../../support/folder.ts';
import { serve } from '../../support/http-server.ts';
import { ingest } from '../../support/ingest.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const folder = testFolder();

const { PATH, add, added, change, list } = dealCalls(api);

test('a deal is answered at once with nulls, and filled by its job', async () => {
  const { key, accountId } = await newCaller(db);
  expect(await list(key)).toEqual([]);
  const deal = await added(key, { listing_id: listingId(2), purchase_price: '12000', agent_fee: 1500.5 });
  expect(deal).toMatchObject({
    address: null,
    county: null,
    state: null,
    acreage: null,
    price: null,
    days_on_market: null,
    traction_score: null,
    price_advantage: null,
    listing_grade: '',
    suggested_action: '',
    suggested_action_price: null,
    status: 'listed',
    deal_type: 'cash_close',
    fetch_status: 'waiting',
    expected_profit: '-13500.50',
    purchase_price: '12000.00',
    agent_fee: '1500.50',
    position: 0,
    contract_expiration_date: null,
    closing_date: null,
  });
  expect(await doDealJobs(db.pool)).toEqual([`deal.fetch ${deal.id}`]);
  const [found] = await list(key, '?explain=true');
  expect(found).toMatchObject({
    address: 'DEER VALLEY ROAD',
    county: 'Sullivan',
    state: 'NH',
    acreage: 4.31,
    price: 23500,
    fetch_status: 'found',
    expected_profit: '9999.50',
    listing_id: listingId(2),
    figures: { as_of: '2025-09-28', bucket: '3 acre-5 acre', active_listings: 37, total_spend: '13500.50' },
  });
  expect(found!.days_on_market).toBe(161);
  expect(found!.listing_grade).toMatch(/^([ABC][+-]?|D|F)$/);
  expect(String(found!.property_id)).toMatch(/^33019\d{8}$/);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test('a deal added by parcel finds its listing by parcel number', async () => {
  const { key } = await newCaller(db);
  const { rows } = await db.pool.query<{ id: number }>(
    "select property_id as id from parcels where fips = 33019 and apn = '000009 000011 000000'",
  );
  const deal = await added(key, { property_id: rows[0]!.id });
  await doDealJobs(db.pool);
  expect((await list(key))[0]).toMatchObject({ id: deal.id, listing_id: listingId(2), price: 23500 });
});

test('never found: the deal stays and shows the reason', async () => {
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

test('a lot under contract comes first, and has an estimate before it has a list price', async () => {
  const { key } = await newCaller(db);
  const apn = '000015 000012 000000';
  await setValue(db.pool, apn, [10_000, 20_000, 40_000]);
  const { rows } = await db.pool.query<{ id: number }>(
    'select property_id as id from parcels where fips = 33019 and apn = $1',
    [apn],
  );
  await added(key, { listing_id: listingId(1) });
  const { id } = await added(key, {
    property_id: rows[0]!.id,
    status: 'under_contract',
    purchase_price: '5000',
  });
  await doDealJobs(db.pool);
  const [first, second] = await list(key, '?explain=true');
  expect([first!.status, second!.status]).toEqual(['under_contract', 'listed']);
  expect(first).toMatchObject({ id, price: null, listing_grade: '', advice: null, suggested_action: '' });
  expect(first!.figures).toMatchObject({
    mean_adjusted_price: '20000.00',
    low_price: '10000.00',
    high_price: '40000.00',
    total_spend: '5000.00',
    score: null,
    price_per_acre: null,
    reason: '',
  });
  await change(key, id, { status: 'listed', price: '30000' });
  await doDealJobs(db.pool);
  expect((await list(key)).find(deal => deal.id === id)!.listing_grade).not.toBe('');
});

describe('changes by a user', () => {
  test('move deals between stages and positions and set amounts; null resets a value', async () => {
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

  test('accept an advised price, which stays until the listing shows another one', async () => {
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
  [{ listing_url: 'https://a.example/', closing_date: '0000-01-01' }, ['closing_date']],
  [{ listing_url: 'https://a.example/\u0000' }, ['listing_url']],
  [{ listing_url: 'https://a.example/a b' }, ['listing_url']],
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
  // Else the daily run of a later test would look for all of them.
  await db.pool.query("delete from deals where status = 'sold'");
});

test('an account that gets a user takes its deals along, also to a board that is there', async () => {
  const company = 'Two boards';
  const [one, two] = [await newCaller(db, { company }), await newCaller(db, { company })];
  const ids: string[] = [];
  for (const { key, accountId } of [one, two]) {
    ids.push((await added(key, { listing_id: listingId(8) })).id);
    await changeAccount(db.pool, accountId, { user: 'both@deals.example' });
  }
  for (const { key } of [one, two])
    expect((await list(key)).map(({ id, position }) => [id, position])).toEqual(ids.map((id, n) => [id, n]));
});

test('a page that no feed has is read by the provider, which is not asked twice in a day', async () => {
  const asked: string[] = [];
  let status = 200;
  const server = await serve((request, res) => {
    asked.push(request.url!);
    const listing = { street: '12 Elm St', county: 'Sullivan County', state: 'New Hampshire', acres: '2.5' };
    res.writeHead(status, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ listing: { ...listing, ask: '$30,000.50', days: 100, seen: 900, kept: 3 } }));
  });
  const file = join(folder, 'pages.yaml');
  const paths = { address: 'street', county: 'county', state: 'state', acreage: 'acres', price: 'ask' };
  const response = { ...paths, days_on_market: 'days', views: 'seen', saves: 'kept' };
  writeFileSync(
    file,
    JSON.stringify({
      name: 'pages',
      url: `${server.origin}/?page={listing_url}`,
      method: 'GET',
      tries: 1,
      response: Object.fromEntries(
        Object.entries(response).map(([field, path]) => [field, `listing.${path}`]),
      ),
    }),
  );
  const env = { LISTING_PROVIDER: file };
  const { key } = await newCaller(db);
  const page = 'https://listings.example/elm?a=1&b=2';
  status = 503;
  const { id } = await added(key, { listing_url: page });
  await expect(doDealJobs(db.pool, env)).rejects.toMatchObject({ code: 'provider' });
  expect((await list(key))[0]).toMatchObject({ fetch_status: 'provider_failed', listing_grade: '' });
  status = 200;
  await change(key, id, { misc_costs: '10' });
  await doDealJobs(db.pool, env);
  expect((await list(key))[0]).toMatchObject({
    fetch_status: 'found',
    address: '12 Elm St',
    county: 'Sullivan County',
    state: 'NH',
    acreage: 2.5,
    price: 30000.5,
    days_on_market: 100,
    views: 900,
    saves: 3,
    listing_id: null,
    listing_grade: expect.stringMatching(/^[A-F]/),
  });
  await change(key, id, { misc_costs: '20' });
  await doDealJobs(db.pool, env);
  expect((await list(key))[0]).toMatchObject({ fetch_status: 'found', price: 30000.5, misc_costs: '20.00' });
  await server.close();
  expect(asked).toEqual(Array(2).fill(`/?page=${encodeURIComponent(page)}`));
});

test('an ingestion of the county grades its listed deals anew, once for all; the daily run looks for the rest', async () => {
  const { key } = await newCaller(db);
  const { id } = await added(key, { listing_id: listingId(36) });
  await doDealJobs(db.pool);
  const before = (await list(key))[0]!;
  const file = join(folder, 'listings.csv');
  const sample = readFileSync(join(sampleDir, '../data/washington_nh/generated-listings.csv'), 'utf8');
  writeFileSync(file, sample.replace('2.56,34900,', '2.56,20000,'));
  const feed = await loadFeed(join(sampleDir, 'washington-nh-listings.yaml'));
  await ingest(db.pool, feed, { sources: { listings: file } });
  expect(await doDealJobs(db.pool)).toEqual(['deal.grade 33019']);
  const after = (await api.call(`${PATH}${id}/`, { key })).json as Deal;
  expect(after.price).toBe(20000);
  expect(after.price_advantage).toBeGreaterThan(before.price_advantage!);
  await enqueue(db.pool, gradeDealsDailyJob, {});
  await doDealJobs(db.pool);
  const jobs = await doDealJobs(db.pool);
  expect(jobs).toContain('deal.grade 33019');
  expect(jobs.some(name => name.startsWith('deal.fetch '))).toBe(true);
});
