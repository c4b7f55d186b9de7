import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints as v1 } from '../../../api/endpoints.ts';
import { requestDigest } from '../../../api/http/cursor.ts';
import { sign } from '../../../api/http/signed.ts';
import { defineEndpoint } from '../../../api/v1/common/endpoint-resources.ts';
import type { NewAccount, NewKey } from '../../../shared/accounts/accounts.ts';
import { ERROR_STATUSES } from '../../../shared/platform/errors.ts';
import { insertRegions, newCaller, startTestApi, type TestReply } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const MARKETS = '/api/public/v1/markets/';

const broken = defineEndpoint({
  method: 'get',
  path: '/api/public/v1/broken/',
  operationId: 'break',
  tag: 'Parcels',
  summary: 'Test',
  description: 'Test.',
  params: z.object({}),
  query: z.strictObject({}),
  metering: { key: 'public_comps', price: { tokens: 1 }, note: 'test' },
  errors: {},
  response: { status: 200, description: 'Never.', schema: z.object({}) },
  handle: async () => {
    throw new Error('secret');
  },
});

const CURSOR_SECRET = 'a secret of at least thirty-two characters';
const OLD_CURSOR = sign('plat changes 1\n', { r: requestDigest({}), s: 1, t: 0 }, Buffer.from(CURSOR_SECRET));

const db = await createTestDatabase();
const api = await startTestApi(db, { env: { CURSOR_SECRET }, endpoints: [...v1, broken] });
const lost = await startTestApi(db, {
  env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
});
/** Its tests call it by 0.0.0.0, which is none of its names. */
const elsewhere = await startTestApi(db, { env: { HOST: '0.0.0.0', ALLOWED_HOSTS: 'plat.example.org' } });
beforeAll(() => insertRegions(db));

const EXPORT = '0b8f3c1e-7a54-4c2b-9d3e-5f6a7b8c9d01';

type Given = {
  account?: Partial<NewAccount>;
  key?: Partial<NewKey>;
  path?: string;
  init?: RequestInit;
  calls?: number;
  before?: (accountId: string) => Promise<unknown>;
  from?: typeof api;
  headers?: Record<string, RegExp>;
  details?: string;
};

const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});
const overage = { tokensIncluded: 5, overageAllowed: true, backstopTokens: 4 };
const RETRY = { 'retry-after': /^[1-9]\d*$/ };

