import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints as v1 } from '../../../api/endpoints.ts';
import { defineEndpoint } from '../../../api/http/endpoint.ts';
import { openApiDocument } from '../../../api/openapi.ts';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';
import { bucketsOf } from '../../support/rate-limits.ts';
import { BACKENDS, eventually, queueEnv } from '../../support/workers.ts';

const PLAIN = '/api/public/v1/markets-stats/33019/stats/';
const BY_NAME = '/api/public/v1/trace-by-name/';
const BY_PARCEL = '/api/public/v1/trace-by-parcel/1/';

/** Endpoints that declare the limit, as those of skip traces will. */
const trace = (method: 'get' | 'post', path: string, params: z.ZodType) =>
  defineEndpoint({
    method,
    path,
    operationId: `${method}_trace`,
    tag: 'Test',
    summary: 'Test',
    description: 'Test.',
    params,
    query: z.strictObject({}),
    metering: null,
    rate: 'skip_trace',
    errors: {},
    response: { status: 200, description: 'Done.', schema: z.object({}), etag: false, examples: {} },
    handle: async () => ({ body: {}, tokens: 0 }),
  });
const endpoints = [
  ...v1,
  trace('post', BY_NAME, z.object({})),
  trace('get', BY_PARCEL.replace('1', '{id}'), z.object({ id: z.string() })),
];

const db = await createTestDatabase();
const { json, refused } = commandsOn(db);
const backends = await Promise.all(
  BACKENDS.map(async ({ kind }) => {
    const env = queueEnv(kind);
    const start = () => startTestApi(db, { env, endpoints });
    return { kind, apis: [await start(), await start()], setBuckets: bucketsOf(db, env) };
  }),
);
beforeAll(() => insertRegions(db));

describe.each(backends)('skip traces on $kind', ({ apis: [one, two], setBuckets }) => {
  const ask = async (key: string, path: string, api = one!) => {
    const { status, headers, json } = await api.call(path, {
      key,
      ...(path === BY_NAME ? { method: 'POST' } : {}),
    });
    const tight = ['limit', 'remaining', 'reset'].map(name => Number(headers.get(`x-ratelimit-${name}`)));
    return {
      ...{ status, json, limit: tight[0], remaining: tight[1], reset: tight[2]! - Date.now() / 1_000 },
      ...{ policy: headers.get('ratelimit-policy'), state: headers.get('ratelimit') },
      retryAfter: headers.get('retry-after'),
    };
  };

  test('20 a minute, both endpoints together, besides the limit of all calls; the headers tell both', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 60, rateBurst: 120 });
    const first = await ask(key, BY_NAME);
    expect(first).toMatchObject({
      ...{ status: 200, limit: 20, remaining: 19 },
      policy: '"account";q=120;w=120, "skip-trace";q=20;w=60',
      state: '"account";r=119;t=1, "skip-trace";r=19;t=3',
    });
    expect(Math.abs(first.reset - 3)).toBeLessThanOrEqual(1.5);
    const plain = await ask(key, PLAIN);
    expect(plain).toMatchObject({ limit: 120, remaining: 118, policy: '"account";q=120;w=120' });
    // Of which a call a second comes back.
    expect((await ask(key, BY_PARCEL, two)).state).toMatch(
      /^"account";r=11[78];t=[23], "skip-trace";r=18;t=6$/,
    );
  });

  test('two processes let 20 of 30 through, and the others take nothing from the limit of all calls', async () => {
    const { key } = await newCaller(db, { ratePerMinute: 1, rateBurst: 100 });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, at) => ask(key, at % 3 ? BY_NAME : BY_PARCEL, [one, two][at % 2]!)),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(refused).toHaveLength(10);
    for (const reply of refused) {
      expect(reply).toMatchObject({ limit: 20, remaining: 0, retryAfter: '3' });
      expect(reply.json).toMatchObject({
        error: { code: 'rate_limited', message: expect.stringContaining('skip traces: 20 a minute') },
      });
    }
    expect(await ask(key, PLAIN)).toMatchObject({ status: 200, remaining: 79 });
  });

  test('a skip trace that the limit of all calls refuses takes nothing from its own', async () => {
    const { key, accountId } = await newCaller(db, { ratePerMinute: 1, rateBurst: 2 });
    await setBuckets(accountId, 0, 20, 0);
    const refused = await ask(key, BY_NAME);
    expect(refused).toMatchObject({ status: 429, limit: 2, remaining: 0, retryAfter: '60' });
    expect(refused.state).toBe('"account";r=0;t=120, "skip-trace";r=20;t=0');
    expect(refused.json).toMatchObject({ error: { message: expect.stringContaining('calls: 1 a minute') } });
    await setBuckets(accountId, 2, 20, 0);
    // The tightest is told: that of all calls has fewer.
    expect(await ask(key, BY_NAME)).toMatchObject({
      ...{ status: 200, limit: 2, remaining: 1 },
      state: '"account";r=1;t=60, "skip-trace";r=19;t=3',
    });
  });

  test('refused by both, the longer wait counts', async () => {
    const { key, accountId } = await newCaller(db, {
      ...{ ratePerMinute: 60, rateBurst: 2, skipTracePerMinute: 2 },
    });
    await setBuckets(accountId, 0, 0, 0);
    expect(await ask(key, BY_NAME)).toMatchObject({
      ...{ status: 429, limit: 2, remaining: 0, retryAfter: '30' },
      state: '"account";r=0;t=2, "skip-trace";r=0;t=60',
    });
  });
});

test("the limit is the account's: `plat account` sets it, shows it, and keeps what it was", async () => {
  const { key, accountId } = await newCaller(db);
  const [api] = backends[0]!.apis;
  const limit = async () =>
    (await api!.call(BY_PARCEL, { key })).headers.get('ratelimit-policy')?.split(', ')[1];
  expect(await limit()).toBe('"skip-trace";q=20;w=60');
  expect(await json('account', 'set', accountId, '--skip-trace-rate', '5')).toMatchObject({
    skip_trace_per_minute: 5,
  });
  await eventually(async () => (await limit()) === '"skip-trace";q=5;w=60', 5_000);
  expect(await json('account', 'show', accountId)).toMatchObject({
    skip_trace_per_minute: 5,
    rate_per_minute: 60_000,
  });
  expect((await json('account', 'history', accountId)).at(-1)).toMatchObject({
    ...{ action: 'update', entity: 'accounts' },
    ...{ before: { skip_trace_per_minute: 20 }, after: { skip_trace_per_minute: 5 } },
  });
  expect(await json('account', 'create', 'tracer', '--skip-trace-rate', '7')).toMatchObject({
    name: 'tracer',
  });
  expect(
    (await json('account', 'list')).find((row: { name: string }) => row.name === 'tracer'),
  ).toMatchObject({
    skip_trace_per_minute: 7,
  });
  await refused(['account', 'set', accountId, '--skip-trace-rate', '0'], 'do not fit');
}, 60_000);

test('the published document tells the limit where it counts, and nowhere else', () => {
  const { paths } = openApiDocument(endpoints) as {
    paths: Record<string, Record<string, { description: string }>>;
  };
  expect(paths[BY_NAME]!.post!.description).toContain('**Rate limit**: besides the limit of all calls');
  expect(Object.values(paths['/api/public/v1/regions/']!)[0]!.description).not.toContain('Rate limit');
});
