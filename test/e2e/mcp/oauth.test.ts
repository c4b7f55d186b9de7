import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { beforeAll, expect, test } from 'vitest';
import { changeAccount } from '../../../shared/accounts/contracts.ts';
import { startTestApi, usageOf } from '../../support/api.ts';
import { type Assistants, CALLBACK, openAssistants } from '../../support/assistants.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { call } from '../../support/mcp.ts';
import { newUser } from '../../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const second = await startTestApi(db, { pages: true });
let user: Awaited<ReturnType<typeof newUser>>;
let browser: Assistants['browser'];
let answer: Assistants['answer'];
beforeAll(async () => {
  user = await newUser(db);
  ({ browser, answer } = openAssistants(api.url, user));
});

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

test('a client that knows only the address gets from a 401 to a tool call', async () => {
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

/** As if so much time had passed since codes and tokens were used. */
const passSince = (seconds: number) =>
  db.pool.query(`update oauth_records set consumed_at = consumed_at - $1 * interval '1 second'`, [seconds]);

test('a refresh token that is sent twice at once returns two pairs for one grant; sent later, it ends the access', async () => {
  const { tokens, kept } = await letIn();
  const { refresh_token, access_token } = tokens();
  const { client_id } = kept.client as { client_id: string };
  const refresh = { grant_type: 'refresh_token', refresh_token, client_id };
  const send = async (fields: Record<string, string>) =>
    (await (await post('/oauth/token', fields)).json()) as Tokens;
  const pairs = [...(await Promise.all([send(refresh), send(refresh)])), await send(refresh)];
  const all = new Set([access_token, ...pairs.map(pair => pair.access_token)]);
  expect(all.size).toBe(4);
  for (const token of all) expect((await rpc(api.url, token)).status).toBe(200);
  expect(await send({ ...refresh, client_id: 'another' })).toMatchObject({ error: 'invalid_client' });
  await passSince(11);
  const [first, second] = pairs;
  const next = await send({ ...refresh, refresh_token: first!.refresh_token });
  expect((await rpc(api.url, next.access_token)).status).toBe(200);
  expect(await send(refresh)).toMatchObject({ error: 'invalid_grant' });
  for (const token of [next.access_token, second!.access_token])
    await expect.poll(async () => (await rpc(api.url, token)).status).toBe(401);
  expect(await send({ ...refresh, refresh_token: second!.refresh_token })).toMatchObject({
    error: 'invalid_grant',
  });
});

test('when twelve clients send a code at once, one gets valid tokens; reusing it later revokes them', async () => {
  const { provider, kept } = memory();
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { authProvider: provider });
  await expect(client.connect(transport)).rejects.toThrow(UnauthorizedError);
  const back = await answer(provider.address!, 'allow');
  const { client_id } = kept.client as { client_id: string };
  const exchange = {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: CALLBACK,
    code: back.searchParams.get('code')!,
    code_verifier: kept.verifier as string,
  };
  const replies = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const body = new URLSearchParams(exchange);
      const url = i % 2 === 0 ? api.url : second.url;
      return (await fetch(`${url}/oauth/token`, { method: 'POST', body })).json() as Promise<Tokens>;
    }),
  );
  const given = replies.filter(reply => reply.access_token !== undefined);
  expect(given).toHaveLength(1);
  expect(replies.filter(reply => 'error' in reply && reply.error === 'invalid_grant')).toHaveLength(11);
  expect((await rpc(api.url, given[0]!.access_token)).status).toBe(200);
  await passSince(11);
  expect(await (await post('/oauth/token', exchange)).json()).toMatchObject({ error: 'invalid_grant' });
  await expect.poll(async () => (await rpc(api.url, given[0]!.access_token)).status).toBe(401);
});