/** Every code of the contract, and what a client has to do to get it. */
const CASES: [answer: string, when: string, given?: Given][] = [
  [
    '400 validation_error',
    'a field is out of its form',
    { path: '/api/public/v1/comps/?fips=abc', details: 'fips' },
  ],
  ['400 validation_error', 'a parameter is unknown', { path: `${PATH}?colour=red`, details: 'colour' }],
  ['400 validation_error', 'a search has no scope', { path: '/api/public/v1/comps/', details: 'fips' }],
  [
    '400 validation_error',
    'JSON is broken',
    { path: MARKETS, init: { ...json('POST', 0), body: '{' }, details: 'body' },
  ],
  [
    '400 validation_error',
    'the content type is another',
    { path: MARKETS, init: { method: 'POST', body: 'a=b' }, details: 'body' },
  ],
  [
    '401 unauthorized',
    'the key is expired',
    { key: { expiresAt: new Date(0) }, headers: { 'www-authenticate': /^Bearer$/ } },
  ],
  ['402 subscription_required', 'there is no Pro subscription', { account: { pro: false } }],
  ['402 tier_upgrade_required', 'the tier has no REST', { account: { tier: 'free' } }],
  ['402 tier_upgrade_required', 'there is no contract', { account: { tier: null } }],
  ['402 payment_required', 'the invoice is unpaid', { account: { invoicePaid: false } }],
  ['402 usage_limit_exceeded', 'the allotment is used up', { account: { tokensIncluded: 19 }, calls: 2 }],
  [
    '402 payment_method_required',
    'overage has no payment method',
    { account: { ...overage, paymentMethod: false } },
  ],
  [
    '402 usage_backstop_reached',
    'overage is at its ceiling',
    { account: { ...overage, paymentMethod: true } },
  ],
  ['403 forbidden', 'the key is for MCP alone', { key: { scopes: ['api:mcp'] } }],
  ['404 not_found', 'a FIPS is unknown', { path: '/api/public/v1/markets-stats/99999/stats/' }],
  ['404 not_found', 'a path is unknown', { path: '/api/public/v1/nothing/' }],
  [
    '404 not_found',
    'a row is of another company',
    { path: `${MARKETS}5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11/`, init: { method: 'DELETE' } },
  ],
  [
    '410 not_found',
    'changes after a cursor are kept no longer',
    { path: `/api/public/v1/changes/?cursor=${OLD_CURSOR}`, details: 'resync_from' },
  ],
  ['421 not_found', 'the Host is of another service', { from: elsewhere }],
  [
    '405 method_not_allowed',
    'the path has other methods',
    { path: MARKETS, init: { method: 'PUT' }, headers: { allow: /^GET, HEAD, POST$/ } },
  ],
  [
    '409 unprocessable',
    'an export that is still made is to be deleted',
    {
      path: `/api/public/v1/exports/${EXPORT}/`,
      init: { method: 'DELETE' },
      before: accountId =>
        db.pool.query(
          `insert into exports (id, company_id, account_id, mode, request, state, tokens_held, created_at)
           select $2, company_id, id, 'direct', '{"format":"csv","filter":{}}', 'running', 0, now() from accounts where id = $1`,
          [accountId, EXPORT],
        ),
    },
  ],
  [
    '422 unprocessable',
    'the list of markets is full',
    {
      path: MARKETS,
      init: json('POST', { region_id: '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11' }),
      before: accountId =>
        db.pool.query(
          `with zips as (
           insert into regions (id, type, code, name, state, county_name, fips)
           select gen_random_uuid(), 'zip', (10000 + n)::text, (10000 + n)::text, 'NY', 'Test', 36001 from generate_series(1, 500) as n
           returning id
         )
         insert into saved_markets (company_id, region_id, position)
         select a.company_id, zips.id, 1 from zips, accounts a where a.id = $1`,
          [accountId],
        ),
    },
  ],
  [
    '429 rate_limited',
    'calls come too fast',
    { account: { ratePerMinute: 1, rateBurst: 1 }, calls: 2, headers: RETRY },
  ],
  ['500 internal_error', 'the program is at fault', { path: '/api/public/v1/broken/' }],
  ['503 internal_error', 'the database cannot be reached', { from: lost, headers: RETRY }],
];

test('the table has every code with each of its statuses', () => {
  const reached = new Set(CASES.map(([answer]) => answer));
  const all = Object.entries(ERROR_STATUSES).flatMap(([code, statuses]) =>
    statuses.map(status => `${status} ${code}`),
  );
  // Of a range that a file does not have: export-files.test.ts.
  expect([...reached, '416 validation_error'].sort()).toEqual(all.sort());
});

test.each(CASES)('%s when %s', async (answer, _when, given: Given = {}) => {
  const caller = await newCaller(db, given.account, given.key);
  await given.before?.(caller.accountId);
  const { from = api, path = PATH, init = {}, calls = 1, headers = {} } = given;
  let reply: TestReply | undefined;
  let paid = 0;
  for (let call = 0; call < calls; call++) {
    reply = await from.call(path, { ...init, key: caller.key });
    paid += Number(reply.headers.get('x-tokens-used'));
  }
  const { error } = reply!.json as { error: Record<string, unknown> };
  expect(`${reply!.status} ${error.code}`).toBe(answer);
  expect(error.request_id).toBe(reply!.headers.get('x-request-id'));
  expect(reply!.headers.get('x-tokens-used')).toBe('0');
  expect(Object.keys(error.details ?? {})).toEqual(given.details === undefined ? [] : [given.details]);
  expect(String(error.message)).not.toContain('secret');
  for (const [name, pattern] of Object.entries(headers)) expect(reply!.headers.get(name)).toMatch(pattern);
  const { rows } = await db.pool.query<{ used: number }>(
    'select coalesce(sum(tokens_used), 0)::int as used from usage_periods where account_id = $1',
    [caller.accountId],
  );
  expect(rows[0]!.used).toBe(paid);
});
