import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { sendRaw } from '../../support/raw.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, {
  env: { ADMIN_PASSWORD: 'correct horse battery', TRUSTED_PROXIES: 'loopback', ALLOWED_HOSTS: 'x' },
});

describe('requests that are not HTTP', () => {
  test.each([
    ['garbage', 'GARBAGE\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['an over-long URL', `GET /${'x'.repeat(530_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['over-long headers', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(530_000)}\r\n\r\n`],
  ])(
    '%s is answered with the envelope, its headers and the end of the connection',
    async (_name, request) => {
      const text = await raw(request);
      const [head, body] = text.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 400 /);
      for (const header of [
        'X-Request-Id',
        'X-Tokens-Used: 0',
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'RateLimit-Policy',
        'RateLimit:',
      ]) {
        expect(head).toContain(header);
      }
      expect(JSON.parse(body!)).toMatchObject({ error: { code: 'validation_error' } });
    },
  );

  test('a request without a Host header gets the standard error', async () => {
    const text = await raw('GET / HTTP/1.1\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('validation_error');
    expect(text).toContain('X-Request-Id');
  });

  test('an unknown Expect header changes nothing', async () => {
    const text = await raw(
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(text).toContain('X-Request-Id');
  });

  test.each(['/nothing', '/docs', '/healthz', '/admin/queues', '/openapi.json'])(
    'no header of %s is sent twice',
    async path => {
      const text = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      const names = text
        .split('\r\n\r\n')[0]!
        .split('\r\n')
        .slice(1)
        .map(line => line.split(':')[0]!.toLowerCase());
      expect(names.length).toBeGreaterThan(10);
      expect(names).toEqual([...new Set(names)]);
    },
  );

  test('an oversized body to an endpoint that takes none is a validation error', async () => {
    const { key } = await newCaller(db);
    const text = await raw(
      `GET /api/public/v1/markets-stats/33019/stats/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 5000000\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('validation_error');
  });
});

describe('the host of a request', () => {
  const get = (path: string, host: string, more = '') =>
    raw(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`);

  test.each([
    'a<b',
    'a b',
    'a%zz',
    '[',
    'a:99999',
    'a:b',
    ':80',
    '999.1.1.1',
    'user@x',
    'a%3Cb',
    '[::g]',
    'evil.example/x?y',
    'x/y',
    'x?y',
    'x#y',
    'x\\y',
    'a"b',
  ])('%s is refused on every path', async host => {
    for (const path of ['/healthz', '/', '/nothing', '/api/public/v1/usage/']) {
      const text = await get(path, host);
      expect(text).toMatch(/^HTTP\/1.1 400 /);
      expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({
        error: { code: 'validation_error', details: { Host: [expect.any(String)] } },
      });
    }
  });

  test.each(['x', 'X.example', 'x.example:8080', '[::1]:3000', '127.0.0.1', 'a_b-c.example', ''])(
    '"%s" is one',
    async host => expect(await get('/healthz', host)).toMatch(/^HTTP\/1.1 200 /),
  );

  test.each([
    ['X-Forwarded-Host', 'a<b'],
    ['X-Forwarded-Host', 'evil.example/x'],
    ['X-Forwarded-Proto', 'javascript'],
  ])('a trusted proxy that forwards %s: %s is told', async (name, value) => {
    const text = await get('/healthz', 'x', `${name}: ${value}\r\n`);
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain(`"${name}"`);
  });
});

test("a body that doesn't arrive in time is a validation error, not a server error", async () => {
  const lines: { level: number; msg: string; status: string; err?: unknown }[] = [];
  const log = pino({ level: 'info' }, { write: line => lines.push(JSON.parse(line)) });
  const hasty = await startTestApi(db, { env: { REQUEST_TIMEOUT_MS: '2000', ALLOWED_HOSTS: 'x' }, log });
  const { key } = await newCaller(db);
  const head =
    `POST /api/public/v1/properties/filter/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
    'Content-Type: application/json\r\n';
  const requests = [
    `${head}Content-Length: 20\r\n\r\n{"county":`,
    `${head}Transfer-Encoding: chunked\r\n\r\n4\r\n{"co\r\n`,
  ];
  for (const text of await Promise.all(requests.map(request => raw(request, hasty.url)))) {
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({
      error: { code: 'validation_error', details: { body: [expect.stringMatching(/\b2 s\b/)] } },
    });
  }
  await expect.poll(() => lines.filter(({ msg }) => msg === 'request')).toHaveLength(2);
  expect(lines.filter(({ level, err }) => level > 30 || err !== undefined)).toEqual([]);
});

const raw = (request: string, url = api.url) => sendRaw(url, request);
