import { beforeAll, expect, test } from 'vitest';
import { insertRegions, newCaller, startTestApi, usageOf, whileLocked } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { FULL } from '../../support/filter-parcels.ts';
import { insertParcels } from '../../support/parcels.ts';
import { commandsOn } from '../../support/plat.ts';
import { STATS, spender } from '../../support/spender.ts';

// Charges that wait for a period while its account is changed.

const db = await createTestDatabase();
const api = await startTestApi(db);
const { json, plat } = commandsOn(db);
const used20 = spender(api, json);
const FILTER = '/api/public/v1/properties/filter/';
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [FULL]);
});

type Period = { tokens_used: number; tokens_included: number; period_end: string; current: boolean };
const periodsOf = (name: string): Promise<Period[]> => json('usage', '--account', name);

const waiting = () => lockWaits(db);

/** Statements of the API that run, and transactions that are open. */
async function running(): Promise<number> {
  const { rowCount } = await db.pool.query(
    "select from pg_stat_activity where datname = current_database() and application_name = 'plat api test' and state <> 'idle'",
  );
  return rowCount!;
}

/**
 * Four calls of 10 tokens each that begin when `plat account set` holds the period and has not
 * committed; their status.
 */
async function callsDuring(name: string, ...change: string[]): Promise<{ status: number; code?: string }[]> {
  const { key } = await json('key', 'create', name);
  const call = async () => {
    const { status, json: body } = await api.call(STATS, { key });
    return { status, code: (body as { error?: { code: string } }).error?.code };
  };
  // What the change writes after it has locked the period.
  const { changing, calls } = await whileLocked(db, ['lock table audit in share mode'], async () => {
    const changing = plat('account', 'set', name, ...change);
    await expect.poll(waiting).toBe(1);
    const calls = Array.from({ length: 4 }, call);
    await expect.poll(waiting).toBeGreaterThan(1);
    return { changing, calls };
  });
  expect(await changing).toMatchObject({ code: 0 });
  return Promise.all(calls);
}

test('a charge that waits while the allotment is lowered is checked against the new one', async () => {
  const name = await used20('lowered');
  const answers = await callsDuring(name, '--tokens', '40');
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 402, 402]);
  expect(await periodsOf(name)).toMatchObject([{ tokens_used: 40, tokens_included: 40 }]);
});

test('a charge that waits while the contract ends is not made', async () => {
  const name = await used20('ended');
  const answers = await callsDuring(name, '--no-contract');
  expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(
    new Set(['402 tier_upgrade_required']),
  );
  expect(await periodsOf(name)).toMatchObject([{ tokens_used: 20, current: false }]);
});

test('a charge that waits while its period is closed belongs to the next period', async () => {
  const name = await used20('closed');
  const end = new Date(Date.now() - 60_000).toISOString();
  const before = "- interval '1 day'";
  const [id] = (await db.pool.query<{ id: string }>('select id from accounts where name = $1', [name])).rows;
  for (const text of [
    `update accounts set created_at = created_at ${before}, period_anchor = period_anchor ${before}, period_start = period_start ${before} where id = $1`,
    `update usage_daily set period_start = period_start ${before}, day = day - 1 where account_id = $1`,
    `update usage_periods set period_start = period_start ${before} where account_id = $1`,
  ])
    await db.pool.query(text, [id!.id]);
  const answers = await callsDuring(name, '--period-end', end, '--force');
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await periodsOf(name)).toMatchObject([
    { tokens_used: 40, current: true },
    { tokens_used: 20, period_end: end, current: false },
  ]);
});

/** Holds the current periods of accounts until it is called. */
async function hold(...accountIds: string[]): Promise<() => Promise<void>> {
  const client = await db.pool.connect();
  await client.query('begin');
  await client.query('select from usage_periods where account_id = any($1) for update', [accountIds]);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

test.each(['GET', 'POST'])('%s: whose client leaves while the charge waits is not charged', async method => {
  const { key, accountId } = await newCaller(db);
  const release = await hold(accountId);
  const leaving = new AbortController();
  const call = (signal: AbortSignal | null = null) =>
    fetch(api.url + (method === 'GET' ? STATS : FILTER), {
      method,
      signal,
      body: method === 'GET' ? null : '{"county":"33019"}',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(method === 'GET'
          ? {}
          : {
              'Content-Type': 'application/json',
              'Idempotency-Key': `leaves ${signal !== null}`.replace(' ', '-'),
            }),
      },
    });
  const stays = call();
  await expect.poll(waiting).toBe(1);
  const left = Array.from({ length: 3 }, () => call(leaving.signal).catch(() => 'left'));
  // Their charges wait for the period as the other one does (repeats of one key: the first of them), or
  // behind its statement:
  // so far they have come when a call that came later has been answered.
  await expect.poll(() => api.lifecycle.active).toBe(4);
  if (method === 'POST') await expect.poll(waiting).toBe(2);
  else await api.call('/api/public/v1/markets-stats/99999/stats/', { key });
  leaving.abort();
  expect(await Promise.all(left)).toEqual(['left', 'left', 'left']);
  await expect.poll(() => api.lifecycle.active).toBe(1);
  await release();
  const { headers } = await stays;
  await expect.poll(running).toBe(0);
  expect(await usageOf(db, accountId)).toMatchObject({
    tokens: Number(headers.get('x-tokens-used')),
    calls: 1,
  });
});

test('a locked period delays nobody else longer than the statement timeout', async () => {
  const patient = await startTestApi(db, { env: { STATEMENT_TIMEOUT_MS: '4000' } });
  const [held, free] = [await newCaller(db), await newCaller(db)];
  const release = await hold(held.accountId);
  // The first goes alone; the others share a statement.
  const keys = [held.key, free.key, held.key, free.key, free.key, held.key];
  const answers = await Promise.all(keys.map(key => patient.call(STATS, { key })));
  await release();
  await patient.stop();
  expect(answers.map(({ status }) => status)).toEqual([503, 200, 503, 200, 200, 503]);
  expect(await usageOf(db, free.accountId)).toMatchObject({ calls: 3 });
  expect(await usageOf(db, held.accountId)).toMatchObject({ calls: 0 });
});
