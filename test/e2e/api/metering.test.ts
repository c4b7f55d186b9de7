import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Caller } from '../../../api/http/callers.ts';
import { type Meter, openMeter } from '../../../api/http/meter.ts';
import { changeAccount } from '../../../shared/accounts/contracts.ts';
import { statement } from '../../../shared/platform/statements.ts';
import { insertRegions, newCaller, startTestApi, usageOf, whileLocked } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { openTestDb } from '../../support/test-db.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';

const db = await createTestDatabase();
const one = await startTestApi(db);
const two = await startTestApi(db);
beforeAll(() => insertRegions(db));

const callerOf = (accountId: string, mode = 'direct') =>
  ({ account: { id: accountId, tokensUsed: 0 }, mode }) as unknown as Caller;

test('with few tokens left, only free calls work; with none left, all calls are refused', async () => {
  const name = 'nearly used up';
  const { key } = await newCaller(db, { name, tokensIncluded: 15 });
  const get = (path: string, headers = {}) => one.call(path, { key, headers });
  const free = async () => [
    (await get(PATH, { 'If-None-Match': '*' })).status,
    (await get('/api/public/v1/markets-stats/99999/stats/')).status,
    (await get('/api/public/v1/properties/search/?fips=33019&apn=none')).status,
  ];
  expect((await get(PATH)).status).toBe(200);
  expect(await free()).toEqual([304, 404, 200]);
  expect((await get(PATH)).json).toMatchObject({ error: { code: 'usage_limit_exceeded' } });
  await changeAccount(db.pool, name, { tokensIncluded: 10 });
  await expect.poll(free).toEqual([402, 402, 402]);
});

test('refused charges report what the others left', async () => {
  const { accountId } = await newCaller(db, { tokensIncluded: 25 });
  // The first goes alone; those that arrive meanwhile share a statement.
  const meter = openMeter(db.pool.forApi());
  const replies = await Promise.allSettled(
    [7, 30, 10, 20, 10, 3].map(tokens => meter.charge(callerOf(accountId), 'public_comps', tokens)),
  );
  expect(await usageOf(db, accountId)).toMatchObject({ tokens: 20 });
  expect(replies.map(reply => (reply.status === 'rejected' ? reply.reason.message : ''))).toEqual([
    '',
    expect.stringMatching(/\b30 tokens\b.*\b5\b/),
    '',
    expect.stringMatching(/\b20 tokens\b.*\b5\b/),
    expect.stringMatching(/\b10 tokens\b.*\b5\b/),
    '',
  ]);
});

test('a charge waits for another that a second process has not committed yet, and counts it', async () => {
  const { accountId } = await newCaller(db, { tokensIncluded: 15 });
  const other = await db.pool.connect();
  await other.query('begin');
  await other.query(
    statement('accounts/charge_calls', {
      account_ids: [accountId],
      metering_keys: ['public_comps'],
      modes: ['direct'],
      tokens: [10],
      each: [1],
      calls: [1],
    }),
  );
  const verdict = openMeter(db.pool.forApi())
    .charge(callerOf(accountId), 'public_comps', 10)
    .then(
      () => 'charged',
      error => error.code,
    );
  await expect.poll(() => lockWaits(db)).toBe(1);
  await other.query('commit');
  other.release();
  expect(await verdict).toBe('usage_limit_exceeded');
  expect(await usageOf(db, accountId)).toEqual({ tokens: 10, calls: 1, daily: 10 });
});

test('charges are committed durably, whatever the server does by default', async () => {
  const { accountId } = await newCaller(db);
  const client = await db.pool.connect();
  await client.query('begin');
  await client.query('set local synchronous_commit = off');
  await client.query(
    statement('accounts/charge_calls', {
      account_ids: [accountId],
      metering_keys: ['public_comps'],
      modes: ['direct'],
      tokens: [10],
      each: [1],
      calls: [1],
    }),
  );
  const { rows } = await client.query('show synchronous_commit');
  await client.query('rollback');
  client.release();
  expect(rows).toEqual([{ synchronous_commit: 'on' }]);
});

