import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

const PATH = '/api/public/v1/regions/?page_size=100';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db);
beforeAll(async () => {
  await insertRegions(db);
  await db.pool.query(
    `insert into regions (id, type, code, name, state, county_name, fips)
     select gen_random_uuid(), 'zip', (10000 + n)::text, (10000 + n)::text, 'NY', 'Test County', 36001
     from generate_series(1, 60) as n`,
  );
});

/** As it comes, without what fetch makes of it. */
function raw(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(api.url + path, { method, headers, agent: false }, response => {
      const parts: Buffer[] = [];
      response.on('data', part => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('compression', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, br', 'br'],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
  ])('Accept-Encoding %j gets %s', async (accept, encoding) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(accept !== undefined && { 'Accept-Encoding': accept }),
    };
    expect((await raw(PATH, headers)).headers['content-encoding']).toBe(encoding);
  });

  test('responses are compressed, errors and small ones are not', async () => {
    const authorization = { Authorization: `Bearer ${key}` };
    const plain = await raw(PATH, authorization);
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    const brotli = await raw(PATH, { ...authorization, 'Accept-Encoding': 'br' });
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    const gzipped = await raw(PATH, { ...authorization, 'Accept-Encoding': 'gzip' });
    expect([gzipped.headers['content-encoding'], gunzipSync(gzipped.body)]).toEqual(['gzip', plain.body]);
    expect(gzipped.headers['content-length']).toBe(String(gzipped.body.length));
    expect(brotli.body.length).toBeLessThan(plain.body.length / 4);
    const refused = await raw(PATH, { 'Accept-Encoding': 'br' });
    expect([refused.status, refused.headers['content-encoding']]).toEqual([401, undefined]);
    const document = await raw('/openapi.json', { 'Accept-Encoding': 'br' });
    expect(JSON.parse(brotliDecompressSync(document.body).toString())).toMatchObject({ openapi: '3.1.0' });
  });
});

describe('pages of other origins', () => {
  const origin = 'https://app.example.org';

  test('may read responses and errors, without credentials', async () => {
    for (const headers of [{ Authorization: `Bearer ${key}` }, { Authorization: 'Bearer nobody' }]) {
      const reply = await raw(PATH, { ...headers, Origin: origin });
      expect(reply.headers['access-control-allow-origin']).toBe('*');
      expect(reply.headers['access-control-expose-headers']).toContain('X-Tokens-Used');
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
    }
    for (const path of ['/healthz', '/metrics', '/docs/'])
      expect((await raw(path, { Origin: origin })).headers['access-control-allow-origin']).toBeUndefined();
  });

  test('OPTIONS works without a key, with and without the trailing slash', async () => {
    for (const path of ['/api/public/v1/markets/', '/api/public/v1/markets']) {
      const asked = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
      const { status, headers, body } = await raw(path, asked, 'OPTIONS');
      expect([status, headers.allow, body.length]).toEqual([204, 'GET, HEAD, POST, OPTIONS', 0]);
      expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, OPTIONS');
      expect(headers['access-control-allow-headers']).toContain('Authorization');
      expect(headers['access-control-max-age']).toBe('7200');
    }
    expect((await raw('/api/public/v1/nothing/', {}, 'OPTIONS')).status).toBe(404);
  });

  test('CORS_ORIGINS lists the origins that may', async () => {
    const strict = await startTestApi(db, {
      env: { CORS_ORIGINS: 'https://one.example, https://two.example:8443' },
    });
    const allowed = async (from: string) => {
      const { headers } = await strict.call(PATH, { key, headers: { Origin: from } });
      expect(headers.get('vary')).toContain('Origin');
      return headers.get('access-control-allow-origin');
    };
    expect(await allowed('https://two.example:8443')).toBe('https://two.example:8443');
    expect(await allowed('https://two.example')).toBeNull();
    const preflight = await strict.call('/api/public/v1/markets/', {
      method: 'OPTIONS',
      headers: { Origin: 'https://x.example' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toBeNull();
  });
});

test("repeated wrong guesses of the operator's password are delayed, other clients are not", async () => {
  const guarded = await startTestApi(db, {
    env: { ADMIN_PASSWORD: 'correct horse battery', TRUSTED_PROXIES: 'loopback' },
  });
  const enter = async (password: string, address: string) => {
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    const headers = { Authorization: authorization, 'X-Forwarded-For': address };
    return guarded.call('/admin/queues/', { headers });
  };
  for (let tries = 0; tries < 5; tries++)
    expect((await enter('a wrong password', '192.0.2.1')).status).toBe(401);
  const waiting = await enter('correct horse battery', '192.0.2.1');
  expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([429, '60']);
  expect(waiting.json).toMatchObject({ error: { code: 'rate_limited' } });
  const other = await enter('correct horse battery', '192.0.2.2');
  expect([other.status, other.headers.get('x-frame-options')]).toEqual([200, 'DENY']);
  expect(other.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});
