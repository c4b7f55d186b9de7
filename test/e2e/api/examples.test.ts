import { expect, test } from 'vitest';
import { endpoints } from '../../../api/endpoints.ts';
import { openApiDocument } from '../../../api/openapi.ts';
import { LIST_ROW_EXAMPLE } from '../../../api/v1/examples/examples.ts';
import { createKey } from '../../../shared/accounts/accounts.ts';
import { startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { doDealJobs } from '../../support/deals.ts';
import { makeExports } from '../../support/exports.ts';
import { newUser } from '../../support/visitor.ts';

// What the documentation shows is what the sample answers to the documented request, but for ids and times.

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  schema: { example?: unknown };
};
type Content = Record<string, { schema: { $ref?: string; example?: unknown } }>;
type Operation = { operationId: string; parameters?: Parameter[]; requestBody?: { content: Content } };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { example?: unknown }> };
};

const published = openApiDocument() as Document;
const operations = new Map(
  Object.values(published.paths)
    .flatMap(path => Object.values(path))
    .map(operation => [operation.operationId, operation]),
);
const byId = new Map(endpoints.map(endpoint => [endpoint.operationId, endpoint]));

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, {
  env: { APP_URL: 'https://app.example.org', BASE_URL: 'http://127.0.0.1:3000' },
});
const user = await newUser(db, { email: 'ana@acme.example' });
const { key } = await createKey(db.pool, user.accountId, { name: 'test' });
const LISTS = '/api/public/v1/lists/';

/** The documented request; `params` are those of what an earlier call has created. */
async function ask(operationId: string, params: Record<string, string> = {}) {
  const { method, path, response } = byId.get(operationId)!;
  const { parameters = [], requestBody } = operations.get(operationId)!;
  const textOf = ({ name, example, schema }: Parameter) => String(params[name] ?? example ?? schema.example);
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    textOf(parameters.find(one => one.name === name)!),
  );
  const needed = parameters.filter(one => one.in === 'query' && one.required);
  // An example of a query says it in its summary.
  const query =
    /^\?[^,]*(,\S[^,]*)*/.exec(response.example?.summary ?? '')?.[0] ??
    `?${needed.map(one => `${one.name}=${textOf(one)}`).join('&')}`;
  return call(method, address + query, bodyOf(requestBody));
}

function bodyOf(requestBody: Operation['requestBody']): unknown {
  const schema = requestBody?.content['application/json']?.schema;
  const name = schema?.$ref?.split('/').at(-1);
  return schema?.example ?? (name && published.components.schemas[name]!.example);
}

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const reply = await api.call(path, {
    key,
    method: method.toUpperCase(),
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  expect(reply.status, `${path}: ${reply.text}`).toBeLessThan(300);
  return reply.json;
}

const PASSING = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|\+00:00)/g, 'time'],
  [/\/(images|files)\/[A-Za-z0-9_-]+/g, '/$1/signed'],
  [/whsec_.*/g, 'secret'],
  [/^[0-9a-f]{64}$/g, 'digest'],
] as const;

const PASSING_NUMBERS = ['seq', 'age_days'];

/** Without what differs with every run. */
function lasting(value: unknown): unknown {
  if (typeof value === 'string')
    return PASSING.reduce<string>((text, [pattern, name]) => text.replaceAll(pattern, name), value);
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      PASSING_NUMBERS.includes(name) ? 'passing' : lasting(each),
    ]),
  );
}

const compared = new Set<string>();

function exampleOf(operationId: string): unknown {
  compared.add(operationId);
  const { example, examples } = byId.get(operationId)!.response;
  return lasting((example ?? Object.values(examples!)[0]!).value);
}

/** @returns the id of what the call has created or read */
async function agrees(operationId: string, params: Record<string, string> = {}): Promise<string> {
  const answer = await ask(operationId, params);
  expect.soft(lasting(answer), operationId).toEqual(exampleOf(operationId));
  return (answer as { id: string }).id;
}