test('charges of concurrent calls share a statement; those of a single caller run one by one', async () => {
  const { accountId } = await newCaller(db, { tokensIncluded: 10_000 });
  const database = db.pool.forApi();
  const statements = vi.spyOn(database, 'run').mock.calls;
  let underway = 1;
  const meter = openMeter(database, () => underway);
  const charge = (calls: number) =>
    Promise.all(Array.from({ length: calls }, () => meter.charge(callerOf(accountId), 'public_comps', 10)));
  for (let n = 0; n < 5; n++) await charge(1);
  expect(statements).toHaveLength(5);
  underway = 20;
  await charge(20);
  // The second batch goes when 14 of the 20 are there.
  const first = charge(7);
  await new Promise(resolve => setImmediate(resolve));
  await Promise.all([first, charge(13)]);
  expect(statements).toHaveLength(7);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 450, calls: 45, daily: 450 });
});

test('each of many concurrent accounts is charged for what it got', async () => {
  const callers = await Promise.all(Array.from({ length: 12 }, () => newCaller(db, { tokensIncluded: 50 })));
  const calls = callers.flatMap(({ key }) =>
    Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).call(PATH, { key })),
  );
  await Promise.all(calls);
  for (const { accountId } of callers)
    expect(await usageOf(db, accountId)).toEqual({ tokens: 50, calls: 5, daily: 50 });
});

test('among concurrent charges, small ones that fit are made and a large one is refused', async () => {
  const { accountId } = await newCaller(db, { tokensIncluded: 35 });
  const meter = openMeter(db.pool.forApi());
  const verdicts = await Promise.allSettled(
    [30, 10, 20, 5].map(tokens => meter.charge(callerOf(accountId), 'public_comps', tokens)),
  );
  expect(verdicts.map(verdict => verdict.status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 35, calls: 3, daily: 35 });
});

test('concurrent charges of callers that disconnected are not made', async () => {
  const { accountId } = await newCaller(db);
  const meter = openMeter(db.pool.forApi());
  const left = [false, true, false, true];
  await Promise.all(
    left.map(isFinished =>
      meter.charge(callerOf(accountId), 'public_comps', 10, { isFinished: () => isFinished }),
    ),
  );
  expect(await usageOf(db, accountId)).toEqual({ tokens: 20, calls: 2, daily: 20 });
});

test('identical charges are counted individually, then those of other endpoints and modes', async () => {
  const { accountId } = await newCaller(db, { tokensIncluded: 45 });
  const meter = openMeter(db.pool.forApi());
  const asked = ['comps 10', 'comps 20', 'comps 10', 'comps 10', 'image 10', 'image 10'];
  const verdicts = await Promise.allSettled(
    asked.map((name, index) => {
      const [endpoint, tokens] = name.split(' ');
      return meter.charge(callerOf(accountId, index === 5 ? 'mcp' : 'direct'), endpoint!, Number(tokens));
    }),
  );
  expect(verdicts.filter(verdict => verdict.status === 'fulfilled')).toHaveLength(4);
  expect(verdicts[1]!.status).toBe('rejected');
  expect(await usageOf(db, accountId)).toEqual({ tokens: 40, calls: 4, daily: 40 });
});

describe('charges of one batch fail individually:', () => {
  const outcomes = (meter: Meter, ids: string[]) =>
    Promise.all(
      ids.map(id =>
        meter.charge(callerOf(id), 'public_comps', 10).then(
          () => 'charged',
          error => error.code,
        ),
      ),
    );

  test('a contract that has ended', async () => {
    const callers = [await newCaller(db), await newCaller(db), await newCaller(db)];
    const ids = callers.map(caller => caller.accountId);
    await changeAccount(db.pool, ids[1]!, { tier: null });
    expect(await outcomes(openMeter(db.pool.forApi()), ids)).toEqual([
      'charged',
      'tier_upgrade_required',
      'charged',
    ]);
    for (const [index, used] of [10, 0, 10].entries())
      expect((await usageOf(db, ids[index]!)).tokens).toBe(used);
  });

  test("a period that can't be rolled over in time", async () => {
    const ids = [(await newCaller(db)).accountId, (await newCaller(db)).accountId];
    await db.pool.query("update accounts set period_end = period_start + interval '1 us' where id = $1", [
      ids[0],
    ]);
    const pool = openTestDb(db.config, {
      applicationName: 'plat test',
      connectTimeoutMs: 60_000,
      statementTimeoutMs: 2_000,
    });
    const lock = await db.pool.connect();
    try {
      await lock.query('begin');
      await lock.query('select from accounts where id = $1 for update', [ids[0]]);
      expect(await outcomes(openMeter(pool.forApi()), ids)).toEqual(['internal_error', 'charged']);
    } finally {
      await lock.query('rollback');
      lock.release();
      await pool.end();
    }
    expect((await usageOf(db, ids[0]!)).tokens).toBe(0);
    expect((await usageOf(db, ids[1]!)).tokens).toBe(10);
  });
});

