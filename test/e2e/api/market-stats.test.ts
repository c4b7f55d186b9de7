import { beforeAll, expect, test } from 'vitest';
import { ACRE_BUCKETS } from '../../../shared/model/buckets.ts';
import { METRIC_KEYS, MORE_KEYS } from '../../../shared/model/market-metrics.ts';
import { type BucketData, type MoreData, statsBody, statsEtag } from '../../../shared/model/market-stats.ts';
import { insertRegions, newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
let bodies: Record<string, string>;
beforeAll(async () => {
  bodies = await insertRegions(db);
});

test('a county returns the stored bytes for 10 tokens', async () => {
  const { key, accountId } = await newCaller(db);
  const reply = await api.call('/api/public/v1/markets-stats/33019/stats/', { key });
  expect(reply.status).toBe(200);
  expect(reply.text).toBe(bodies['33019']);
  expect(reply.headers.get('x-tokens-used')).toBe('10');
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(reply.headers.get('etag')).toBe('"etag-33019"');
  expect(await usageOf(db, accountId)).toEqual({ tokens: 10, calls: 1, daily: 10 });
});

test('the usage is recorded by UTC day, metering key, and mode', async () => {
  const { key, accountId } = await newCaller(db);
  await api.call('/api/public/v1/markets-stats/33019/stats/', { key });
  await api.call('/api/public/v1/markets-stats/zip/03280/stats/', { key });
  const { rows } = await db.pool.query(
    'select day, endpoint, mode, tokens, calls from usage_daily where account_id = $1',
    [accountId],
  );
  const today = new Date().toISOString().slice(0, 10);
  expect(rows).toEqual([
    { day: today, endpoint: 'public_market_stats', mode: 'direct', tokens: 20, calls: 2 },
  ]);
});

test('a ZIP returns its own region and an empty fips', async () => {
  const { key } = await newCaller(db);
  const reply = await api.call('/api/public/v1/markets-stats/zip/03280/stats/', { key });
  expect(reply.json).toMatchObject({ type: 'zip', name: '03280', fips: '', stats: [] });
  expect(reply.headers.get('x-tokens-used')).toBe('10');
});

test('paths work without the trailing slash', async () => {
  const { key } = await newCaller(db);
  expect((await api.call('/api/public/v1/markets-stats/33019/stats', { key })).text).toBe(bodies['33019']);
  expect((await api.call('/api/public/v1/markets-stats/zip/03280/stats', { key })).status).toBe(200);
});

test('a FIPS code may omit its leading zero', async () => {
  const { key } = await newCaller(db);
  const reply = await api.call('/api/public/v1/markets-stats/1001/stats/', { key });
  expect(reply.json).toMatchObject({ name: 'Autauga County', fips: '01001' });
});

test('an unknown FIPS code or ZIP is a 404 at no charge', async () => {
  const { key, accountId } = await newCaller(db);
  for (const path of [
    '/api/public/v1/markets-stats/99999/stats/',
    '/api/public/v1/markets-stats/zip/00000/stats/',
  ]) {
    const reply = await api.call(path, { key });
    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({
      error: { code: 'not_found', request_id: reply.headers.get('x-request-id') },
    });
    expect(reply.headers.get('x-tokens-used')).toBe('0');
  }
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test.each([
  ['the tag', '"etag-33019"'],
  ['a list with it', '"other", W/"etag-33019"'],
  ['anything', '*'],
])('If-None-Match with %s is answered 304 without a body at 0 tokens', async (_name, tag) => {
  const { key, accountId } = await newCaller(db);
  const reply = await api.call('/api/public/v1/markets-stats/33019/stats/', {
    key,
    headers: { 'If-None-Match': tag },
  });
  expect(reply.status).toBe(304);
  expect(reply.text).toBe('');
  expect(reply.headers.get('etag')).toBe('"etag-33019"');
  expect(reply.headers.get('x-tokens-used')).toBe('0');
  expect((await usageOf(db, accountId)).tokens).toBe(0);
});

test('another If-None-Match gets the full response', async () => {
  const { key } = await newCaller(db);
  const reply = await api.call('/api/public/v1/markets-stats/33019/stats/', {
    key,
    headers: { 'If-None-Match': '"etag-01001"' },
  });
  expect(reply.status).toBe(200);
});

test('all stored figures of a region are published, with nulls and all buckets', async () => {
  const buckets = ACRE_BUCKETS.map((_, bucket) => {
    const figures = METRIC_KEYS.map((key, i) => [key, i % 7 === 0 ? null : (bucket + i * 33) / 100]);
    const more = Object.fromEntries(MORE_KEYS.map((key, i) => [key, i === 1 ? null : -i / 4])) as MoreData;
    return { listings: bucket + 1, data: Object.fromEntries(figures) as BucketData, more };
  });
  const stats = { asOf: '2026-11-20', buckets };
  const region = {
    id: '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f14',
    type: 'county' as const,
    name: 'Doña Ana County',
    state: 'NM',
    county_name: 'Doña Ana County',
    fips: '35013',
  };
  const body = statsBody(region, stats);
  await db.pool.query(
    "insert into regions (id, type, code, name, state, county_name, fips) values ($1, 'county', '35013', $2, 'NM', $2, 35013)",
    [region.id, region.name],
  );
  await db.pool.query(
    "insert into region_stats (type, code, body, etag) values ('county', '35013', $1, $2)",
    [Buffer.from(body), statsEtag(region, stats)],
  );
  const { key } = await newCaller(db);
  const path = '/api/public/v1/markets-stats/35013/stats/';
  const etag = statsEtag(region, stats);
  const ask = (encoding: string) => api.call(path, { key, headers: { 'Accept-Encoding': encoding } });
  const plain = await ask('identity');
  expect([plain.text, plain.headers.get('etag'), plain.headers.get('content-encoding')]).toEqual([
    body,
    etag,
    null,
  ]);
  expect(plain.json).toMatchObject({ name: 'Doña Ana County', as_of: '2026-11-20' });
  expect((plain.json as { stats: unknown[] }).stats[4]).toMatchObject({ listings: 5 });

  const packed = await ask('br');
  expect([packed.text, packed.headers.get('etag')]).toEqual([body, `W/${etag}`]);
  expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual([
    'br',
    'Accept-Encoding',
  ]);
  const known = await api.call(path, {
    key,
    headers: { 'Accept-Encoding': 'br', 'If-None-Match': `W/${etag}` },
  });
  expect([known.status, known.headers.get('x-tokens-used')]).toEqual([304, '0']);
});

test('a recomputed region returns its new bytes and tag at once', async () => {
  const { key } = await newCaller(db);
  const body = bodies['01001']!.replace('Autauga County', 'Autauga');
  await db.pool.query("update region_stats set body = $1, etag = '\"new\"' where code = '01001'", [
    Buffer.from(body),
  ]);
  const reply = await api.call('/api/public/v1/markets-stats/01001/stats/', {
    key,
    headers: { 'If-None-Match': '"etag-01001"' },
  });
  expect(reply.text).toBe(body);
  expect(reply.headers.get('etag')).toBe('"new"');
});

test('HEAD returns the headers of GET, costs nothing, and has no body', async () => {
  const { key, accountId } = await newCaller(db);
  const reply = await api.call('/api/public/v1/markets-stats/33019/stats/', { key, method: 'HEAD' });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(bodies['33019']!)));
  expect(reply.text).toBe('');
  expect((await usageOf(db, accountId)).tokens).toBe(0);
});
