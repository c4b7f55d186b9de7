import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createKey, listAccounts } from '../../../shared/accounts/accounts.ts';
import { uuidV5 } from '../../../shared/model/uuid.ts';
import { insertRegions, newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);

const PATH = '/api/public/v1/markets/';
const SULLIVAN = '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11';
const AUTAUGA = '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f12';
const ZIP_03280 = '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f13';

type Market = { id: string; region: { id: string }; status: string; created_at: string; updated_at: string };

beforeAll(async () => {
  await insertRegions(db);
});

const post = (key: string, body: unknown) => api.call(PATH, posting(key, JSON.stringify(body)));
const remove = (key: string, id: string) => api.call(`${PATH}${id}/`, { key, method: 'DELETE' });
const list = async (key: string) => (await api.call(PATH, { key })).json as Market[];

test('a company starts without saved markets', async () => {
  const { key } = await newCaller(db);
  const reply = await api.call(PATH, { key });
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual([]);
});

test('a saved market is returned with its region, at no charge', async () => {
  const { key, accountId } = await newCaller(db);
  const reply = await post(key, { region_id: SULLIVAN, status: 'Watching' });
  expect(reply.status).toBe(201);
  const market = reply.json as Market;
  expect(market).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    region: {
      id: SULLIVAN,
      type: 'county',
      name: 'Sullivan County',
      state: 'NH',
      county_name: 'Sullivan County',
      fips: '33019',
    },
    status: 'Watching',
    created_at: expect.any(String),
    updated_at: market.created_at,
  });
  expect(Date.parse(market.created_at)).not.toBeNaN();
  expect(await list(key)).toEqual([market]);
  await remove(key, market.id);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test('a ZIP has an empty fips, and a market without a status has an empty status', async () => {
  const { key } = await newCaller(db);
  expect((await post(key, { region_id: ZIP_03280 })).json).toMatchObject({
    region: { type: 'zip', name: '03280', fips: '' },
    status: '',
  });
});

test('markets are listed in the order in which they were pinned; a removed one comes last when saved again', async () => {
  const { key } = await newCaller(db);
  const saved: Market[] = [];
  for (const region_id of [ZIP_03280, SULLIVAN, AUTAUGA])
    saved.push((await post(key, { region_id })).json as Market);
  expect((await list(key)).map(market => market.id)).toEqual(saved.map(market => market.id));
  const gone = await remove(key, saved[0]!.id);
  expect([gone.status, gone.text]).toEqual([204, '']);
  await post(key, { region_id: ZIP_03280 });
  expect((await list(key)).map(market => market.region.id)).toEqual([SULLIVAN, AUTAUGA, ZIP_03280]);
});

test('saving a market again keeps its position, and sets the new status if there is one', async () => {
  const { key } = await newCaller(db);
  const first = (await post(key, { region_id: SULLIVAN, status: 'Backlog' })).json as Market;
  await post(key, { region_id: AUTAUGA });
  const again = await post(key, { region_id: SULLIVAN });
  expect([again.status, again.json]).toEqual([200, first]);
  const changed = (await post(key, { region_id: SULLIVAN, status: 'Active' })).json as Market;
  expect(changed).toEqual({ ...first, status: 'Active', updated_at: expect.any(String) });
  expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(first.updated_at));
  expect((await list(key)).map(market => market.region.id)).toEqual([SULLIVAN, AUTAUGA]);
});

describe('company scope', () => {
  test('accounts of one company share their markets, and no other accounts see them', async () => {
    const one = await newCaller(db, { company: 'Land & Sons' });
    const two = await newCaller(db, { company: 'Land & Sons' });
    const other = await newCaller(db, { company: 'Another' });
    const market = (await post(one.key, { region_id: SULLIVAN })).json as Market;
    expect(await list(two.key)).toEqual([market]);
    expect(await list(other.key)).toEqual([]);
    expect((await remove(other.key, market.id)).status).toBe(404);
    expect(await list(one.key)).toEqual([market]);
    expect((await remove(two.key, market.id)).status).toBe(204);
    expect(await list(one.key)).toEqual([]);
  });

  test("an account without a company gets a new one, and doesn't take over another of the same name", async () => {
    const account = await createAccount(db.pool, { name: 'lone', tier: 'scale' });
    expect(account.company).toBe('lone');
    await createAccount(db.pool, { name: 'partner', tier: 'scale', company: 'Taken' });
    await expect(createAccount(db.pool, { name: 'Taken', tier: 'scale' })).rejects.toMatchObject({
      code: 'company_exists',
    });
    const joined = await createAccount(db.pool, { name: 'Taken', tier: 'scale', company: 'Taken' });
    expect((await listAccounts(db.pool)).find(({ id }) => id === joined.id)?.company).toBe('Taken');
    await expect(createAccount(db.pool, { name: 'lone', tier: 'scale' })).rejects.toMatchObject({
      code: 'account_exists',
    });
  });
});