test('a charge is on disk before its call returns, even on a server that commits asynchronously', async () => {
  const { key } = await newCaller(db);
  // The server of the tests does, unless TEST_DATABASE_URL names another.
  for (let round = 0; round < 20; round++) {
    const { rows: before } = await db.pool.query('select pg_current_wal_insert_lsn() as lsn');
    await one.call(PATH, { key });
    const { rows: after } = await db.pool.query('select pg_current_wal_flush_lsn() > $1::pg_lsn as flushed', [
      before[0].lsn,
    ]);
    expect(after[0].flushed).toBe(true);
  }
});

test("the first charge of a day doesn't wait for a change to its account", async () => {
  const { accountId } = await newCaller(db);
  const change = await db.pool.connect();
  try {
    await change.query('begin');
    await change.query(statement('accounts/lock_account', { id: accountId, by: 'test' }));
    await openMeter(db.pool.forApi()).charge(callerOf(accountId), 'public_comps', 10);
    // Each would wait for the other if the charge waited for the account.
    await change.query(statement('accounts/close_period', { account_id: accountId }));
  } finally {
    await change.query('rollback');
    change.release();
  }
  expect((await usageOf(db, accountId)).tokens).toBe(10);
});

test('if the charge fails, so does the call', async () => {
  const { key, accountId } = await newCaller(db);
  const hasty = await startTestApi(db, { env: { STATEMENT_TIMEOUT_MS: '300' } });
  await one.call(PATH, { key });
  await whileLocked(
    db,
    ['select from usage_periods where account_id = $1 for update', [accountId]],
    async () => {
      const reply = await hasty.call(PATH, { key });
      expect(reply.status).toBe(503);
      expect(reply.headers.get('x-tokens-used')).toBe('0');
      expect(reply.headers.get('etag')).toBeNull();
    },
  );
  expect((await usageOf(db, accountId)).tokens).toBe(10);
});

test('a call whose charge has started is not cut off by its deadline: it is charged and answered', async () => {
  const { key, accountId } = await newCaller(db);
  const locking: [string, unknown[]] = [
    'select from usage_periods where account_id = $1 for update',
    [accountId],
  ];
  // Less than the pool's own limits, which go by the same timers.
  const fresh = await startTestApi(db, { env: { REQUEST_TIMEOUT_MS: '1000' } });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const call = await whileLocked(db, locking, async () => {
    const waits = fresh.call(PATH, { key });
    await expect.poll(() => lockWaits(db)).toBe(1);
    vi.advanceTimersByTime(fresh.config.REQUEST_TIMEOUT_MS);
    return { waits };
  });
  expect((await call.waits).status).toBe(200);
  expect((await usageOf(db, accountId)).tokens).toBe(10);
});

test('an ended period is rolled over once, month by month from its anchor, however many calls arrive', async () => {
  const { key, accountId } = await newCaller(db, { tokensIncluded: 2_000 });
  await db.pool.query(
    `update accounts set period_anchor = '2024-01-31T10:00:00Z', period_start = '2024-01-31T10:00:00Z', period_end = '2024-02-29T10:00:00Z' where id = $1`,
    [accountId],
  );
  await db.pool.query('delete from usage_periods where account_id = $1', [accountId]);
  await db.pool.query("insert into usage_periods values ($1, '2024-01-31T10:00:00Z', 2000)", [accountId]);

  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? one : two).call(PATH, { key })),
  );
  expect(new Set(replies.map(reply => reply.status))).toEqual(new Set([200]));

  const { rows } = await db.pool.query(
    `select a.period_start, a.period_end, u.tokens_used
     from accounts a join usage_periods u on u.account_id = a.id where a.id = $1 order by u.period_start`,
    [accountId],
  );
  // The periods in which nobody called have their rows too.
  expect(rows.map(row => row.tokens_used).filter(Boolean)).toEqual([2_000, 200]);
  const { period_start: start, period_end: end } = rows[0];
  expect(start.getTime()).toBeLessThanOrEqual(Date.now());
  expect(end.getTime()).toBeGreaterThan(Date.now());
  for (const moment of [start, end]) {
    expect(moment.toISOString()).toContain('T10:00:00.000Z');
    const lastDay = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate();
    expect(moment.getUTCDate()).toBe(Math.min(31, lastDay));
  }
});
