import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints as v1 } from '../../../api/endpoints.ts';
import { openApiDocument } from '../../../api/openapi.ts';
import { defineEndpoint } from '../../../api/v1/common/endpoint-resources.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { stopClock } from '../../support/clock.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect } from '../../support/mcp.ts';
import { commandsOn } from '../../support/plat.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const UNKNOWN = '/api/public/v1/markets-stats/99999/stats/';
const BY_NAME = '/api/public/v1/trace-by-name/';
const BY_PARCEL = '/api/public/v1/trace-by-parcel/1/';

/** Endpoints that declare the limit, as those of skip traces will. */
const trace = (method: 'get' | 'post', path: string, params: z.ZodType) =>
  defineEndpoint({
    method,
    path,
    operationId: `${method}_trace`,
    tag: 'Parcels',
    summary: 'Test',
    description: 'Test.',
    params,
    query: z.strictObject({}),
    metering: null,
    rate: 'skip_trace',
    errors: {},
    response: { status: 200, description: 'Done.', schema: z.object({}) },
    handle: async () => ({ body: {}, tokens: 0 }),
  });
const endpoints = [
  ...v1,
  trace('post', BY_NAME, z.object({})),
  trace('get', BY_PARCEL.replace('1', '{id}'), z.object({ id: z.string() })),
];

// No limit gains a call while the clock stands, however long the machine takes.
const db = await createTestDatabase();
const { json, refused } = commandsOn(db);
const clock = await stopClock(db, '2027-03-01T00:00:00Z');
const start = () => startTestApi(db, { endpoints, now: clock.now });
const [one, two] = [await start(), await start()];
const pass = (ms: number) => clock.set(new Date(clock.now().getTime() + ms));
beforeAll(() => insertRegions(db));

/** In 60 millionths of a call. */
const CALL = 60_000_000;

/**
 * Puts an account's limits as they would have been left some time ago: the level of its bucket, and skip
 * traces of that moment.
 */
const setLimits = (accountId: string, calls: number, skipTraces: number, secondsAgo: number) =>
  db.pool.query(
    `insert into rate_buckets
       (account_id, per_minute, burst, skip_trace_per_minute, level, plain_admitted, skip_traces_admitted, updated_at, skip_traces)
     select $1, 1, 1, 1, $2, 0, 0, at, array_fill(at, array[$3::int])
     from (select now() - make_interval(secs => $4) as at) as moment
     on conflict (account_id) do update
     set level = excluded.level, skip_traces = excluded.skip_traces, updated_at = excluded.updated_at`,
    [accountId, calls * CALL, skipTraces, secondsAgo],
  );

/** That a bucket is full so many seconds after the call, in seconds of the real clock. */
function expectReset(reset: unknown, seconds: number, before: number): void {
  expect(Number(reset)).toBeGreaterThanOrEqual(Math.floor(before / 1_000) + seconds);
  expect(Number(reset)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + seconds);
}

describe('the limit on all calls', () => {
  test('the default is 60 calls a minute with a burst of 120, shown in the headers', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 60, rateBurst: 120 });
    const before = Date.now();
    const { headers } = await one.call(PATH, { key });
    expect(headers.get('x-ratelimit-limit')).toBe('120');
    expect(headers.get('x-ratelimit-remaining')).toBe('119');
    expectReset(headers.get('x-ratelimit-reset'), 1, before);
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

  test('a refused call says when to try again, and then it succeeds', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 60, rateBurst: 1 });
    expect((await one.call(PATH, { key })).status).toBe(200);
    const refused = await one.call(PATH, { key });
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({ error: { code: 'rate_limited' } });
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('ratelimit')).toBe('"account";r=0;t=1');
    expect(refused.headers.get('retry-after')).toBe('1');
    await pass(1_000);
    expect((await two.call(PATH, { key })).status).toBe(200);
  });

  test('free calls and failed calls count', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 1, rateBurst: 3 });
    expect((await one.call(UNKNOWN, { key })).status).toBe(404);
    expect((await one.call('/api/public/v1/markets-stats/abc/stats/', { key })).status).toBe(404);
    expect((await one.call(PATH, { key, headers: { 'If-None-Match': '*' } })).status).toBe(304);
    expect((await one.call(PATH, { key })).status).toBe(429);
  });

  test("one account doesn't use up the bucket of another", async () => {
    const busy = await newCaller(db, { ratePerMinute: 1, rateBurst: 1 });
    const calm = await newCaller(db, { ratePerMinute: 1, rateBurst: 1 });
    await one.call(PATH, { key: busy.key });
    expect((await one.call(PATH, { key: busy.key })).status).toBe(429);
    expect((await one.call(PATH, { key: calm.key })).status).toBe(200);
  });

  test('a bucket refills at its rate and never exceeds its size', async () => {
    const { key, accountId } = await newCaller(db, { ratePerMinute: 60, rateBurst: 10 });
    await setLimits(accountId, 0, 0, 4.1);
    expect((await one.call(PATH, { key })).headers.get('x-ratelimit-remaining')).toBe('3');
    await setLimits(accountId, 0, 0, 3_600);
    expect((await one.call(PATH, { key })).headers.get('x-ratelimit-remaining')).toBe('9');
  });

  test("a call that is refused before it is counted shows the account's own limits, and uses nothing up", async () => {
    const { key } = await newCaller(db, { ratePerMinute: 7, rateBurst: 9, invoicePaid: false });
    for (let call = 0; call < 2; call++) {
      const { status, headers } = await one.call(PATH, { key });
      expect([status, headers.get('x-ratelimit-remaining')]).toEqual([402, '9']);
      expect(headers.get('ratelimit-policy')).toBe('"account";q=9;w=78');
    }
  });
});

