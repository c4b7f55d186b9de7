import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints as v1 } from '../../../api/endpoints.ts';
import { type Attempt, openIdempotency } from '../../../api/http/idempotency.ts';
import { defineEndpoint } from '../../../api/v1/common/endpoint-resources.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import {
  insertRegions,
  newCaller,
  startTestApi,
  type TestApi,
  type TestReply,
  usageOf,
} from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { FULL } from '../../support/filter-parcels.ts';
import { insertParcels } from '../../support/parcels.ts';

const WORK = '/api/public/v1/work/';
const FILTER = '/api/public/v1/properties/filter/';
const MARKETS = '/api/public/v1/markets/';

/** How often the work was done, and what it does. */
let done = 0;
let work = async (): Promise<void> => {};

const worker = defineEndpoint({
  method: 'post',
  path: WORK,
  operationId: 'work',
  tag: 'Parcels',
  summary: 'Test',
  description: 'Test.',
  params: z.object({}),
  query: z.strictObject({ page: z.string().optional() }),
  body: z.strictObject({ name: z.string(), other: z.string().optional() }),
  metering: { key: 'public_parcel_filter', price: { tokens: 30 }, note: 'test' },
  errors: { unprocessable: 'Test.' },
  response: {
    status: 201,
    description: 'Test.',
    schema: z.object({ done: z.int() }),
  },
  handle: async () => {
    const mine = ++done;
    await work();
    return { body: { done: mine }, tokens: 30 };
  },
});

const db = await createTestDatabase();
const endpoints = [...v1, worker];
const one = await startTestApi(db, { endpoints });
const two = await startTestApi(db, { endpoints });
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [FULL]);
});
beforeEach(() => {
  done = 0;
  work = async () => {};
});

type Options = { api?: TestApi; path?: string; body?: unknown };
const post = (
  key: string,
  idempotencyKey: string,
  { api = one, path = WORK, body = { name: 'a' } }: Options = {},
) =>
  api.call(path, {
    key,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('a repeat', () => {
  test('of a parcel filter returns the first response from any process, and is billed once', async () => {
    const { key, accountId } = await newCaller(db);
    const ask = { path: FILTER, body: { county: '33019' } };
    const first = await post(key, 'search-1', ask);
    expect([first.status, first.headers.get('x-tokens-used')]).toEqual([200, '30']);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await post(key, 'search-1', { ...ask, api: two });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('x-tokens-used')).toBe('0');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await usageOf(db, accountId)).toEqual({ tokens: 30, calls: 1, daily: 30 });
  });

  test('of saving a market returns the market as saved, even after its removal', async () => {
    const { key } = await newCaller(db);
    const ask = { path: MARKETS, body: { region_id: '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11', status: 'New' } };
    const first = await post(key, 'save', ask);
    expect(first.status).toBe(201);
    await one.call(`${MARKETS}${(first.json as { id: string }).id}/`, { key, method: 'DELETE' });
    const again = await post(key, 'save', ask);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await one.call(MARKETS, { key })).json).toEqual([]);
  });

  test('gets its response even if the first call used the last token', async () => {
    const { key, accountId } = await newCaller(db, { tokensIncluded: 30 });
    const first = await post(key, 'last');
    expect((await post(key, 'last')).text).toBe(first.text);
    expect((await post(key, 'next')).json).toMatchObject({ error: { code: 'usage_limit_exceeded' } });
    expect((await usageOf(db, accountId)).tokens).toBe(30);
  });

  test('may have its fields in another order', async () => {
    const { key } = await newCaller(db);
    await post(key, 'order', { body: '{"name": "a", "other": "b"}' });
    expect((await post(key, 'order', { body: '{"other":"b","name":"a"}' })).status).toBe(201);
    expect(done).toBe(1);
  });
});

test.each([
  ['another body', { body: { name: 'b' } }],
  ['another query', { path: `${WORK}?page=2` }],
  ['another endpoint', { path: FILTER, body: { county: '33019' } }],
])('the same key with %s is a validation error', async (_what, change) => {
  const { key, accountId } = await newCaller(db);
  await post(key, 'once');
  const reply = await post(key, 'once', change);
  expect([reply.status, reply.json]).toMatchObject([
    400,
    { error: { code: 'validation_error', details: { 'Idempotency-Key': [expect.any(String)] } } },
  ]);
  expect((await usageOf(db, accountId)).tokens).toBe(30);
});

test.each([['x'.repeat(256)], ['two words'], ['']])('%j is no key', async bad => {
  const { key } = await newCaller(db);
  expect((await post(key, bad)).json).toMatchObject({
    error: { code: 'validation_error', details: { 'Idempotency-Key': [expect.any(String)] } },
  });
  expect((await post(key, 'x'.repeat(255))).status).toBe(201);
});