test('when an account changes owner, its assistants lose access on their next request, in every process', async () => {
  const { tokens, kept } = await letIn();
  const { access_token, refresh_token } = tokens();
  for (const { url } of [api, second]) expect((await rpc(url, access_token)).status).toBe(200);
  await changeAccount(db.pool, user.accountId, { user: 'heir@acme.example' });
  for (const { url } of [api, second]) expect((await rpc(url, access_token)).status).toBe(401);
  const { client_id } = kept.client as { client_id: string };
  const refreshed = await post('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id });
  expect(refreshed.status).toBe(400);
  await changeAccount(db.pool, user.accountId, { user: user.email });
});

test('a token that is stored while its grant ends gives no access', async () => {
  const { tokens } = await letIn();
  const { access_token } = tokens();
  expect((await rpc(api.url, access_token)).status).toBe(200);
  await db.pool.query("delete from oauth_records where model = 'Grant' and account_id = $1", [
    user.accountId,
  ]);
  for (const { url } of [api, second]) expect((await rpc(url, access_token)).status).toBe(401);
});

test('consent that is given while the account gets another owner gives no access', async () => {
  const { provider } = memory();
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { authProvider: provider });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await expect(client.connect(transport)).rejects.toThrow(UnauthorizedError);
  const window = browser();
  const consent = (await window.send(provider.address!.href)).headers.get('location')!;
  const { email, password } = user;
  await window.submit('/sign-in', { email, password, how: 'password', next: '/data' });
  await window.send(consent);
  const lock = await db.pool.connect();
  await lock.query('begin');
  await lock.query('lock table oauth_records in share row exclusive mode');
  const posting = window.submit(consent, { do: 'allow' });
  await expect.poll(() => lockWaits(db)).toBe(1);
  const changing = changeAccount(db.pool, user.accountId, { user: 'heir@acme.example' });
  await expect.poll(() => lockWaits(db)).toBe(2);
  await lock.query('commit');
  lock.release();
  await changing;
  expect((await posting).status).toBe(403);
  const { rows } = await db.pool.query(
    "select from oauth_records where model = 'Grant' and account_id = $1",
    [user.accountId],
  );
  expect(rows).toEqual([]);
  await changeAccount(db.pool, user.accountId, { user: user.email });
});

test('whoever denies consent is sent back with the refusal', async () => {
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
  expect(await (await window.submit('/account', { do: 'end assistant', id: id! })).text()).not.toContain(
    `value="${id}"`,
  );
  await expect.poll(async () => (await rpc(api.url, tokens().access_token)).status).toBe(401);
});

test('codes require their verifier, redirects their registration, and resources this service', async () => {
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
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: CALLBACK,
    code: back.searchParams.get('code')!,
    code_verifier: 'x'.repeat(43),
  });
  expect(await exchange.json()).toMatchObject({ error: 'invalid_grant' });
});

test('metadata of the resource and the server', async () => {
  const reply = await rpc(api.url, 'x'.repeat(43));
  expect(reply.status).toBe(401);
  expect(reply.headers.get('www-authenticate')).toBe(
    `Bearer error="invalid_token", resource_metadata="${api.url}/.well-known/oauth-protected-resource/mcp", scope="api:mcp"`,
  );
  const nothing = await fetch(`${api.url}/mcp`, { method: 'POST' });
  expect(nothing.headers.get('www-authenticate')).not.toContain('error');
  expect(await reply.json()).toMatchObject({ error: { code: 'unauthorized' } });
  const resource = await (await fetch(`${api.url}/.well-known/oauth-protected-resource/mcp`)).json();
  expect(resource).toMatchObject({
    resource: `${api.url}/mcp`,
    authorization_servers: [api.url],
    scopes_supported: ['api:mcp', 'api:mcp.read'],
  });
  const server = await (await fetch(`${api.url}/.well-known/oauth-authorization-server`)).json();
  expect(server).toMatchObject({
    issuer: api.url,
    authorization_endpoint: `${api.url}/oauth/authorize`,
    token_endpoint: `${api.url}/oauth/token`,
    registration_endpoint: `${api.url}/oauth/register`,
    revocation_endpoint: `${api.url}/oauth/revoke`,
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    token_endpoint_auth_methods_supported: ['none'],
    response_types_supported: ['code'],
  });
});
