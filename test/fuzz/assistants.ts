import { createHash } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';
import { PATHS, RESOURCE_METADATA, SERVER_METADATA } from '../../api/oauth/oauth-paths.ts';
import { MCP_HEADERS } from '../support/tool-call.ts';
import { fromSchemas, type Schema } from './schema.ts';
import type { Shot } from './shot.ts';
import { encoded, hostileInUrl, hostileText, hostileValue, type Known, oddName } from './values.ts';

const VERIFIER = 'v'.repeat(43);
const CALLBACK = 'http://127.0.0.1:9/callback';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Metadata that a client may register, including fields that an authorization server might act on. */
const METADATA: Record<string, unknown> = {
  redirect_uris: [CALLBACK],
  client_name: 'Fuzz',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: 'api:mcp',
  application_type: 'native',
  client_uri: 'https://client.example.com',
  logo_uri: 'https://client.example.com/logo.png',
  contacts: ['a@client.example.com'],
};
const MORE_METADATA = [
  'jwks',
  'jwks_uri',
  'sector_identifier_uri',
  'subject_type',
  'default_max_age',
  'client_id',
  'post_logout_redirect_uris',
];

/**
 * Requests to the authorization server as a client would send them, and with wrong, missing or extra
 * parameters.
 */
export function oauthShots(known: Known, url: string): Arbitrary<Shot> {
  const some = (name: string) => fc.nat().map(n => known.get(name)![n % known.get(name)!.length]!);

  const wrong = (names: string[]) =>
    fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names), oddName), hostileValue), { maxLength: 2 });
  const registered = wrong([...Object.keys(METADATA), ...MORE_METADATA]).map(
    (changes): Shot => ({
      route: `POST ${PATHS.registration}`,
      as: 'nobody',
      method: 'POST',
      target: PATHS.registration,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries([...Object.entries(METADATA), ...changes])),
    }),
  );

  /**
   * Name-value pairs for a form or query. In a third of the cases, one or two pairs are changed or added, and
   * sometimes one is missing.
   */
  const pairs = (right: Record<string, Arbitrary<string>>) =>
    fc
      .tuple(
        fc.record(right),
        fc.oneof(
          { weight: 2, arbitrary: fc.constant([]) },
          fc.array(fc.tuple(fc.oneof(fc.constantFrom(...Object.keys(right)), oddName), hostileInUrl), {
            maxLength: 2,
          }),
        ),
        fc.integer({ min: 0, max: 40 }),
      )
      .map(([fields, changes, n]) =>
        [...Object.entries(fields).map(([name, one]) => [name, encoded(one)] as const), ...changes]
          .filter((_, i) => i !== n)
          .map(([name, one]) => `${encoded(name)}=${one}`)
          .join('&'),
      );

  const asked = pairs({
    client_id: some('client_id'),
    redirect_uri: fc.constant(CALLBACK),
    response_type: fc.constant('code'),
    scope: fc.constantFrom('api:mcp', 'api:mcp offline_access', '', 'api:direct'),
    state: fc.constant('s'),
    code_challenge: fc.constant(createHash('sha256').update(VERIFIER).digest('base64url')),
    code_challenge_method: fc.constantFrom('S256', 'S256', 'plain'),
    resource: fc.constant(`${url}/mcp`),
    prompt: fc.constantFrom('consent', 'none', 'login'),
  });
  const authorized = fc.tuple(asked, fc.boolean()).map(
    ([text, posts]): Shot => ({
      route: PATHS.authorization,
      as: 'session',
      method: posts ? 'POST' : 'GET',
      target: posts ? PATHS.authorization : `${PATHS.authorization}?${text}`,
      headers: posts ? FORM : {},
      body: posts ? text : undefined,
    }),
  );
  const resumed = fc.oneof(some('uid'), hostileInUrl).map(
    (uid): Shot => ({
      route: `${PATHS.authorization}/:uid`,
      as: 'session',
      method: 'GET',
      target: `${PATHS.authorization}/${uid}`,
    }),
  );
  const consented = fc.tuple(some('uid'), fc.constantFrom('allow', 'deny', ''), fc.boolean()).map(
    ([uid, what, posts]): Shot => ({
      route: PATHS.consent,
      as: 'session',
      method: posts ? 'POST' : 'GET',
      target: PATHS.consent.replace(':uid', encoded(uid)),
      headers: posts ? FORM : {},
      body: posts ? `do=${what}` : undefined,
    }),
  );
  const posted = (path: string, right: Record<string, Arbitrary<string>>) =>
    pairs(right).map(
      (body): Shot => ({
        route: `POST ${path}`,
        as: 'nobody',
        method: 'POST',
        target: path,
        headers: FORM,
        body,
      }),
    );
  const exchanged = posted(PATHS.token, {
    grant_type: fc.constantFrom('authorization_code', 'refresh_token', 'client_credentials'),
    client_id: some('client_id'),
    code: some('code'),
    code_verifier: fc.constant(VERIFIER),
    refresh_token: some('refresh_token'),
    redirect_uri: fc.constant(CALLBACK),
    resource: fc.constant(`${url}/mcp`),
  });
  const revoked = posted(PATHS.revocation, { client_id: some('client_id'), token: some('refresh_token') });
  const told = fc
    .tuple(
      fc.constantFrom(
        RESOURCE_METADATA,
        `${RESOURCE_METADATA}/mcp`,
        SERVER_METADATA,
        '/.well-known/openid-configuration',
        PATHS.jwks,
      ),
      fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS'),
    )
    .map(([target, method]): Shot => ({ route: target, as: 'nobody', method, target }));
  return fc.oneof(
    { weight: 2, arbitrary: registered },
    { weight: 4, arbitrary: authorized },
    ...[resumed, consented, exchanged, revoked, told].map(arbitrary => ({ weight: 2, arbitrary })),
  );
}