test("accounts don't share keys, the keys of one account do", async () => {
  const [mine, yours] = [await newCaller(db), await newCaller(db)];
  for (const { key } of [mine, yours, mine]) await post(key, 'common');
  expect(done).toBe(2);
});

test('20 concurrent repeats in two processes run the call once and get the same response', async () => {
  const { key, accountId } = await newCaller(db);
  const finish = holdWork();
  const posts = Array.from({ length: 20 }, (_, index) =>
    post(key, 'at-once', { api: index % 2 ? one : two }),
  );
  await expect.poll(() => [one, two].map(api => api.lifecycle.active)).toEqual([10, 10]);
  await expect.poll(() => done).toBe(1);
  finish();
  const replies = await Promise.all(posts);
  expect(done).toBe(1);
  expect(new Set(replies.map(reply => reply.text))).toEqual(new Set(['{"done":1}']));
  const used = replies.map(reply => Number(reply.headers.get('x-tokens-used')));
  expect(used.reduce((sum, tokens) => sum + tokens)).toBe(30);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 30, calls: 1, daily: 30 });
});

test('the response of a failed call is not kept: its repeat runs again', async () => {
  const { key, accountId } = await newCaller(db);
  work = async () => {
    throw new PlatError('unprocessable', 'Not now.', { status: 422 });
  };
  expect((await post(key, 'fails')).status).toBe(422);
  work = async () => {
    throw new Error('broken');
  };
  expect((await post(key, 'fails', { body: { name: 'other' } })).status).toBe(500);
  work = async () => {};
  expect((await post(key, 'fails')).status).toBe(201);
  expect(done).toBe(3);
  expect((await usageOf(db, accountId)).tokens).toBe(30);
});

test('nothing is kept for a call without the quota', async () => {
  const { key, accountId } = await newCaller(db, { tokensIncluded: 40 });
  work = async () => {
    await db.pool.query('update usage_periods set tokens_used = 20 where account_id = $1', [accountId]);
  };
  expect((await post(key, 'poor')).json).toMatchObject({ error: { code: 'usage_limit_exceeded' } });
  const { rows } = await db.pool.query('select from idempotent_calls where account_id = $1', [accountId]);
  expect(rows).toEqual([]);
});

/** Has the work wait. @returns what lets it go on */
function holdWork(): () => void {
  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  work = () => held;
  return release;
}

test('an attempt whose process died is taken over after its timeout, and does no harm if it comes back', async () => {
  const { key, accountId } = await newCaller(db);
  const resume = holdWork();
  const lost = post(key, 'slow');
  await expect.poll(() => done).toBe(1);
  await db.pool.query("update idempotent_calls set claimed_until = now() - interval '1 s'");
  work = async () => {};
  const second = await post(key, 'slow', { api: two });
  expect([second.status, second.text]).toEqual([201, '{"done":2}']);
  resume();
  expect((await lost).status).toBe(503);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 30, calls: 1, daily: 30 });
});

/** As a call is left by an API that was killed before it kept the answer. */
const forgetAnswers = (accountId: string) =>
  db.pool.query(
    'update idempotent_calls set status = null, body = null, claimed_until = now() where account_id = $1',
    [accountId],
  );

test('whatever a POST creates is created once, even if the API dies after its commit and the call is sent again', async () => {
  const { key, accountId } = await newCaller(db);
  const V1 = '/api/public/v1/';
  const twice = async (path: string, body: unknown) => {
    const first = await post(key, path, { path: V1 + path, body });
    expect([first.status, first.text]).toEqual([
      expect.toSatisfy(status => status < 300),
      expect.any(String),
    ]);
    await forgetAnswers(accountId);
    const other = await post(key, path, { path: `${V1}comp-reports/`, body: { property_id: 1 } });
    expect(other.json).toMatchObject({ error: { details: { 'Idempotency-Key': [expect.any(String)] } } });
    const again = await post(key, path, { path: V1 + path, body });
    expect([again.status, again.json]).toEqual([first.status, first.json]);
    return first.json as { id: string };
  };
  const { id: list } = await twice('lists/', { name: 'Letters' });
  await twice(`lists/${list}/rows/`, { property_ids: [FULL.property_id, 3301900099999] });
  await twice('searches/', { name: 'Sullivan', filter: { county: '33019' } });
  await twice('comp-reports/', { property_id: FULL.property_id });
  await twice('deal-flow/listings/', { property_id: FULL.property_id });
  const { id: webhook } = await twice('webhooks/', {
    url: 'https://example.com/plat',
    types: ['parcel.new'],
  });
  await twice(`webhooks/${webhook}/test/`, '');
  await twice(`webhooks/${webhook}/rotate/`, '');
  const { rows } = await db.pool.query(
    `select (select count(*)::int from lists) as lists, (select count(*)::int from searches) as searches,
       (select count(*)::int from deals) as deals, (select count(*)::int from comp_reports) as reports,
       (select count(*)::int from webhooks) as webhooks, (select count(*)::int from webhook_secrets) as secrets,
       (select count(*)::int from webhook_deliveries) as tests`,
  );
  expect(rows[0]).toEqual({ lists: 1, searches: 1, deals: 1, reports: 1, webhooks: 1, secrets: 2, tests: 1 });
});

