import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { FetchInit } from '../../../shared/platform/http/guarded-fetch.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { startTestApi } from '../../support/api.ts';
import { type Assistants, CALLBACK, openAssistants } from '../../support/assistants.ts';
import { createTestDatabase } from '../../support/database.ts';
import { type Handler, serve } from '../../support/http-server.ts';
import { newUser } from '../../support/visitor.ts';

/** A public host over https; every other address meets the guard itself. */
const DESCRIBED = 'https://assistant.example/client.json';
const description = { client_id: DESCRIBED, client_name: 'Test assistant', redirect_uris: [CALLBACK] };
const send =
  (body: object | string, status = 200, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
/** How the host answers. */
let described = send(description);
let fetched = 0;
const host = await serve((request, response, count) => described(request, response, count));
afterAll(() => host.close());
vi.mock('../../../shared/platform/http/guarded-fetch.ts', async importOriginal => {
  const original = await importOriginal<typeof import('../../../shared/platform/http/guarded-fetch.ts')>();
  const fetchPublic = async (url: URL, init: FetchInit) => {
    if (url.host !== 'assistant.example') return original.fetchPublic(url, init);
    fetched++;
    return fetch(new URL(url.pathname, host.origin), { ...init, redirect: 'manual' });
  };
  return { ...original, fetchPublic };
});

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });
let answer: Assistants['answer'];
beforeAll(async () => {
  ({ answer } = openAssistants(api.url, await newUser(db)));
});
// Each test has all registrations that its address may make.
beforeEach(() => db.pool.query('truncate rate_buckets'));

async function register(metadata: object, url = api.url) {
  const reply = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return { status: reply.status, json: (await reply.json()) as Record<string, string> };
}

const VERIFIER = 'v'.repeat(43);

function authorization(client_id: string, more: Record<string, string> = {}, origin = api.url): URL {
  const asked = new URLSearchParams({
    client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 's',
    ...more,
    code_challenge: hash('sha256', VERIFIER, 'base64url'),
    code_challenge_method: 'S256',
  });
  return new URL(`${origin}/oauth/authorize?${asked}`);
}

async function tokensFor(client_id: string, back: URL) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: CALLBACK,
    code: back.searchParams.get('code')!,
    code_verifier: VERIFIER,
  });
  const reply = await fetch(`${api.url}/oauth/token`, { method: 'POST', body });
  return (await reply.json()) as Record<string, string>;
}

const countClients = async () =>
  (await db.pool.query<{ n: number }>("select count(*)::int n from oauth_records where model = 'Client'"))
    .rows[0]!.n;

test.each([undefined, 'none', 'client_secret_basic', 'client_secret_post'])(
  'a client that wants to authenticate by %s gets no secret, and can sign in',
  async token_endpoint_auth_method => {
    const { status, json } = await register({
      client_name: 'Test assistant',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method,
    });
    expect([status, json.token_endpoint_auth_method]).toEqual([201, 'none']);
    expect(Object.keys(json).filter(name => name.includes('secret'))).toEqual([]);
    const back = await answer(authorization(json.client_id!), 'allow');
    expect(await tokensFor(json.client_id!, back)).toMatchObject({ access_token: expect.any(String) });
  },
);

test.each(['private_key_jwt', 'client_secret_jwt', 'tls_client_auth', 1, ''])(
  'a client that can only authenticate by %s is refused',
  async token_endpoint_auth_method => {
    expect(await register({ redirect_uris: [CALLBACK], token_endpoint_auth_method })).toMatchObject({
      status: 400,
      json: { error: 'invalid_client_metadata' },
    });
  },
);

