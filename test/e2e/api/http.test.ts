import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../../../api/endpoints.ts';
import { defineEndpoint } from '../../../api/v1/common/endpoint-resources.ts';
import { insertRegions, newCaller, startTestApi, whileLocked } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { runs } from '../../support/runs.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const ECHO = '/api/public/v1/echo/';

/** An endpoint with a body, as later ones have, and one that breaks. */
const common = {
  tag: 'Parcels',
  summary: 'Test',
  description: 'Test.',
  params: z.object({}),
  query: z.strictObject({ page: z.coerce.number().int().min(1).default(1) }),
  metering: null,
  errors: {},
  response: {
    status: 200,
    description: 'The same.',
    schema: z.object({ name: z.string(), page: z.number() }),
  },
} as const;
const echo = defineEndpoint({
  ...common,
  method: 'post',
  path: ECHO,
  operationId: 'echo',
  body: z.strictObject({ name: z.string().max(10), at: z.object({ zip: z.string() }).optional() }),
  handle: async ({ body, query }) => ({ body: { name: body.name, page: query.page }, tokens: 0 }),
});
const broken = defineEndpoint({
  ...common,
  method: 'get',
  path: '/api/public/v1/broken/',
  operationId: 'break',
  handle: async () => {
    throw new Error('secret table parcels_internal');
  },
});

const db = await createTestDatabase();
const api = await startTestApi(db, {
  endpoints: [...endpoints, echo, broken],
  env: { ADMIN_PASSWORD: 'correct horse battery' },
});
let key: string;
beforeAll(async () => {
  await insertRegions(db);
  ({ key } = await newCaller(db));
});

const post = (
  body: string | undefined,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
  query = '',
) => api.call(ECHO + query, { key, method: 'POST', headers, ...(body === undefined ? {} : { body }) });

describe('request ids', () => {
  test.each(['a', 'x'.repeat(128), '!~{}"', 'order-42'])('%s is echoed', async id => {
    const reply = await api.call(PATH, { headers: { 'X-Request-Id': id } });
    expect(reply.headers.get('x-request-id')).toBe(id);
    expect(reply.json).toMatchObject({ error: { request_id: id } });
  });

  test.each(['x'.repeat(129), 'two words', 'caf\u00e9', ''])('"%s" is replaced by a new id', async id => {
    const first = (await api.call(PATH, { key, headers: { 'X-Request-Id': id } })).headers.get(
      'x-request-id',
    );
    const second = (await api.call(PATH, { key, headers: { 'X-Request-Id': id } })).headers.get(
      'x-request-id',
    );
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
  });
});

