import { beforeAll, describe, expect, test } from 'vitest';
import { revokeKey } from '../../../shared/accounts/accounts.ts';
import { insertRegions, newCaller, startTestApi, type TestReply, whileLocked } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';

const db = await createTestDatabase();
/** It stands still until the test moves it: a process uses what it read about a key for two seconds. */
let moment = Date.now();
const now = () => new Date(moment);
const api = await startTestApi(db, { now });
const other = await startTestApi(db, { now });
beforeAll(() => insertRegions(db));

function expectError(reply: TestReply, status: number, code: string): void {
  expect(reply.json).toMatchObject({ error: { code, request_id: reply.headers.get('x-request-id') } });
  expect(reply.status).toBe(status);
  expect(reply.headers.get('x-tokens-used')).toBe('0');
}

describe('authentication', () => {
  const whole = `plat_${'a'.repeat(43)}`;
  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['another scheme', `Basic ${whole}`],
    ['no key', 'Bearer'],
    ['a key without its prefix', `Bearer ${'a'.repeat(48)}`],
    ['a key that is too short', 'Bearer plat_abc'],
    ['two keys', `Bearer ${whole} ${whole}`],
    ['a key that nobody has', `Bearer ${whole}`],
  ])('%s is unauthorized', async (_name, authorization) => {
    const reply = await api.call(PATH, {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    });
    expectError(reply, 401, 'unauthorized');
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('the scheme is case-insensitive', async () => {
    const { key } = await newCaller(db);
    expect((await api.call(PATH, { headers: { Authorization: `bearer ${key}` } })).status).toBe(200);
  });

  test('an expired key is unauthorized, even if it expires between two calls', async () => {
    const past = await newCaller(db, {}, { expiresAt: new Date(moment - 1) });
    expectError(await api.call(PATH, { key: past.key }), 401, 'unauthorized');
    const soon = await newCaller(db, {}, { expiresAt: new Date(moment + 1_000) });
    expect((await api.call(PATH, { key: soon.key })).status).toBe(200);
    moment += 1_000;
    expectError(await api.call(PATH, { key: soon.key }), 401, 'unauthorized');
  });

  test('a revoked key is soon refused by every process that has just served it', async () => {
    const { key, keyId } = await newCaller(db);
    for (const each of [api, other]) expect((await each.call(PATH, { key })).status).toBe(200);
    await revokeKey(db.pool, keyId);
    moment += 2_000;
    for (const each of [api, other]) expectError(await each.call(PATH, { key }), 401, 'unauthorized');
  });

  test("a clock that is set back doesn't keep a revoked key alive", async () => {
    let moment = new Date();
    const stepping = await startTestApi(db, { now: () => moment });
    const { key, keyId } = await newCaller(db);
    expect((await stepping.call(PATH, { key })).status).toBe(200);
    await revokeKey(db.pool, keyId);
    moment = new Date(moment.getTime() - 3_600_000);
    expectError(await stepping.call(PATH, { key }), 401, 'unauthorized');
  });

  test('a key for both modes works, and its calls count in the mode in which they are made', async () => {
    const { key } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });
    expect((await api.call(PATH, { key })).status).toBe(200);
    const { records } = (await api.call('/api/public/v1/usage/breakdown/', { key })).json as {
      records: { mode: string }[];
    };
    expect(records.map(({ mode }) => mode)).toEqual(['direct']);
  });

  test("a call doesn't wait for a lock on its key; the next one records the use", async () => {
    const { key, keyId } = await newCaller(db);
    const lastUse = async () =>
      (await db.pool.query('select last_used_at from api_keys where id = $1', [keyId])).rows[0].last_used_at;
    await whileLocked(db, ['select from api_keys where id = $1 for update', [keyId]], async () => {
      expect((await api.call(PATH, { key })).status).toBe(200);
    });
    expect(await lastUse()).toBeNull();
    await other.call(PATH, { key });
    expect(await lastUse()).not.toBeNull();
  });

  test('the key is stored only as a hash, and its use is recorded', async () => {
    const { key, keyId } = await newCaller(db);
    await api.call(PATH, { key });
    const { rows } = await db.pool.query('select * from api_keys where id = $1', [keyId]);
    expect(JSON.stringify(rows)).not.toContain(key.slice(11));
    expect(key.startsWith(rows[0].prefix)).toBe(true);
    expect(rows[0].last_used_at).toBeInstanceOf(Date);
  });
});

