import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { beforeAll, expect, test } from 'vitest';
import { keepHouse } from '../../../api/start.ts';
import { startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call } from '../../support/mcp.ts';
import { newUser } from '../../support/visitor.ts';

const CALLBACK = 'http://127.0.0.1:9/callback';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const second = await startTestApi(db, { pages: true });
let user: Awaited<ReturnType<typeof newUser>>;
beforeAll(async () => {
  user = await newUser(db);
});

/** A browser without script, with all its cookies. */
function browser() {
  const cookies = new Map<string, string>();
  async function send(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, api.url);
    const headers = new Headers(init.headers);
    headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const set of response.headers.getSetCookie()) {
      const [pair] = set.split(';');
      const at = pair!.indexOf('=');
      if (pair!.slice(at + 1) === '') cookies.delete(pair!.slice(0, at));
      else cookies.set(pair!.slice(0, at), pair!.slice(at + 1));
    }
    return response;
  }
  return {
    cookies,
    send,
    submit: (path: string, fields: Record<string, string>) =>
      send(path, {
        method: 'POST',
        headers: { Origin: api.url, 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams(fields),
      }),
  };
}

/** Says yes or no at the address that an assistant leads to; returns where it is led back. */
async function answer(address: URL, what: 'allow' | 'deny'): Promise<URL> {
  const window = browser();
  const asked = await window.send(address.href);
  expect(asked.status, await asked.clone().text()).toBe(303);
  const consent = asked.headers.get('location')!;
  const signIn = (await window.send(consent)).headers.get('location')!;
  expect(signIn).toContain('/sign-in?next=');
  await window.submit('/sign-in', {
    ...{ email: user.email, password: user.password, how: 'password' },
    next: new URL(signIn, api.url).searchParams.get('next')!,
  });
  const page = await (await window.send(consent)).text();
  expect(page).toContain('Test assistant wants to use Plat for you');
  expect(page).toContain('127.0.0.1:9');
  expect(page).toContain('30 tokens per search');
  const done = await (await window.submit(consent, { do: what })).text();
  const onward = /content="0;url=([^"]+)"/.exec(done)![1]!.replaceAll('&amp;', '&');
  const back = await window.send(onward);
  expect(back.status, await back.clone().text()).toBe(303);
  return new URL(back.headers.get('location')!);
}

/** What the SDK's client is given to remember things in. */
function memory() {
  const kept: Record<string, unknown> = {};
  const provider: OAuthClientProvider & { address?: URL } = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: 'Test assistant',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client as never,
    saveClientInformation(given) {
      kept.client = given;
    },
    tokens: () => kept.tokens as never,
    saveTokens(given) {
      kept.tokens = given;
    },
    redirectToAuthorization(address) {
      provider.address = address;
    },
    saveCodeVerifier(given) {
      kept.verifier = given;
    },
    codeVerifier: () => kept.verifier as string,
  };
  return { kept, provider };
}

type Tokens = { access_token: string; refresh_token: string; expires_in: number };

/** From nothing but the address to a client that has been let in. */
async function letIn() {
  const { kept, provider } = memory();
  const address = new URL(`${api.url}/mcp`);
  const client = new Client({ name: 'test', version: '1.0.0' });
  const first = new StreamableHTTPClientTransport(address, { authProvider: provider });
  await expect(client.connect(first)).rejects.toThrow(UnauthorizedError);
  const back = await answer(provider.address!, 'allow');
  await first.finishAuth(back.searchParams);
  const next = new Client({ name: 'test', version: '1.0.0' });
  await next.connect(new StreamableHTTPClientTransport(address, { authProvider: provider }));
  return { client: next, kept, tokens: () => kept.tokens as Tokens, provider };
}

const post = (path: string, fields: Record<string, string>) =>
  fetch(api.url + path, { method: 'POST', body: new URLSearchParams(fields) });

const rpc = (url: string, token: string) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });

test('a client that knows nothing but the address gets from the 401 to a tool call', async () => {
  const { client, tokens, kept } = await letIn();
  const used = await call(client, 'filter_properties', { county: '33019', page_size: 1 });
  expect(used).toMatchObject({ isError: false, tokens: 30 });
  // What its account may do, as a key of it.
  const traced = { first_name: 'Nobody', last_name: 'Nowhere', zip: '03280' };
  expect(await call(client, 'skip_trace_owner', traced)).toMatchObject({ isError: false, tokens: 0 });
  expect((await usageOf(db, user.accountId)).tokens).toBe(30);
  // Any process serves it, and REST does not take it.
  expect((await rpc(second.url, tokens().access_token)).status).toBe(200);
  const rest = await api.call('/api/public/v1/usage/', { key: tokens().access_token });
  expect(rest.status).toBe(401);
  // The table holds none of what opens anything.
  const { rows } = await db.pool.query<{ all: string }>(
    `select string_agg(payload::text || encode(id_hash, 'escape'), ' ') as all from oauth_records where model <> 'Client'`,
  );
  for (const secret of [tokens().access_token, tokens().refresh_token, kept.verifier as string])
    expect(rows[0]!.all).not.toContain(secret);
  await client.close();
});

test('refresh tokens are used once; a second use ends the access', async () => {
  const { tokens, kept } = await letIn();
  const { refresh_token, access_token } = tokens();
  const { client_id } = kept.client as { client_id: string };
  const refresh = { grant_type: 'refresh_token', refresh_token, client_id };
  const renewed = (await (await post('/oauth/token', refresh)).json()) as Tokens;
  expect(renewed.access_token).not.toBe(access_token);
  expect((await rpc(api.url, renewed.access_token)).status).toBe(200);
  expect(await (await post('/oauth/token', refresh)).json()).toMatchObject({ error: 'invalid_grant' });
  await expect.poll(async () => (await rpc(api.url, renewed.access_token)).status).toBe(401);
});