test('a bucket refills to the millisecond, and the headers count seconds', async () => {
  const { key } = await newCaller(db, { ratePerMinute: 7, rateBurst: 3 });
  const began = clock.now().getTime();
  const at = async (ms: number) => {
    await clock.set(new Date(began + ms));
    const { status, headers } = await one.call(UNKNOWN, { key });
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

describe('skip traces', () => {
  const ask = async (key: string, path: string, api = one) => {
    const { status, headers, json } = await api.call(path, {
      key,
      ...(path === BY_NAME ? { method: 'POST' } : {}),
    });
    const tight = ['limit', 'remaining', 'reset'].map(name => Number(headers.get(`x-ratelimit-${name}`)));
    return {
      status,
      json,
      limit: tight[0],
      remaining: tight[1],
      reset: tight[2],
      policy: headers.get('ratelimit-policy'),
      state: headers.get('ratelimit'),
      retryAfter: headers.get('retry-after'),
    };
  };

  test('20 a minute, across both endpoints, in addition to the limit on all calls; the headers show both', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 60, rateBurst: 120 });
    const before = Date.now();
    const first = await ask(key, BY_NAME);
    expect(first).toMatchObject({
      status: 200,
      limit: 20,
      remaining: 19,
      policy: '"account";q=120;w=120, "skip-trace";q=20;w=60',
      state: '"account";r=119;t=1, "skip-trace";r=19;t=60',
    });
    expectReset(first.reset, 60, before);
    const plain = await ask(key, PATH);
    expect(plain).toMatchObject({ limit: 120, remaining: 118, policy: '"account";q=120;w=120' });
    expect((await ask(key, BY_PARCEL, two)).state).toBe('"account";r=117;t=3, "skip-trace";r=18;t=60');
  });

  test('two processes let 20 of 30 through, and the others use nothing of the limit on all calls', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 1, rateBurst: 100 });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, at) => ask(key, at % 3 ? BY_NAME : BY_PARCEL, at % 2 ? two : one)),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(refused).toHaveLength(10);
    for (const reply of refused) {
      expect(reply).toMatchObject({ limit: 20, remaining: 0, retryAfter: '60' });
      expect(reply.json).toMatchObject({
        error: { code: 'rate_limited', message: expect.stringMatching(/skip traces.*\b20\b.*minute/) },
      });
    }
    expect(await ask(key, PATH)).toMatchObject({ status: 200, remaining: 79 });
  });

  test('20 in any sliding minute: none becomes available before the oldest is a minute old', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 6_000, rateBurst: 6_000 });
    const began = clock.now().getTime();
    const atSecond = async (second: number, api = one) => {
      await clock.set(new Date(began + second * 1_000));
      const { status, remaining, retryAfter } = await ask(key, BY_NAME, api);
      return [status, remaining, retryAfter];
    };
    for (let call = 0; call < 10; call++) expect(await atSecond(0)).toEqual([200, 19 - call, null]);
    for (let call = 0; call < 10; call++) expect(await atSecond(30, two)).toEqual([200, 9 - call, null]);
    expect(await atSecond(45)).toEqual([429, 0, '15']);
    expect(await atSecond(59.999, two)).toEqual([429, 0, '1']);
    for (let call = 0; call < 10; call++) expect(await atSecond(60)).toEqual([200, 9 - call, null]);
    expect(await atSecond(60)).toEqual([429, 0, '30']);
    expect(await atSecond(90)).toEqual([200, 9, null]);
  });

  test('assistants and programs of one account share the limit', async () => {
    const { key } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });
    const client = await connect(two, key);
    for (let call = 0; call < 18; call++) expect((await ask(key, BY_NAME)).status).toBe(200);
    for (const name of ['post_trace', 'get_trace'])
      expect((await call(client, name, name === 'get_trace' ? { id: '1' } : {})).isError).toBe(false);
    expect((await ask(key, BY_PARCEL)).status).toBe(429);
    const refused = await call(client, 'post_trace', {});
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'rate_limited' } });
  });

  test('a skip trace that the limit on all calls refuses uses nothing of its own limit', async () => {
    const { key, accountId } = await newCaller(db, { ratePerMinute: 1, rateBurst: 2 });
    await setLimits(accountId, 0, 0, 0);
    const refused = await ask(key, BY_NAME);
    expect(refused).toMatchObject({ status: 429, limit: 2, remaining: 0, retryAfter: '60' });
    expect(refused.state).toBe('"account";r=0;t=120, "skip-trace";r=20;t=0');
    expect(refused.json).toMatchObject({ error: { message: expect.stringMatching(/calls.*\b1\b.*minute/) } });
    await setLimits(accountId, 2, 0, 0);
    // The tightest is told: that of all calls has fewer.
    expect(await ask(key, BY_NAME)).toMatchObject({
      status: 200,
      limit: 2,
      remaining: 1,
      state: '"account";r=1;t=60, "skip-trace";r=19;t=60',
    });
  });

  test('if both limits refuse, the longer wait applies', async () => {
    const { key, accountId } = await newCaller(db, {
      ratePerMinute: 60,
      rateBurst: 2,
      skipTracePerMinute: 2,
    });
    await setLimits(accountId, 0, 2, 0);
    expect(await ask(key, BY_NAME)).toMatchObject({
      status: 429,
      limit: 2,
      remaining: 0,
      retryAfter: '60',
      state: '"account";r=0;t=2, "skip-trace";r=0;t=60',
    });
  });
});

