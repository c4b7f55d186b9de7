import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/root.ts';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { stopClock } from '../../support/clock.ts';
import { createTestDatabase } from '../../support/database.ts';
import { bucketsOf } from '../../support/rate-limits.ts';
import { BACKENDS, eventually, queueEnv } from '../../support/workers.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const UNKNOWN = '/api/public/v1/markets-stats/99999/stats/';

const db = await createTestDatabase();
const backends = await Promise.all(
  BACKENDS.map(async ({ kind }) => {
    const env = queueEnv(kind);
    const [one, two] = [await startTestApi(db, { env }), await startTestApi(db, { env })];
    return { kind, env, one, two, setBuckets: bucketsOf(db, env) };
  }),
);
const stoppedDb = await createTestDatabase();
const clock = await stopClock(stoppedDb, '2027-03-01T00:00:00Z');
const stopped = await startTestApi(stoppedDb, { now: clock.now });
const children: ChildProcess[] = [];
beforeAll(async () => {
  await insertRegions(db);
  await insertRegions(stoppedDb);
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

describe.each(backends)('on $kind', ({ one, two, setBuckets }) => {
  test('the default is 60 calls a minute with a burst of 120, told in the headers', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 60, rateBurst: 120 });
    const before = Math.floor(Date.now() / 1_000);
    const { headers } = await one.call(PATH, { key });
    expect(headers.get('x-ratelimit-limit')).toBe('120');
    expect(headers.get('x-ratelimit-remaining')).toBe('119');
    const reset = Number(headers.get('x-ratelimit-reset'));
    expect(reset).toBeGreaterThan(before);
    expect(reset).toBeLessThanOrEqual(before + 4);
    expect(headers.get('ratelimit-policy')).toBe('"account";q=120;w=120');
    expect(headers.get('ratelimit')).toBe('"account";r=119;t=1');
  });

  test('two processes and all keys of an account share one bucket', async () => {
    const caller = await newCaller(db, { ratePerMinute: 1, rateBurst: 20 });
    const calls = Array.from({ length: 50 }, (_, index) =>
      (index % 2 ? one : two).call(PATH, { key: caller.key }),
    );
    const replies = await Promise.all(calls);
    const statuses = replies.map(reply => reply.status);
    expect(statuses.filter(status => status === 200)).toHaveLength(20);
    expect(statuses.filter(status => status === 429)).toHaveLength(30);
    const remaining = replies
      .filter(reply => reply.status === 200)
      .map(reply => Number(reply.headers.get('x-ratelimit-remaining')));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  test('a refused call says when to try again, and then it works', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 60, rateBurst: 1 });
    expect((await one.call(PATH, { key })).status).toBe(200);
    const refused = await one.call(PATH, { key });
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({ error: { code: 'rate_limited' } });
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('ratelimit')).toBe('"account";r=0;t=1');
    expect(refused.headers.get('retry-after')).toBe('1');
    await new Promise(resolve => setTimeout(resolve, 1_050));
    expect((await two.call(PATH, { key })).status).toBe(200);
  });

  test('calls that cost nothing and calls that fail count', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 1, rateBurst: 3 });
    expect((await one.call(UNKNOWN, { key })).status).toBe(404);
    expect((await one.call('/api/public/v1/markets-stats/abc/stats/', { key })).status).toBe(400);
    expect((await one.call(PATH, { key, headers: { 'If-None-Match': '*' } })).status).toBe(304);
    expect((await one.call(PATH, { key })).status).toBe(429);
  });

  test('one account does not use up the bucket of another', async () => {
    const busy = await newCaller(db, { ratePerMinute: 1, rateBurst: 1 });
    const calm = await newCaller(db, { ratePerMinute: 1, rateBurst: 1 });
    await one.call(PATH, { key: busy.key });
    expect((await one.call(PATH, { key: busy.key })).status).toBe(429);
    expect((await one.call(PATH, { key: calm.key })).status).toBe(200);
  });

  test('a bucket refills at its rate and never above its size', async () => {
    const { key, accountId } = await newCaller(db, { ratePerMinute: 60, rateBurst: 10 });
    await setBuckets(accountId, 0, 20, 4.1);
    expect((await one.call(PATH, { key })).headers.get('x-ratelimit-remaining')).toBe('3');
    await setBuckets(accountId, 0, 20, 3_600);
    expect((await one.call(PATH, { key })).headers.get('x-ratelimit-remaining')).toBe('9');
  });

  test("what is refused before it is counted tells the account's own limits, and takes nothing", async () => {
    const { key } = await newCaller(db, { ratePerMinute: 7, rateBurst: 9, invoicePaid: false });
    for (let call = 0; call < 2; call++) {
      const { status, headers } = await one.call(PATH, { key });
      expect([status, headers.get('x-ratelimit-remaining')]).toEqual([402, '9']);
      expect(headers.get('ratelimit-policy')).toBe('"account";q=9;w=78');
    }
  });
});