describe('paths and methods', () => {
  test.each([
    '/nothing',
    '/api/public/v1/',
    '/api/public/v1/markets-stats/',
    `${PATH}more/`,
    PATH.toUpperCase(),
    '/API/public/v1/x',
  ])('%s is a 404 envelope', async path => {
    const reply = await api.call(path, { key });
    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({ error: { code: 'not_found' } });
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s on a GET endpoint is 405 with Allow', async method => {
    for (const path of [PATH, PATH.slice(0, -1)]) {
      const reply = await api.call(path, { key, method });
      expect(reply.status).toBe(405);
      expect(reply.headers.get('allow')).toBe('GET, HEAD');
      expect(reply.json).toMatchObject({ error: { code: 'method_not_allowed' } });
    }
  });

  test('GET on a POST endpoint is 405 with Allow', async () => {
    expect((await api.call(ECHO, { key })).headers.get('allow')).toBe('POST');
  });

  test.each([
    'abc',
    '123',
    '330190',
    '33-19',
    '%20',
    'a%2Fb',
    '\u0663\u0663\u0660\u0661\u0669',
    '0x123',
    '-1001',
  ])('FIPS %s in a path is not found, and says why', async fips => {
    const reply = await api.call(
      `/api/public/v1/markets-stats/${encodeURI(fips).replaceAll('%25', '%')}/stats/`,
      { key },
    );
    expect(reply.status).toBe(404);
    expect(reply.headers.get('x-tokens-used')).toBe('0');
    expect(reply.json).toMatchObject({
      error: { code: 'not_found', message: expect.stringMatching(/\bfips\b.*FIPS/) },
    });
  });

  test('an unknown query parameter is a validation error with its name', async () => {
    const reply = await api.call(`${PATH}?colour=red&size=2`, { key });
    expect(reply.json).toMatchObject({
      error: {
        code: 'validation_error',
        details: { colour: [expect.any(String)], size: [expect.any(String)] },
      },
    });
  });

  test('a broken percent escape is a validation error', async () => {
    const reply = await api.call('/api/public/v1/markets-stats/%ff/stats/', { key });
    expect(reply.status).toBe(400);
  });

  test('whatever the path, no response is a 500 and every error has the standard form', async () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom(
        '..',
        '%00',
        '%',
        '%2e%2e',
        '33019',
        'stats',
        'zip',
        '__proto__',
        'constructor',
        '\\',
        ';',
        '*',
        '🌾',
      ),
    );
    const path = fc
      .array(piece, { maxLength: 4 })
      .map(parts => parts.map(part => part.replaceAll(/[\s#?]/g, '_')).join('/'));
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.constantFrom('/', '/api/public/v1/', '/api/public/v1/markets-stats/', '/docs/', '/openapi.json/'),
        async (tail, head) => {
          const reply = await api.call(head + tail, { key });
          expect(reply.status).toBeLessThan(500);
          if (reply.status >= 400)
            expect(reply.json).toMatchObject({
              error: { code: expect.any(String), message: expect.any(String) },
            });
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe('bodies', () => {
  test('JSON bodies and queries arrive as in the schemas', async () => {
    expect(
      (await post('{"name":"Ada"}', { 'Content-Type': 'application/json; charset=utf-8' }, '?page=3')).json,
    ).toEqual({ name: 'Ada', page: 3 });
  });

  test.each([
    ['malformed JSON', '{"name":', {}, 'body'],
    ['a number instead of an object', '7', {}, 'body'],
    ['nothing', '', {}, 'name'],
    ['another content type', 'name=Ada', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'body'],
    ['another character set', '{}', { 'Content-Type': 'application/json; charset=latin9' }, 'body'],
    ['another encoding', '{}', { 'Content-Encoding': 'pigeon' }, 'body'],
    ['an over-long body', JSON.stringify({ name: 'x'.repeat(1_100_000) }), {}, 'body'],
    ['an unknown field', '{"name":"Ada","colour":"red"}', {}, 'colour'],
    ['a wrong type deep inside', '{"name":"Ada","at":{"zip":3280}}', {}, 'at.zip'],
    ['a missing field', '{}', {}, 'name'],
    ['a value out of range', '{"name":"Ada Lovelace"}', {}, 'name'],
    ['a prototype', '{"name":"Ada","__proto__":{"x":1}}', {}, '__proto__'],
  ])('%s is a validation error', async (_name, body, headers, field) => {
    const reply = await post(body, { 'Content-Type': 'application/json', ...headers });
    expect(reply.status).toBe(400);
    const { error } = reply.json as { error: { code: string; details: Record<string, string[]> } };
    expect(error.code).toBe('validation_error');
    expect(Object.keys(error.details)).toContain(field);
  });

  const compressed = {
    gzip: gzipSync('{"name":"Ada"}'),
    deflate: deflateSync('{"name":"Ada"}'),
    br: brotliCompressSync('{"name":"Ada"}'),
  };
  describe.each(Object.entries(compressed))('%s', (encoding, whole) => {
    const send = (body: Buffer) =>
      api.call(ECHO, {
        key,
        method: 'POST',
        body: new Uint8Array(body),
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
      });

    test('a compressed body is read', async () => {
      expect((await send(whole)).json).toEqual({ name: 'Ada', page: 1 });
    });

    test.each([
      ['garbage', Buffer.from('not compressed at all')],
      ['one that breaks off', whole.subarray(0, whole.length - 5)],
    ])('%s is a validation error', async (_name, body) => {
      const reply = await send(body);
      expect(reply.status).toBe(400);
      expect(reply.json).toMatchObject({
        error: { code: 'validation_error', details: { body: [expect.any(String)] } },
      });
    });
  });

  test.each(['null', '"x"', '1', 'true', '[]', ' [{}]'])('%s is told to be no object', async body => {
    const reply = await post(body);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({
      error: { details: { body: [expect.stringContaining('JSON object')] } },
    });
  });

  test('all rejected fields are reported together', async () => {
    const reply = await post('{"colour":"red"}', undefined, '?page=0');
    const { details } = (reply.json as { error: { details: object } }).error;
    expect(Object.keys(details).sort()).toEqual(['colour', 'name', 'page']);
  });
});

describe('failures', () => {
  test('an unexpected error is a 500 without internals', async () => {
    const reply = await api.call('/api/public/v1/broken/', { key });
    expect(reply.status).toBe(500);
    expect(reply.json).toMatchObject({ error: { code: 'internal_error' } });
    expect(reply.text).not.toContain('parcels_internal');
  });

  test('a slow database is a 503 with Retry-After', async () => {
    const slow = await startTestApi(db, { env: { STATEMENT_TIMEOUT_MS: '200' } });
    await whileLocked(db, ['lock table region_stats in access exclusive mode'], async () => {
      const reply = await slow.call(PATH, { key });
      expect(reply.status).toBe(503);
      expect(reply.headers.get('retry-after')).toBe('5');
      expect(reply.json).toMatchObject({ error: { code: 'internal_error' } });
      expect(reply.text).not.toMatch(/statement|timeout|canceling/i);
    });
    await expect.poll(async () => (await slow.call(PATH, { key })).status).toBe(200);
  });

  test('a request that exceeds its deadline is a 503', async () => {
    const slow = await startTestApi(db, { env: { REQUEST_TIMEOUT_MS: '300' } });
    await whileLocked(db, ['lock table region_stats in access exclusive mode'], async () => {
      expect((await slow.call(PATH, { key })).status).toBe(503);
    });
  });

  test('a missing database is a 503', async () => {
    const url = new URL(db.url);
    url.port = '1';
    const lost = await startTestApi({ ...db, url: url.href });
    const reply = await lost.call(PATH, { key });
    expect(reply.status).toBe(503);
    expect(reply.text).not.toContain('ECONNREFUSED');
    expect((await lost.call('/readyz')).status).toBe(503);
    expect((await lost.call('/healthz')).status).toBe(200);
    expect((await lost.call('/metrics')).text).toContain('plat_database_up 0');
  });
});