test('a secret is returned once: a repeat has none, and none is stored for it', async () => {
  const { key, accountId } = await newCaller(db);
  const path = '/api/public/v1/webhooks/';
  const body = { url: 'https://example.com/plat', types: ['parcel.new'] };
  const first = await post(key, 'add', { path, body });
  const { id, secret, ...rest } = first.json as { id: string; secret: string };
  expect(secret).toMatch(/^whsec_/);
  expect((await post(key, 'add', { path, body })).json).toEqual({ id, ...rest, secret: null });
  const rotate = () => post(key, 'rotate', { path: `${path}${id}/rotate/`, body: '' });
  expect((await rotate()).json).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
  expect((await rotate()).json).toMatchObject({ id, secret: null });
  const { rows } = await db.pool.query<{ kept: string }>(
    `select convert_from(body, 'UTF8') || made as kept from idempotent_calls where account_id = $1`,
    [accountId],
  );
  expect(rows.map(({ kept }) => kept.includes('whsec_'))).toEqual([false, false]);
});

test('a repeat finds what a call created before it failed, and no other request does', async () => {
  const { accountId } = await newCaller(db);
  const database = db.pool.forApi();
  const { begin } = openIdempotency(database);
  const call = { accountId, key: 'made', fingerprint: Buffer.from('1') };
  const attemptAt = async () => ((await begin(call, () => false)) as { attempt: Attempt }).attempt;
  const first = await attemptAt();
  await database.transaction(run => first.noteMade(run, 'a list'));
  await first.end();
  const second = await attemptAt();
  expect([first.made, second.made]).toEqual([undefined, 'a list']);
  await expect(database.transaction(run => first.noteMade(run, 'another'))).rejects.toMatchObject({
    status: 503,
  });
  await second.end();
  await expect(begin({ ...call, fingerprint: Buffer.from('2') }, () => false)).rejects.toMatchObject({
    details: { 'Idempotency-Key': [expect.any(String)] },
  });
});

test('a long attempt keeps its lock by renewing it', async () => {
  const { key, accountId } = await newCaller(db);
  const finish = holdWork();
  const claimed = async () =>
    (await db.pool.query('select claimed_until from idempotent_calls where account_id = $1', [accountId]))
      .rows[0]?.claimed_until;
  const both = [post(key, 'long'), post(key, 'long', { api: two })];
  await expect.poll(() => done).toBe(1);
  const before = await claimed();
  while ((await claimed()) <= before) await sleep(20);
  finish();
  const [made, waited] = (await Promise.all(both)) as [TestReply, TestReply];
  expect([made.text, waited.text]).toEqual(['{"done":1}', '{"done":1}']);
  expect((await usageOf(db, accountId)).tokens).toBe(30);
});

test('after 24 hours the key can be used again, and housekeeping deletes older ones', async () => {
  const { key, accountId } = await newCaller(db);
  const age = (interval: string) =>
    db.pool.query(
      'update idempotent_calls set created_at = now() - $2::interval, claimed_until = now() - $2::interval where account_id = $1',
      [accountId, interval],
    );
  const count = async () =>
    (await db.pool.query('select from idempotent_calls where account_id = $1', [accountId])).rowCount;
  await post(key, 'daily');
  await age('23 hours 59 minutes');
  await post(key, 'daily');
  expect(done).toBe(1);
  await expireRecords(db.pool, db.config);
  expect(await count()).toBe(1);
  await age('24 hours 1 second');
  await post(key, 'daily', { body: { name: 'something else' } });
  expect(done).toBe(2);
  await age('24 hours 1 second');
  await expireRecords(db.pool, db.config);
  expect(await count()).toBe(0);
  expect((await usageOf(db, accountId)).tokens).toBe(60);
});

test('GET ignores the header', async () => {
  const { key } = await newCaller(db);
  const reply = await one.call(MARKETS, { key, headers: { 'Idempotency-Key': 'two words' } });
  expect(reply.status).toBe(200);
});