test('a missing market is a 404', async () => {
  const { key } = await newCaller(db);
  const market = (await post(key, { region_id: SULLIVAN })).json as Market;
  expect((await remove(key, market.id)).status).toBe(204);
  for (const id of [market.id, SULLIVAN]) {
    const reply = await remove(key, id);
    expect([reply.status, reply.json]).toMatchObject([404, { error: { code: 'not_found' } }]);
  }
});

test.each([
  [{}, 'region_id'],
  [{ region_id: 'Sullivan' }, 'region_id'],
  [{ region_id: 33019 }, 'region_id'],
  [{ region_id: '00000000-0000-4000-8000-000000000000' }, 'region_id'],
  [{ region_id: SULLIVAN, status: 7 }, 'status'],
  [{ region_id: SULLIVAN, status: 'x'.repeat(65) }, 'status'],
  [{ region_id: SULLIVAN, status: 'a\0b' }, 'status'],
  [{ region_id: SULLIVAN, colour: 'red' }, 'colour'],
  [[], 'body'],
])('%j is refused and names %s', async (body, field) => {
  const { key } = await newCaller(db);
  const reply = await post(key, body);
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({
    error: { code: 'validation_error', details: { [field]: [expect.any(String)] } },
  });
  expect(await list(key)).toEqual([]);
});

test('an invalid id is not found', async () => {
  const { key } = await newCaller(db);
  expect((await remove(key, '7')).json).toMatchObject({
    error: { code: 'not_found', message: expect.stringMatching(/\bid\b.*UUID/) },
  });
});

test('a company can save 500 markets, even with concurrent calls', async () => {
  const { key, accountId } = await newCaller(db);
  await db.pool.query(
    `insert into regions (id, type, code, name, state, county_name, fips)
     select gen_random_uuid(), 'zip', (10000 + n)::text, (10000 + n)::text, 'NY', 'Test County', 36001
     from generate_series(1, 510) as n`,
  );
  await db.pool.query(
    `insert into saved_markets (company_id, region_id, position)
     select (select company_id from accounts where id = $1), id, row_number() over (order by code)
     from regions where state = 'NY' order by code limit 496`,
    [accountId],
  );
  const { rows } = await db.pool.query<{ id: string }>(
    "select id from regions where state = 'NY' order by code desc limit 12",
  );
  const replies = await Promise.all(rows.map(({ id }) => post(key, { region_id: id })));
  expect(replies.map(reply => reply.status).sort()).toEqual([
    ...Array<number>(4).fill(201),
    ...Array<number>(8).fill(422),
  ]);
  expect(replies.find(reply => reply.status === 422)!.json).toMatchObject({
    error: { code: 'unprocessable' },
  });
  const markets = await list(key);
  expect(markets).toHaveLength(500);
  // One that is there can still be changed.
  expect((await post(key, { region_id: markets[7]!.region.id, status: 'Active' })).status).toBe(200);
  const { rows: places } = await db.pool.query<{ distinct: number }>(
    'select count(distinct position)::int as distinct from saved_markets where company_id = (select company_id from accounts where id = $1)',
    [accountId],
  );
  expect(places[0]!.distinct).toBe(500);
});

test('concurrent calls that save one market create one', async () => {
  const { key } = await newCaller(db);
  const replies = await Promise.all(Array.from({ length: 8 }, () => post(key, { region_id: AUTAUGA })));
  expect(new Set(replies.map(reply => (reply.json as Market).id)).size).toBe(1);
  expect(await list(key)).toHaveLength(1);
});

test('a region whose id changes keeps its place in the saved markets', async () => {
  const { key } = await newCaller(db);
  await post(key, { region_id: AUTAUGA });
  const id = uuidV5('county:01001');
  await db.pool.query('update regions set id = $1 where id = $2', [id, AUTAUGA]);
  expect((await list(key)).map(market => market.region.id)).toEqual([id]);
  await db.pool.query('update regions set id = $1 where id = $2', [AUTAUGA, id]);
});

test('a key is required, and other methods are refused', async () => {
  expect((await api.call(PATH)).status).toBe(401);
  const { key } = await newCaller(db);
  const reply = await api.call(PATH, { key, method: 'PUT' });
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});

test("a key of a company account sees the company's markets", async () => {
  const account = await createAccount(db.pool, {
    name: 'second desk',
    tier: 'scale',
    company: 'Land & Sons',
  });
  const { key } = await createKey(db.pool, account.id, { name: 'test' });
  expect(await list(key)).toEqual([]);
});