test('the limit belongs to the account: `plat account` sets it, shows it, and keeps it otherwise', async () => {
  const { key, accountId } = await newCaller(db);
  const limit = async () =>
    (await one.call(BY_PARCEL, { key })).headers.get('ratelimit-policy')?.split(', ')[1];
  expect(await limit()).toBe('"skip-trace";q=20;w=60');
  expect(await json('account', 'set', accountId, '--skip-trace-rate', '5')).toMatchObject({
    skip_trace_per_minute: 5,
  });
  // Callers are looked up anew after five seconds.
  await pass(5_001);
  expect(await limit()).toBe('"skip-trace";q=5;w=60');
  expect(await json('account', 'show', accountId)).toMatchObject({
    skip_trace_per_minute: 5,
    rate_per_minute: 60_000,
  });
  expect((await json('account', 'history', accountId)).at(-1)).toMatchObject({
    action: 'update',
    entity: 'accounts',
    before: { skip_trace_per_minute: 20 },
    after: { skip_trace_per_minute: 5 },
  });
  expect(await json('account', 'create', 'tracer', '--skip-trace-rate', '7')).toMatchObject({
    name: 'tracer',
  });
  expect(
    (await json('account', 'list')).find((row: { name: string }) => row.name === 'tracer'),
  ).toMatchObject({
    skip_trace_per_minute: 7,
  });
  await refused(['account', 'set', accountId, '--skip-trace-rate', '0'], 'rates');
});

test('buckets unused for a day and full are deleted, others are kept', async () => {
  const { accountId: full } = await newCaller(db, { ratePerMinute: 1, rateBurst: 1 });
  const { key, accountId: slow } = await newCaller(db, { ratePerMinute: 1, rateBurst: 2_000 });
  const { accountId: recent } = await newCaller(db);
  const { key: other, accountId: used } = await newCaller(db, { ratePerMinute: 1, rateBurst: 1 });
  await setLimits(full, 0, 1, 86_401);
  await setLimits(recent, 0, 1, 86_399);
  expect((await one.call(PATH, { key })).status).toBe(200);
  await db.pool.query(
    "update rate_buckets set level = 0, updated_at = now() - interval '25 hours' where account_id = $1",
    [slow],
  );
  await one.call(PATH, { key: other });
  await expireRecords(db.pool, db.config);
  const { rows } = await db.pool.query<{ account_id: string }>(
    'select account_id from rate_buckets where account_id = any ($1)',
    [[full, slow, recent, used]],
  );
  expect(rows.map(row => row.account_id).toSorted()).toEqual([slow, recent, used].toSorted());
});

test('the published document states the limit where it applies, and nowhere else', () => {
  const { paths } = openApiDocument(endpoints) as {
    paths: Record<string, Record<string, { description: string }>>;
  };
  expect(paths[BY_NAME]!.post!.description).toContain('**Rate limit**');
  expect(Object.values(paths['/api/public/v1/regions/']!)[0]!.description).not.toContain('Rate limit');
});