/** Whether an excerpt leaves out fields and items alone. */
function contains(whole: unknown, excerpt: unknown): boolean {
  if (Array.isArray(excerpt))
    return Array.isArray(whole) && excerpt.every(part => whole.some(item => contains(item, part)));
  if (typeof excerpt !== 'object' || excerpt === null) return whole === excerpt;
  return Object.entries(excerpt).every(([name, part]) => contains((whole as Fields)?.[name], part));
}
type Fields = Record<string, unknown>;

test.each([
  'search',
  'filter_properties',
  'quote_filter',
  'search_properties',
  'get_property',
  'get_owner_portfolio',
  'get_property_ai_comp_value',
  'skip_trace_property_owner',
  'skip_trace_owner',
  'get_county_market_stats',
  'get_zip_market_stats',
  'get_county_market_history',
  'get_zip_market_history',
  'compare_markets',
  'list_top_markets',
  'list_comps',
  'find_regions',
  'get_coverage',
  'get_county_coverage',
])('%s', async operationId => {
  await agrees(operationId);
});

test.each(['get_county_quality', 'list_filters'])('%s, an excerpt', async operationId => {
  const excerpt = exampleOf(operationId) as Fields;
  const answer = lasting(await ask(operationId)) as Fields;
  for (const [name, part] of Object.entries(excerpt))
    expect.soft(contains(answer[name], part), `${name}: ${JSON.stringify(answer[name])}`).toBe(true);
});

test('exports', async () => {
  const id = await agrees('create_export');
  await makeExports(db);
  await agrees('list_exports');
  await agrees('get_export', { id });
  const { id: another } = (await ask('create_export')) as { id: string };
  await agrees('cancel_export', { id: another });
});

test('searches', async () => {
  const id = await agrees('create_search');
  await agrees('list_searches');
  await agrees('get_search', { id });
  await agrees('update_search', { id });
});

test('webhooks', async () => {
  const id = await agrees('create_webhook');
  await agrees('list_webhooks');
  await agrees('get_webhook', { id });
  await agrees('update_webhook', { id });
  await agrees('rotate_webhook_secret', { id });
  await agrees('test_webhook', { id });
});

test('lists', async () => {
  const id = await agrees('create_list');
  await agrees('add_list_rows', { id });
  await agrees('list_lists');
  await agrees('update_list', { id });
  await call('get', `${LISTS}${id}/rows/?page_size=500`);
  await agrees('update_list_rows', { id });
  await agrees('remove_list_rows', { id });
  const { id: small } = (await ask('create_list')) as { id: string };
  await call('post', `${LISTS}${small}/rows/`, { property_ids: [LIST_ROW_EXAMPLE.property_id] });
  await agrees('read_list_rows', { id: small });
  await agrees('get_list', { id: small });
});

test('comp reports, saved markets, and deals', async () => {
  await agrees('create_comp_report');
  await agrees('save_market');
  await agrees('list_saved_markets');
  const id = await agrees('create_deal_flow_listing');
  await doDealJobs(db.pool);
  await agrees('list_deal_flow_listings');
  await agrees('get_deal_flow_listing', { id });
  await agrees('update_deal_flow_listing', { id });
});

test("every other example shows what the sample alone doesn't produce", () => {
  const others = endpoints.filter(({ operationId, response }) => {
    return (response.example ?? response.examples) !== undefined && !compared.has(operationId);
  });
  expect(others.map(({ operationId }) => operationId)).toEqual([
    // Imagery, which parcel-image.test.ts loads.
    'get_parcel_image',
    // Changes: its parcels are as they were first loaded.
    'list_changes',
    'list_search_changes',
    // A receiver that fails, and messages of three days.
    'replay_webhook',
    'list_webhook_deliveries',
    // A price that was changed on advice.
    'get_deal_flow_listing_history',
    // A month of calls.
    'get_usage',
    'get_usage_breakdown',
    // Zoning, which overlays.test.ts loads.
    'list_overlays',
  ]);
});