export type Tool = { name: string; inputSchema: Schema };

/**
 * Messages to `/mcp`: tool calls with valid, almost valid and invalid arguments, and the protocol's other
 * methods.
 */
export function mcpShots(tools: readonly Tool[], known: Known): Arbitrary<Shot> {
  const { body } = fromSchemas({}, known);
  const params = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.oneof(
        ...tools.map(({ name, inputSchema }) => body(inputSchema).map(given => ({ name, arguments: given }))),
      ),
    },
    { weight: 1, arbitrary: fc.record({ name: hostileText, arguments: hostileValue }) },
    { weight: 1, arbitrary: hostileValue },
  );
  const called = params.map(given => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: given }));
  const other = fc
    .tuple(
      fc.constantFrom(
        'initialize',
        'ping',
        'tools/list',
        'resources/list',
        'resources/read',
        'prompts/list',
        'prompts/get',
        'completion/complete',
        'logging/setLevel',
        'subscriptions/listen',
        'notifications/initialized',
        'nothing',
      ),
      fc.oneof(
        fc.constantFrom<unknown>(
          { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
          { uri: 'plat://filters' },
          { uri: 'plat://coverage/33019' },
          { name: 'find_land', arguments: { place: 'Sullivan County, NH' } },
          undefined,
        ),
        hostileValue,
      ),
      fc.constantFrom<unknown>(1, 'a', null, undefined, {}, -1),
    )
    .map(([method, given, id]) => ({ jsonrpc: '2.0', id, method, params: given }));
  const message = fc.oneof(
    { weight: 7, arbitrary: called },
    { weight: 3, arbitrary: other },
    { weight: 1, arbitrary: hostileValue },
  );
  const headers = fc.record(
    {
      'Mcp-Protocol-Version': fc.constantFrom('2025-11-25', '2026-07-28', '2025-03-26', 'x', ''),
      'Mcp-Method': fc.constantFrom('tools/call', 'tools/list', 'x'),
      Accept: fc.constantFrom('application/json', '*/*', 'text/html'),
      'Content-Type': fc.constantFrom('text/plain', 'application/json; charset=latin1'),
      Origin: fc.constantFrom('https://evil.example', 'null', 'x'),
      'Idempotency-Key': fc.constantFrom('m', ' '),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(message, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, headers), fc.nat()).map(
    ([body, more, n]): Shot => ({
      route: `POST /mcp ${(body as { method?: string } | null)?.method ?? ''}`,
      as: n % 20 === 0 ? 'nobody' : 'key',
      method: n % 40 === 1 ? 'GET' : 'POST',
      target: '/mcp',
      headers: { ...MCP_HEADERS, ...more },
      body: n % 40 === 2 ? '{"jsonrpc"' : JSON.stringify(body),
    }),
  );
}