test('answers of the authorization server name it, in success and failure', async () => {
  const metadata = await fetch(`${api.url}/.well-known/oauth-authorization-server`);
  expect(await metadata.json()).toMatchObject({
    issuer: api.url,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  const client_id = (await register({ client_name: 'Test assistant', redirect_uris: [CALLBACK] })).json
    .client_id!;
  for (const what of ['allow', 'deny'] as const) {
    const back = await answer(authorization(client_id), what);
    expect(back.searchParams.get('iss'), what).toBe(api.url);
    expect(back.searchParams.has(what === 'allow' ? 'code' : 'error')).toBe(true);
  }
});

test("a text that can't be stored is refused with the name of its field", async () => {
  const { json } = await register({ redirect_uris: [CALLBACK] });
  const right = { client_id: json.client_id!, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  const forms: [string, Record<string, string>][] = [
    ['token', { grant_type: 'authorization_code', ...right, code: 'a\0b' }],
    ['token', { grant_type: 'refresh_token', ...right, refresh_token: 'a\0b' }],
    ['token', { grant_type: 'authorization_code', ...right, code: 'a', client_id: 'a\0b' }],
    ['token', { ...right, grant_type: 'a\0b' }],
    ['revoke', { token: 'a', client_id: 'a\0b' }],
  ];
  for (const [path, form] of forms) {
    const [field] = Object.entries(form).find(([, value]) => value.includes('\0'))!;
    const body = new URLSearchParams(form);
    const reply = await fetch(`${api.url}/oauth/${path}`, { method: 'POST', body });
    expect([reply.status, await reply.json()], field).toMatchObject([
      400,
      { error: 'invalid_request', error_description: expect.stringMatching(`^${field} .*NUL`) },
    ]);
  }
});

test("nothing is fetched from a client's addresses", async () => {
  const server = await serve((_request, response) => response.end('[]'));
  for (const name of [
    'sector_identifier_uri',
    'jwks_uri',
    'backchannel_logout_uri',
    'backchannel_client_notification_endpoint',
  ])
    expect(
      await register({ redirect_uris: [CALLBACK], [name]: server.origin.replace('http:', 'https:') }),
    ).toMatchObject({
      status: 400,
      json: { error: 'invalid_client_metadata', error_description: expect.stringContaining(name) },
    });
  expect(
    await register({ redirect_uris: [CALLBACK], request_uris: [`${server.origin}/request`] }),
  ).toMatchObject({ status: 400 });
  // Nor from a private address that is a client's id.
  const { port } = new URL(server.origin);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '[::ffff:127.0.0.1]'])
    expect((await fetch(authorization(`https://${host}:${port}/client.json`))).status, host).toBe(400);
  expect(server.requests).toHaveLength(0);
  await server.close();
});

test.each([
  ['https://assistant.example/callback', 201],
  ['http://localhost:33418/', 201],
  ['http://127.0.0.1/callback', 201],
  ['http://[::1]:8080/callback', 201],
  ['com.example.app:/oauth/callback', 201],
  ['com.example.app://oauth/callback', 201],
  ['http://elsewhere.example/', 400],
  ['http://localhost.elsewhere.example/', 400],
  ['http://127.0.0.1@elsewhere.example/', 400],
  ['https://user@assistant.example/', 400],
  ['https://user:password@assistant.example/', 400],
  ['http://user@localhost/', 400],
  ['com.example.app://user@host/', 400],
  ['https://assistant.example/#part', 400],
  ['https://assistant.example/#', 400],
  ['example:/callback', 400],
  ['javascript:alert(1)', 400],
  ['data:text/html,x', 400],
  ['file:///etc/passwd', 400],
  ['not an address', 400],
])('the redirection %s is answered %i', async (address, status) => {
  for (const application_type of ['native', 'web']) {
    // A web client may have no scheme of its own.
    if (application_type === 'web' && status === 201 && !address.startsWith('http')) continue;
    const reply = await register({ redirect_uris: [CALLBACK, address], application_type });
    expect(reply.status, application_type).toBe(status);
    if (status === 400) expect(reply.json.error).toBe('invalid_redirect_uri');
  }
});

test('metadata has a maximum size, and registrations are limited by network', async () => {
  expect(await register({ redirect_uris: [CALLBACK], client_name: 'x'.repeat(9_000) })).toMatchObject({
    status: 400,
    json: { error: 'invalid_client_metadata' },
  });
  const proxied = await startTestApi(db, { env: { TRUSTED_PROXIES: 'loopback' } });
  const from = async (address: string) =>
    (
      await fetch(`${proxied.url}/oauth/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
        body: JSON.stringify({ redirect_uris: [CALLBACK] }),
      })
    ).status;
  const statuses = await Promise.all(Array.from({ length: 30 }, (_, i) => from(`2001:db8:1:2::${i + 1}`)));
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
  expect(await from('2001:db8:1:3::1')).toBe(201);
});

test('a thousand clients without consent lock nobody out, and are deleted after an hour', async () => {
  await db.pool.query("delete from oauth_records where model = 'Client'");
  const { json } = await register({ client_name: 'Test assistant', redirect_uris: [CALLBACK] });
  await answer(authorization(json.client_id!), 'allow');
  const oldest = (await register({ client_name: 'The oldest', redirect_uris: [CALLBACK] })).json.client_id!;
  await db.pool.query(
    `update oauth_records set created_at = created_at - interval '1 minute' where model = 'Client';
     insert into oauth_records (model, id_hash, payload, expires_at)
     select 'Client', sha256(i::text::bytea), '{}', now() + interval '1 hour' from generate_series(1, 999) i`,
  );
  const newest = (await register({ redirect_uris: [CALLBACK] })).json.client_id!;
  expect(await countClients()).toBe(1_001);
  const shown = async (client_id: string) =>
    (await fetch(authorization(client_id), { redirect: 'manual' })).status;
  expect([await shown(oldest), await shown(newest), await shown(json.client_id!)]).toEqual([400, 303, 303]);

  const hourLater = `update oauth_records set expires_at = expires_at - interval '61 minutes' where model = 'Client'`;
  await db.pool.query(hourLater);
  expect([await shown(newest), await shown(json.client_id!)]).toEqual([400, 303]);
  await expireRecords(db.pool, db.config);
  expect(await countClients()).toBe(1);
  await db.pool.query("delete from oauth_records where model = 'Client'");
});

test('a client that names no scope gets all that exist; an unknown scope is refused', async () => {
  const client_id = (await register({ client_name: 'Test assistant', redirect_uris: [CALLBACK] })).json
    .client_id!;
  const pair = await tokensFor(client_id, await answer(authorization(client_id), 'allow'));
  expect(pair).toMatchObject({ scope: 'api:mcp', access_token: expect.any(String) });
  const ping = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${pair.access_token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  expect(ping.status).toBe(200);
  for (const scope of ['api:direct', 'api:mcp profile', 'openid']) {
    const reply = await fetch(authorization(client_id, { scope }), { redirect: 'manual' });
    const back = new URL(reply.headers.get('location')!);
    expect([back.origin, back.searchParams.get('error')], scope).toEqual([
      new URL(CALLBACK).origin,
      'invalid_scope',
    ]);
  }
  const metadata = await fetch(`${api.url}/.well-known/oauth-authorization-server`);
  expect(((await metadata.json()) as { scopes_supported: string[] }).scopes_supported).toEqual([
    'api:mcp',
    'api:mcp.read',
    'offline_access',
  ]);
});

test('a client may describe itself at a URL, which is its id', async () => {
  const registered = await countClients();
  const pair = await tokensFor(
    DESCRIBED,
    await answer(authorization(DESCRIBED), 'allow', 'assistant.example'),
  );
  expect(pair).toMatchObject({ scope: 'api:mcp', access_token: expect.any(String) });
  expect(await countClients()).toBe(registered);
  const { rows } = await db.pool.query(
    "select payload ->> 'clientId' as id from oauth_records where model = 'Grant'",
  );
  expect(rows.map(({ id }) => id)).toContain(DESCRIBED);
});

/** A response that never ends. `send` is called until the reader leaves. */
const endless =
  (chunk: string): Handler =>
  (_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && chunk !== '' && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };

test.each<[string, Handler]>([
  ['of another id', send({ ...description, client_id: 'https://assistant.example/other.json' })],
  ['without an id', send({ ...description, client_id: undefined })],
  ['with an address to fetch', send({ ...description, sector_identifier_uri: 'https://127.0.0.1:9/' })],
  ['with keys to fetch', send({ ...description, jwks_uri: 'https://127.0.0.1:9/' })],
  ['with a secret', send({ ...description, client_secret: 'x'.repeat(40) })],
  ['that needs a secret', send({ ...description, token_endpoint_auth_method: 'client_secret_post' })],
  ['that leads anywhere', send({ ...description, redirect_uris: ['http://elsewhere.example/'] })],
  ['that leads to a script', send({ ...description, redirect_uris: [CALLBACK, 'javascript:alert(1)'] })],
  ['that leads to a file', send({ ...description, redirect_uris: ['file:///etc/passwd'] })],
  ['without redirects', send({ ...description, redirect_uris: [] })],
  ['that is too long', send({ ...description, client_name: 'x'.repeat(9_000) })],
  ['that never ends', endless('x'.repeat(10_000))],
  ['that stops halfway', endless('')],
  ['that does not come', () => {}],
  ['that is elsewhere', send('', 302, { Location: 'https://assistant.example/moved.json' })],
  ['in a private network', send('', 307, { Location: 'http://169.254.169.254/latest/meta-data/' })],
  ['that is missing', send(description, 404)],
  ['that is a page', send('<!doctype html>')],
  ['that is a list', send([description])],
])('a description %s is refused, and nothing else is fetched', async (_what, given) => {
  described = given;
  const before = host.requests.length;
  const fresh = await startTestApi(db, { pages: true });
  const reply = await fetch(authorization(DESCRIBED, {}, fresh.url), { redirect: 'manual' });
  expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
  const requested = host.requests.slice(before).map(({ url }) => url);
  expect(new Set(requested)).toEqual(new Set(['/client.json']));
  // The library fetches it again for the error page.
  expect(requested.length).toBeLessThanOrEqual(2);
  described = send(description);
});

test('the descriptions fetched at once are limited by network', async () => {
  const before = fetched;
  const ask = async (i: number) =>
    (await fetch(authorization(`https://assistant.example/${i}.json`), { redirect: 'manual' })).text();
  const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => ask(i)));
  expect(fetched - before).toBe(20);
  expect(answers.filter(text => text.includes('fetch not allowed')).length).toBeGreaterThan(9);
});