test('a call is gained to the millisecond, and the headers count the seconds', async () => {
  const { key } = await newCaller(stoppedDb, { ratePerMinute: 7, rateBurst: 3 });
  const start = clock.now().getTime();
  const at = async (ms: number) => {
    await clock.set(new Date(start + ms));
    const { status, headers } = await stopped.call(UNKNOWN, { key });
    return [status, headers.get('ratelimit'), headers.get('retry-after')];
  };
  // 7 a minute: a call every 8,571.43 ms.
  expect(await at(0)).toEqual([404, '"account";r=2;t=9', null]);
  expect(await at(0)).toEqual([404, '"account";r=1;t=18', null]);
  expect(await at(0)).toEqual([404, '"account";r=0;t=26', null]);
  expect(await at(0)).toEqual([429, '"account";r=0;t=26', '9']);
  expect(await at(8_571)).toEqual([429, '"account";r=0;t=18', '1']);
  expect(await at(8_572)).toEqual([404, '"account";r=0;t=26', null]);
  expect(await at(17_142)).toEqual([429, '"account";r=0;t=18', '1']);
  expect(await at(17_143)).toEqual([404, '"account";r=0;t=26', null]);
  // A clock that is put back takes nothing and gives nothing.
  expect(await at(0)).toEqual([429, '"account";r=0;t=26', '9']);
  expect(await at(17_143 + 60_000)).toEqual([404, '"account";r=2;t=9', null]);
});

// On both at once: three quarters of the time are starts and a clock's.
describe.concurrent.each(backends)('on $kind', ({ kind, env }) => {
  test('a hot account gets its burst and its rate from two programs, and not a call more', async () => {
    const urls = await Promise.all([startProgram(env), startProgram(env)]);
    const { key, accountId } = await newCaller(db, { ratePerMinute: 1_200, rateBurst: 40 });
    const until = performance.now() + 2_000;
    const replies: { status: number; sent: number; back: number }[] = [];
    const callers = Array.from({ length: 12 }, async (_, at) => {
      while (performance.now() < until) {
        const sent = performance.now();
        const reply = await fetch(urls[at % 2] + UNKNOWN, { headers: { Authorization: `Bearer ${key}` } });
        await reply.arrayBuffer();
        replies.push({ status: reply.status, sent, back: performance.now() });
      }
    });
    await Promise.all(callers);
    const served = replies.filter(({ status }) => status !== 429);
    expect(new Set(served.map(({ status }) => status))).toEqual(new Set([404]));
    const seconds = (values: { sent: number; back: number }[]) =>
      (Math.max(...values.map(each => each.back)) - Math.min(...values.map(each => each.sent))) / 1_000;
    expect(served.length).toBeLessThanOrEqual(40 + 20 * seconds(served));
    // Whoever asks without a pause gets all of it, but what is gained between the last two calls.
    const firstBack = Math.min(...replies.map(each => each.back));
    const lastSent = Math.max(...replies.map(each => each.sent));
    expect(served.length).toBeGreaterThan(40 + (20 * (lastSent - firstBack)) / 1_000 - 2);
    expect(replies.length).toBeGreaterThan(served.length);
    const { rowCount } = await db.pool.query('select from rate_buckets where account_id = $1', [accountId]);
    expect(rowCount).toBe(kind === 'postgres' ? 1 : 0);
  });
});

/** `api/main.ts` as an operator runs it; its address. */
async function startProgram(env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, DATABASE_URL: db.url, PORT: '0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`It ended: ${said}`)));
  ended.catch(() => {});
  return Promise.race([eventually(async () => /"url":"([^"]+)"/.exec(said)?.[1], 20_000), ended]);
}
