import { beforeAll, expect, test } from 'vitest';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const UNKNOWN = '/api/public/v1/markets-stats/99999/stats/';

const db = await createTestDatabase();
const one = await startTestApi(db);
const two = await startTestApi(db);
beforeAll(() => insertRegions(db));

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
  const set = (tokens: number, secondsAgo: number) =>
    db.pool.query(
      `insert into rate_buckets values ($1, 'calls', 60, 10, $2, 0, now() - make_interval(secs => $3))
       on conflict (account_id, bucket) do update set tokens = excluded.tokens, updated_at = excluded.updated_at`,
      [accountId, tokens, secondsAgo],
    );
  await set(0, 4.1);
  expect((await one.call(PATH, { key })).headers.get('x-ratelimit-remaining')).toBe('3');
  await set(0, 3_600);
  expect((await one.call(PATH, { key })).headers.get('x-ratelimit-remaining')).toBe('9');
});
