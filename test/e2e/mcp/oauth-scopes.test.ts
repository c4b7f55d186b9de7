import { hash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../../api/endpoints.ts';
import type { Document } from '../../../api/mcp/tool-schemas.ts';
import { toolsOf } from '../../../api/mcp/tools.ts';
import { openApiDocument } from '../../../api/openapi.ts';
import { abilitiesOf } from '../../../api/pages/accounts/consent-page.tsx';
import { startTestApi, usageOf } from '../../support/api.ts';
import { type Assistants, CALLBACK, openAssistants } from '../../support/assistants.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect } from '../../support/mcp.ts';
import { newUser, visitor } from '../../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const tools = toolsOf(endpoints, openApiDocument(endpoints) as Document);
const isRead = (name: string) => tools.get(name)!.definition.annotations.readOnlyHint;
const readNames = [...tools.keys()].filter(isRead).sort();

let user: Awaited<ReturnType<typeof newUser>>;
let answer: Assistants['answer'];
let client_id: string;
beforeAll(async () => {
  user = await newUser(db);
  ({ answer } = openAssistants(api.url, user));
  const reply = await fetch(`${api.url}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test assistant', redirect_uris: [CALLBACK] }),
  });
  client_id = ((await reply.json()) as { client_id: string }).client_id;
});

const VERIFIER = 'v'.repeat(43);
type Pair = { scope: string; access_token: string; refresh_token: string };

async function tokens(fields: Record<string, string>): Promise<Pair> {
  const body = new URLSearchParams({ client_id, ...fields });
  return (await (await fetch(`${api.url}/oauth/token`, { method: 'POST', body })).json()) as Pair;
}

/** Lets the assistant in for a scope. @returns its tokens, and the words of the consent page */
async function letIn(scope: string): Promise<{ pair: Pair; consent: string }> {
  const asked = new URLSearchParams({
    client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope,
    code_challenge: hash('sha256', VERIFIER, 'base64url'),
    code_challenge_method: 'S256',
  });
  let consent = '';
  const address = new URL(`${api.url}/oauth/authorize?${asked}`);
  const back = await answer(address, 'allow', page => {
    consent = page.replaceAll('&amp;', '&');
  });
  const pair = await tokens({
    grant_type: 'authorization_code',
    redirect_uri: CALLBACK,
    code: back.searchParams.get('code')!,
    code_verifier: VERIFIER,
  });
  return { pair, consent };
}

describe('consent', () => {
  test.each(['api:mcp', 'api:mcp.read'])('groups all the tools that %s grants, each once', scope => {
    const named = abilitiesOf(tools, scope).flatMap(group => group.tools.map(tool => tool.definition.name));
    expect(named.sort()).toEqual(scope === 'api:mcp' ? [...tools.keys()].sort() : readNames);
  });

  test('lists on the page what the assistant could do, and nothing else', async () => {
    const [all, read] = [await letIn('api:mcp'), await letIn('api:mcp.read')];
    for (const [name, { definition }] of tools) {
      expect(all.consent, name).toContain(`<li>${definition.title}`);
      expect(read.consent.includes(`<li>${definition.title}`), name).toBe(isRead(name));
    }
  });

  test("correctly says that assistants can't change deals, webhooks, and the account", () => {
    const writers = [...tools.values()].filter(({ definition }) => !definition.annotations.readOnlyHint);
    const tags = new Set(writers.flatMap(tool => tool.endpoints.map(({ tag }) => tag)));
    for (const tag of ['Deal flow', 'Webhooks', 'Usage'] as const) expect(tags).not.toContain(tag);
  });
});

test('a tool is read-only only if its call is a GET, or a POST declared as one', () => {
  const posts = endpoints.filter(({ method, operationId }) => method === 'post' && tools.has(operationId));
  const reading = posts.filter(({ operationId }) => isRead(operationId)).map(one => one.operationId);
  for (const name of ['filter_properties', 'quote_filter', 'compare_markets'])
    expect(reading).toContain(name);
  for (const name of ['create_list', 'add_list_rows', 'create_export', 'cancel_export', 'skip_trace_owner'])
    expect(reading).not.toContain(name);
  for (const { method, operationId } of endpoints)
    if (tools.has(operationId) && method !== 'get' && method !== 'post')
      expect(isRead(operationId), operationId).toBe(false);
});

test('read-only access sees and calls the tools that change nothing, even after a refresh', async () => {
  const { pair } = await letIn('api:mcp.read');
  expect(pair.scope).toBe('api:mcp.read');
  const next = await tokens({ grant_type: 'refresh_token', refresh_token: pair.refresh_token });
  expect(next.scope).toBe('api:mcp.read');
  const before = await usageOf(db, user.accountId);
  for (const token of [pair.access_token, next.access_token]) {
    const client = await connect(api, token);
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(readNames);
    expect(await call(client, 'filter_properties', { county: '33019', page_size: 1 })).toMatchObject({
      isError: false,
      tokens: 30,
    });
    for (const [name, given] of [
      ['create_list', { name: 'mine' }],
      ['skip_trace_owner', { first_name: 'Nobody', last_name: 'Nowhere', zip: '03280' }],
    ] as const) {
      const refused = await call(client, name, given);
      expect([refused.isError, JSON.parse(refused.text).error.code], name).toEqual([true, 'forbidden']);
    }
  }
  expect((await usageOf(db, user.accountId)).tokens).toBe(before.tokens + 60);
  const { rows } = await db.pool.query('select name from lists');
  expect(rows).toEqual([]);
  const ana = visitor(api);
  await ana.signIn(user);
  expect((await ana.open('/account')).text).toContain('Read only');
});

test('both scopes give all tools', async () => {
  const { pair } = await letIn('api:mcp.read api:mcp offline_access');
  expect(pair.scope.split(' ')).toContain('api:mcp');
  const { tools: listed } = await (await connect(api, pair.access_token)).listTools();
  expect(listed).toHaveLength(tools.size);
  expect(await call(await connect(api, pair.access_token), 'create_list', { name: 'mine' })).toMatchObject({
    isError: false,
  });
});