describe('account limits', () => {
  const overage = { overageAllowed: true, backstopTokens: 0 };
  test.each([
    [{ tokensIncluded: 0 }, 'usage_limit_exceeded', /^\D*$/],
    [{ tokensIncluded: 9 }, 'usage_limit_exceeded', /\b10 tokens\b.*\b9\b/],
    [{ ...overage, tokensIncluded: 1 }, 'payment_method_required', /\b10 tokens\b.*\b1\b/],
    [
      { ...overage, tokensIncluded: 5, paymentMethod: true },
      'usage_backstop_reached',
      /\b10 tokens\b.*\b5\b/,
    ],
    [{ ...overage, tokensIncluded: 0, paymentMethod: true }, 'usage_backstop_reached', /^\D*$/],
  ])('%j: the error says what is left', async (account, code, figures) => {
    const { key } = await newCaller(db, account);
    expect((await api.call(PATH, { key })).json).toMatchObject({
      error: { code, message: expect.stringMatching(figures) },
    });
  });

  test('overage within the limit, or without one, is served', async () => {
    const overage = { tokensIncluded: 5, overageAllowed: true, paymentMethod: true };
    const capped = await newCaller(db, { ...overage, backstopTokens: 5 });
    expect((await api.call(PATH, { key: capped.key })).status).toBe(200);
    expectError(await api.call(PATH, { key: capped.key }), 402, 'usage_backstop_reached');
    const open = await newCaller(db, overage);
    for (let call = 0; call < 3; call++) expect((await api.call(PATH, { key: open.key })).status).toBe(200);
  });
});

/** Everything is wrong with this account; each repair uncovers the next complaint. */
test('checks run in the documented order', async () => {
  const caller = await newCaller(
    db,
    { pro: false, tier: 'free', invoicePaid: false, tokensIncluded: 0, ratePerMinute: 1, rateBurst: 1 },
    { scopes: ['api:mcp'] },
  );
  const bad = `${PATH}?nix=1`;
  const codes: string[] = [];
  const observe = async (path = bad) => {
    moment += 2_000;
    const { json } = await api.call(path, { key: caller.key });
    codes.push((json as { error: { code: string } }).error.code);
  };
  const repair = (set: string) =>
    db.pool.query(`update accounts set ${set} where id = $1`, [caller.accountId]);
  await observe();
  await db.pool.query("update api_keys set scopes = '{api:direct}' where id = $1", [caller.keyId]);
  await observe();
  await repair('pro = true');
  await observe();
  await repair("tier = 'starter'");
  await observe();
  await repair('invoice_paid = true');
  await db.pool.query('insert into rate_buckets values ($1, 1, 1, 1, 0, 0, 0, now())', [caller.accountId]);
  await observe();
  await repair('rate_per_minute = 60000, rate_burst = 1000');
  await db.pool.query('delete from rate_buckets where account_id = $1', [caller.accountId]);
  await observe();
  await observe('/api/public/v1/markets-stats/99999/stats/');
  await repair('tokens_included = 100');
  await observe('/api/public/v1/markets-stats/99999/stats/');
  expect(codes).toEqual([
    'forbidden',
    'subscription_required',
    'tier_upgrade_required',
    'payment_required',
    'rate_limited',
    'validation_error',
    'usage_limit_exceeded',
    'not_found',
  ]);
});