test('who says no is led back with the refusal', async () => {
  const { provider } = memory();
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { authProvider: provider });
  await expect(client.connect(transport)).rejects.toThrow(UnauthorizedError);
  const back = await answer(provider.address!, 'deny');
  expect(back.searchParams.get('error')).toBe('access_denied');
  expect(back.searchParams.get('state')).toBe(provider.address!.searchParams.get('state'));
});

test('the account page lists the assistants and ends their access', async () => {
  const { tokens } = await letIn();
  const window = browser();
  await window.submit('/sign-in', {
    email: user.email,
    password: user.password,
    how: 'password',
    next: '/account',
  });
  const page = await (await window.send('/account')).text();
  expect(page).toContain('Test assistant');
  expect(page).toContain(`${api.url}/mcp`);
  const [, id] = /name="id" value="([0-9a-f]{64})"/.exec(page)!;
  expect(await (await window.submit('/account', { do: 'end assistant', id: id! })).text()).toContain(
    'no access any more',
  );
  await expect.poll(async () => (await rpc(api.url, tokens().access_token)).status).toBe(401);
});

test('codes need their verifier, redirections their registration, resources this service', async () => {
  const { provider, kept } = memory();
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { authProvider: provider });
  await expect(client.connect(transport)).rejects.toThrow(UnauthorizedError);
  const { client_id } = kept.client as { client_id: string };
  const change = async (fields: Record<string, string | undefined>) => {
    const address = new URL(provider.address!);
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) address.searchParams.delete(name);
      else address.searchParams.set(name, value);
    }
    const reply = await fetch(address, { redirect: 'manual' });
    return `${reply.headers.get('location') ?? ''} ${await reply.text()}`;
  };
  expect(await change({ code_challenge: undefined, code_challenge_method: undefined })).toContain(
    'invalid_request',
  );
  expect(await change({ code_challenge_method: 'plain' })).toContain('invalid_request');
  expect(await change({ resource: 'https://elsewhere.example/mcp' })).toContain('invalid_target');
  expect(await change({ redirect_uri: 'https://elsewhere.example/' })).toContain('invalid_redirect_uri');
  const back = await answer(provider.address!, 'allow');
  const exchange = await post('/oauth/token', {
    ...{ grant_type: 'authorization_code', client_id, redirect_uri: CALLBACK },
    ...{ code: back.searchParams.get('code')!, code_verifier: 'x'.repeat(43) },
  });
  expect(await exchange.json()).toMatchObject({ error: 'invalid_grant' });
});

test('registration is bounded, and clients that nobody lets in are deleted', async () => {
  const register = (metadata: object) =>
    fetch(`${api.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(metadata),
    });
  const refused = async (metadata: object) => {
    const reply = await register(metadata);
    return [reply.status, ((await reply.json()) as { error: string }).error];
  };
  expect(await refused({ redirect_uris: ['http://elsewhere.example/'] })).toEqual([
    400,
    'invalid_redirect_uri',
  ]);
  expect(await refused({ redirect_uris: ['javascript:alert(1)'] })).toEqual([400, 'invalid_redirect_uri']);
  expect(await refused({ redirect_uris: [CALLBACK], client_name: 'x'.repeat(9_000) })).toEqual([
    400,
    'invalid_client_metadata',
  ]);
  expect((await register({ redirect_uris: ['cursor://anysphere.cursor-retrieval/oauth'] })).status).toBe(201);
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => (await register({ redirect_uris: [CALLBACK] })).status),
  );
  expect(new Set(statuses)).toEqual(new Set([201, 429]));

  await db.pool.query(
    `update oauth_records set created_at = now() - interval '2 days' where model = 'Client'`,
  );
  await keepHouse(db.pool, db.config);
  const { rows } = await db.pool.query(
    `select count(*)::int as clients, count(*) filter (where payload ->> 'client_name' = 'Test assistant')::int as used
     from oauth_records where model = 'Client'`,
  );
  expect(rows[0]!.clients).toBe(rows[0]!.used);
  expect(rows[0]!.used).toBeGreaterThan(0);
});

test('metadata of resource and server', async () => {
  const reply = await rpc(api.url, 'x'.repeat(43));
  expect(reply.status).toBe(401);
  expect(reply.headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${api.url}/.well-known/oauth-protected-resource/mcp", scope="api:mcp"`,
  );
  expect(await reply.json()).toMatchObject({ error: { code: 'unauthorized' } });
  const resource = await (await fetch(`${api.url}/.well-known/oauth-protected-resource/mcp`)).json();
  expect(resource).toMatchObject({
    resource: `${api.url}/mcp`,
    authorization_servers: [api.url],
    scopes_supported: ['api:mcp'],
  });
  const server = await (await fetch(`${api.url}/.well-known/oauth-authorization-server`)).json();
  expect(server).toMatchObject({
    issuer: api.url,
    authorization_endpoint: `${api.url}/oauth/authorize`,
    token_endpoint: `${api.url}/oauth/token`,
    registration_endpoint: `${api.url}/oauth/register`,
    revocation_endpoint: `${api.url}/oauth/revoke`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    response_types_supported: ['code'],
  });
});
