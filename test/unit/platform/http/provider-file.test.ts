import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  extractFields,
  loadProvider,
  openProvider,
  providerSchema,
} from '../../../../shared/platform/http/provider-file.ts';
import { testFolder } from '../../../support/folder.ts';
import { type Handler, serve, type TestServer } from '../../../support/http-server.ts';

const folder = testFolder();
const NAMES = ['first_name', 'zip'];
const FIELDS = ['name', 'phones'];
let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const fast = { pauseMs: 1, openMs: 60_000, failures: 2 };

async function provider(handler: Handler, more: object = {}, limits: object = {}) {
  server = await serve(handler);
  const file = providerSchema.parse({
    name: 'example',
    url: `${server.origin}/people?zip={zip}`,
    body: { first: '{first_name}', all: ['{zip}', 'at {zip}'] },
    response: { name: 'person.names[0]', phones: { each: 'phones', fields: { number: 'n' } } },
    ...more,
  });
  return openProvider(file, { ...fast, ...limits });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

test('sends the values in their places, and reads the fields from theirs', async () => {
  let sent = '';
  const { query } = await provider(async (request, response) => {
    sent = `${request.method} ${request.url} ${await bodyOf(request)}`;
    response.end(JSON.stringify({ person: { names: ['Ada'] }, phones: [{ n: 1 }, {}] }));
  });
  expect(await query({ first_name: null, zip: '03280&x' })).toEqual({
    name: 'Ada',
    phones: [{ number: 1 }, { number: undefined }],
  });
  expect(sent).toBe('POST /people?zip=03280%26x {"all":["03280&x","at 03280&x"]}');
});

test('a status that means "no match" is a result', async () => {
  const { query } = await provider((_request, response) => response.writeHead(404).end('{}'));
  expect(await query({})).toBeNull();
});

test('retries a temporary error, and pauses a provider that stays down', async () => {
  const { query } = await provider((_request, response, count) =>
    response.writeHead(count === 2 ? 200 : 502).end('{}'),
  );
  expect(await query({})).toEqual({ name: undefined, phones: undefined });
  await expect(query({})).rejects.toMatchObject({
    code: 'provider',
    status: 503,
    message: expect.stringContaining('502'),
  });
  await expect(query({})).rejects.toThrow('502');
  const before = server!.requests.length;
  await expect(query({})).rejects.toMatchObject({
    code: 'provider',
    status: 503,
    message: expect.not.stringContaining('502'),
  });
  expect(server!.requests.length).toBe(before);
});

test("an invalid request doesn't count as an outage", async () => {
  const { query } = await provider((_request, response) => response.writeHead(422).end());
  for (let i = 0; i < 4; i++) await expect(query({})).rejects.toMatchObject({ retryable: false });
  expect(server!.requests.length).toBe(4);
});

test.each<[string, RegExp, Handler, object?]>([
  [
    'a redirect',
    /redirect/,
    (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  ],
  ['silence', /\b0\.3 s\b/, () => {}, { totalMs: 300 }],
  ['an answer that never ends', /\b0\.3 s\b/, (_, response) => response.write('{'), { totalMs: 300 }],
  [
    'an answer that is too large',
    /\b100 bytes/,
    (_, response) => response.end(`"${'x'.repeat(200)}"`),
    { responseBytes: 100 },
  ],
  ['no JSON', /JSON/, (_, response) => response.end('<html>')],
  [
    'a cut-off answer',
    /connection|broke off|reached/,
    (_, response) => response.writeHead(200, { 'content-length': 50 }).write('{', () => response.destroy()),
  ],
  ['a closed connection', /reached|connect/, request => request.socket.destroy()],
  [
    'a pause that it asks for',
    /\b429\b/,
    (_, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
  ],
  ['a refused key', /\b401\b/, (_, response) => response.writeHead(401).end()],
])('%s is a fault', async (_what, message, handler, limits = {}) => {
  const { query } = await provider(handler, {}, limits);
  await expect(query({})).rejects.toMatchObject({ code: 'provider', status: 503, message });
});

test('the pause that a provider asks for is passed on, not slept through', async () => {
  const { query } = await provider((_, response) => response.writeHead(429, { 'retry-after': '7' }).end());
  await expect(query({})).rejects.toMatchObject({ headers: { 'Retry-After': '7' } });
  expect(server!.requests.length).toBe(1);
});

test('the caller may give up', async () => {
  const { query } = await provider(() => {});
  await expect(query({}, AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
});

const FILE = { name: 'example', url: 'https://example.org/', response: { name: 'a' } };

function load(more: object, env: Record<string, string> = {}) {
  const file = join(folder, 'provider.yaml');
  writeFileSync(file, stringify({ ...FILE, ...more }));
  return () => loadProvider(file, { names: NAMES, fields: FIELDS }, env);
}

test('a file is checked before it is used', () => {
  expect(load({})().name).toBe('example');
  expect(load({ headers: { key: `$\{KEY}` } })).toThrow(/\bKEY\b/);
  expect(load({ headers: { who: '{zip}' } })).toThrow(/\{zip\} .*url.*body/);
  expect(load({ headers: { key: `$\{KEY}` } }, { KEY: '{x}' })().name).toBe('example');
  expect(load({ url: 'http://example.org/' })).toThrow('https');
  expect(load({ url: 'https://{zip}.example.org/' })).toThrow('host');
  expect(load({ url: 'https://a:b@example.org/' })).toThrow(/url.*user/);
  expect(load({ url: 'https://example.org/{ssn}' })).toThrow(/\{ssn\} .*first_name, zip/);
  expect(load({ response: { other: 'a' } })).toThrow(/\bother .*name, phones/);
  expect(load({ response: { name: 'a..b' } })).toThrow(/response\.name/);
  expect(load({ retries: 3 })).toThrow('retries');
  expect(() => loadProvider(join(folder, 'none.yaml'), { names: [], fields: [] })).toThrow('none.yaml');
});

test('paths read only own properties', () => {
  expect(extractFields({ a: 'constructor.name', b: 'x[1]' }, { x: [1, 2] })).toEqual({ a: undefined, b: 2 });
});
