import { expect, test } from 'vitest';
import { endpoints } from '../../../api/endpoints.ts';
import type { Document } from '../../../api/mcp/tool-schemas.ts';
import { MAX_CHARS } from '../../../api/mcp/tool-text.ts';
import { toolsOf } from '../../../api/mcp/tools.ts';
import { TOOLSETS } from '../../../api/mcp/toolsets.ts';
import { openApiDocument } from '../../../api/openapi.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { call, connect, VERSIONS } from '../../support/mcp.ts';
import { ingestSample } from '../../support/sample.ts';

const V1 = '/api/public/v1';
const PARCEL = 3301900001047;
const SULLIVAN = '78b5033a-d2a6-5d19-b2bf-83916be6fa57';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { now: () => new Date('2026-11-22T12:00:00Z') });
const { key, accountId } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });

type Case = { given: Record<string, unknown>; path: string; body?: unknown; method?: 'POST' };

const TRACED = { first_name: 'Edith', last_name: 'Perrin', zip: '11790' };
const FILTER = { county: '33019', acres_min: 5, acres_max: 20, exclude_landlocked: true };

/** Of every tool but those below, an input and the REST call of the same. */
const CASES: [tool: string, ...Case[]][] = [
  [
    'filter_properties',
    { given: { ...FILTER, page_size: 3 }, path: '/properties/filter/?page_size=3', body: FILTER },
    {
      given: { county: 33019, apn: 'none' },
      path: '/properties/filter/',
      body: { county: 33019, apn: 'none' },
    },
  ],
  [
    'search_properties',
    {
      given: { fips: '33019', owner_name: 'forestry', page_size: 2, page: 1 },
      path: '/properties/search/?fips=33019&owner_name=forestry&page_size=2&page=1',
    },
  ],
  ['quote_filter', { given: FILTER, path: '/properties/filter/quote/', body: FILTER }],
  ['get_property', { given: { property_id: PARCEL }, path: `/properties/${PARCEL}/` }],
  ['get_owner_portfolio', { given: { property_id: PARCEL }, path: `/properties/${PARCEL}/owner-portfolio/` }],
  [
    'get_property_ai_comp_value',
    {
      given: { property_id: String(PARCEL), explain: true },
      path: `/properties/${PARCEL}/ai-comp-value/?explain=true`,
    },
    { given: { property_id: PARCEL }, path: `/properties/${PARCEL}/ai-comp-value/` },
  ],
  [
    'skip_trace_property_owner',
    { given: { property_id: 3301900000007 }, path: '/properties/3301900000007/skip-trace/', method: 'POST' },
  ],
  ['skip_trace_owner', { given: TRACED, path: '/skip-trace/', body: TRACED }],
  ['list_filters', { given: {}, path: '/filters/' }],
  [
    'get_market_stats',
    { given: { fips: 33019 }, path: '/markets-stats/33019/stats/' },
    { given: { zip: '03280', fips: null }, path: '/markets-stats/zip/03280/stats/' },
  ],
  [
    'get_market_history',
    { given: { fips: 33019, keys: 'Active' }, path: '/markets-stats/33019/history/?keys=Active' },
    { given: { zip: '03280', every: 'year' }, path: '/markets-stats/zip/03280/history/?every=year' },
  ],
  [
    'compare_markets',
    { given: { regions: ['33019'] }, path: '/markets-stats/compare/', body: { regions: ['33019'] } },
  ],
  ['list_top_markets', { given: { key: 'Active' }, path: '/markets-stats/top/?key=Active' }],
  [
    'list_comps',
    {
      given: { point: [-72.1, 43.18], dist: 1500, status: ['SOLD', 'ACTIVE'], acres_max: 10, page_size: 4 },
      path: '/comps/?point=-72.1&point=43.18&dist=1500&status=SOLD&status=ACTIVE&acres_max=10&page_size=4',
    },
  ],
  ['list_searches', { given: {}, path: '/searches/' }],
  ['list_webhooks', { given: {}, path: '/webhooks/' }],
  ['list_changes', { given: { fips: 33019, from: 'now' }, path: '/changes/?fips=33019&from=now' }],
  [
    'search',
    { given: { q: 'washington', types: 'town,owner' }, path: '/search/?q=washington&types=town,owner' },
  ],
  ['list_exports', { given: {}, path: '/exports/' }],
  ['find_regions', { given: { q: 'sullivan', page_size: 2 }, path: '/regions/?q=sullivan&page_size=2' }],
  ['save_market', { given: { region_id: SULLIVAN }, path: '/markets/', body: { region_id: SULLIVAN } }],
  ['list_saved_markets', { given: {}, path: '/markets/' }],
  ['list_lists', { given: {}, path: '/lists/' }],
  ['get_usage', { given: {}, path: '/usage/' }],
  ['get_usage_breakdown', { given: {}, path: '/usage/breakdown/' }],
  ['get_coverage', { given: {}, path: '/coverage/' }, { given: { fips: '33019' }, path: '/coverage/33019/' }],
  ['get_county_quality', { given: { fips: '33019' }, path: '/coverage/33019/quality/' }],
  ['list_overlays', { given: { fips: '33019' }, path: '/overlays/?fips=33019' }],
];

/** Tools with tests of their own. */
const LISTS = [
  'create_list',
  'add_list_rows',
  'read_list_rows',
  'update_list_rows',
  'remove_list_rows',
  'update_list',
  'get_list',
  'delete_list',
];
const OTHERS = [
  'create_comp_report',
  'get_parcel_image',
  'list_deal_flow_listings',
  'unsave_market',
  ...LISTS,
  'create_export',
  'get_export',
  'list_webhook_deliveries',
  'create_search',
  'get_search',
  'update_search',
  'delete_search',
  'list_search_changes',
  'cancel_export',
  'delete_export',
];

type Shape = { properties?: Record<string, Shape>; items?: Shape };

/** Result schemas name all fields of the result, and of its rows. */
function expectNamed(result: Record<string, unknown>, { properties }: Shape, what: string): void {
  for (const [field, value] of Object.entries(result)) {
    expect(Object.keys(properties!), what).toContain(field);
    const [row] = field === 'results' ? (value as Record<string, unknown>[]) : [];
    if (row !== undefined) expectNamed(row, properties![field]!.items!, what);
  }
}

test.each(VERSIONS)('every tool returns the same as REST at the same price: %s', async version => {
  const client = await connect(api, key, version);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([...CASES.map(([name]) => name), ...OTHERS].sort());
  for (const [name, ...cases] of CASES) {
    const { outputSchema } = tools.find(tool => tool.name === name)!;
    for (const { given, path, body, method = 'GET' } of cases) {
      // The client compares the structured content with the output schema.
      const answer = await call(client, name, given);
      const reply = await api.call(V1 + path, {
        key,
        method,
        ...(body !== undefined && {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      const what = `${name} ${JSON.stringify(given)}: ${answer.text}`;
      expect(answer.isError, what).toBe(false);
      expect(answer.structured, what).toEqual(
        Array.isArray(reply.json) ? { results: reply.json } : reply.json,
      );
      expectNamed(answer.structured!, outputSchema as Shape, what);
      expect(answer.tokens, what).toBe(Number(reply.headers.get('x-tokens-used')));
      expect(answer.text.length, what).toBeGreaterThan(0);
      expect(answer.text.length, what).toBeLessThanOrEqual(MAX_CHARS);
      expect(answer.text).not.toContain('null');
    }
  }
  const [saved] = (await call(client, 'list_saved_markets')).structured!.results as { id: string }[];
  expect(await call(client, 'unsave_market', { id: saved!.id })).toMatchObject({ text: 'Done.', tokens: 0 });
  expect((await call(client, 'list_saved_markets')).structured).toEqual({ results: [] });
});

test('a picture is returned as an image, a report and traces as in REST', async () => {
  await ingestSample(db.pool, 'washington-nh-relief');
  const client = await connect(api, key);
  const picture = await client.callTool({ name: 'get_parcel_image', arguments: { property_id: PARCEL } });
  const [text, image] = picture.content as { type: string; text: string; data: string; mimeType: string }[];
  expect(text!.text).toContain('image_url: http');
  expect(image).toMatchObject({ type: 'image', mimeType: 'image/jpeg' });
  const address = (picture.structuredContent as { image_url: string }).image_url;
  const bytes = Buffer.from(await (await fetch(address)).arrayBuffer());
  expect(bytes.equals(Buffer.from(image!.data, 'base64'))).toBe(true);

  const report = await call(client, 'create_comp_report', { property_id: PARCEL });
  expect(report).toMatchObject({
    isError: false,
    tokens: 0,
    structured: { url: expect.stringContaining('/comping/') },
  });
  const trace = await call(client, 'skip_trace_property_owner', { property_id: PARCEL });
  const rest = await api.call(`${V1}/properties/${PARCEL}/skip-trace/`, { key, method: 'POST' });
  const told = trace.isError ? JSON.parse(trace.text).error.code : trace.structured;
  expect(told).toEqual(trace.isError ? (rest.json as { error: { code: string } }).error.code : rest.json);
  expect((await call(client, 'list_deal_flow_listings')).structured).toEqual({ results: [] });
});

test('usage is recorded in the mode mcp, and the remaining tokens are returned', async () => {
  const own = await newCaller(db, { tokensIncluded: 45 }, { scopes: ['api:mcp'] });
  const client = await connect(api, own.key);
  expect(await call(client, 'filter_properties', FILTER)).toMatchObject({ tokens: 30, left: 15 });
  expect(await call(client, 'get_property', { property_id: PARCEL })).toMatchObject({ tokens: 10, left: 5 });
  const refused = await call(client, 'filter_properties', FILTER);
  expect(refused).toMatchObject({ isError: true, tokens: 0 });
  expect(JSON.parse(refused.text).error).toMatchObject({ code: 'usage_limit_exceeded' });
  expect((await usageOf(db, own.accountId)).tokens).toBe(40);
  const { rows } = await db.pool.query('select distinct mode from usage_daily where account_id = $1', [
    own.accountId,
  ]);
  expect(rows).toEqual([{ mode: 'mcp' }]);
  expect((await usageOf(db, accountId)).tokens).toBeGreaterThan(0);
});

test("refusals are results with REST's error", async () => {
  const client = await connect(api, key);
  const refusals: [string, Record<string, unknown>, object][] = [
    ['get_property', { property_id: 3301999999999 }, { code: 'not_found' }],
    ['get_property', {}, { code: 'validation_error', details: { property_id: [expect.any(String)] } }],
    [
      'get_market_stats',
      {},
      {
        code: 'validation_error',
        details: { fips: [expect.stringMatching(/fips, zip/)], zip: [expect.stringMatching(/fips, zip/)] },
      },
    ],
    [
      'get_market_stats',
      { fips: '33019', zip: '03280' },
      { code: 'validation_error', details: { zip: [expect.stringContaining('query')] } },
    ],
    [
      'filter_properties',
      { ...FILTER, nix: 1 },
      { code: 'validation_error', details: { nix: [expect.stringContaining('body')] } },
    ],
    [
      'filter_properties',
      { ...FILTER, page: 0 },
      { code: 'validation_error', details: { page: [expect.stringMatching(/\b1\b/)] } },
    ],
    ['get_coverage', { fips: '01001' }, { code: 'not_found' }],
  ];
  for (const [name, given, error] of refusals) {
    const answer = await call(client, name, given);
    expect(answer.isError, name).toBe(true);
    expect(JSON.parse(answer.text).error, answer.text).toMatchObject(error);
  }
  await expect(client.callTool({ name: 'drop_table', arguments: {} })).rejects.toThrow('drop_table');
});

test('the free tier may use tools but not REST; a key without api:mcp may not', async () => {
  const free = await newCaller(
    db,
    { tier: 'free', user: 'free@acme.example' },
    { scopes: ['api:direct', 'api:mcp'] },
  );
  const client = await connect(api, free.key);
  expect(await call(client, 'get_property', { property_id: PARCEL })).toMatchObject({
    isError: false,
    tokens: 10,
  });
  expect((await api.call(`${V1}/properties/${PARCEL}/`, { key: free.key })).json).toMatchObject({
    error: { code: 'tier_upgrade_required' },
  });

  const direct = await newCaller(db, {}, { scopes: ['api:direct'] });
  const other = await connect(api, direct.key);
  const answer = await call(other, 'get_property', { property_id: PARCEL });
  expect(JSON.parse(answer.text).error).toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('api:mcp'),
  });
});

test('tool calls count toward the limit on all calls', async () => {
  const own = await newCaller(db, { ratePerMinute: 1, rateBurst: 2 }, { scopes: ['api:mcp'] });
  const client = await connect(api, own.key);
  const answers = [];
  for (let n = 0; n < 3; n++) answers.push(await call(client, 'get_usage'));
  expect(answers.map(({ isError }) => isError)).toEqual([false, false, true]);
  expect(JSON.parse(answers[2]!.text).error.code).toBe('rate_limited');
});

test('definitions are short', () => {
  const tools = toolsOf(endpoints, openApiDocument(endpoints) as Document);
  const definitions = [...tools.values()].map(({ definition }) => definition);
  const bytes = definitions.map(one => Buffer.byteLength(JSON.stringify(one)));
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(60_000);
  for (const set of TOOLSETS) {
    const own = [...tools.values()].filter(({ toolset }) => toolset === set);
    const size = Buffer.byteLength(JSON.stringify(own.map(({ definition }) => definition)));
    expect(size, set).toBeLessThanOrEqual(20_000);
  }
  for (const { name, description, inputSchema } of definitions) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(description).toContain('Price: ');
    expect(JSON.stringify(inputSchema)).not.toMatch(/\$ref|undefined/);
  }
});

test('a list is created, filled, read, changed, and deleted', async () => {
  const client = await connect(api, key);
  const made = await call(client, 'create_list', { name: 'mailing', one_per_owner: true });
  const id = made.structured!.id as string;
  const filled = await call(client, 'add_list_rows', { id, filter: FILTER });
  const { added } = filled.structured as { added: number };
  expect(added).toBeGreaterThan(25);
  const read = await call(client, 'read_list_rows', { id, page_size: 10 });
  expect(read).toMatchObject({ tokens: 10, isError: false });
  const [row] = read.structured!.results as { property_id: number }[];
  const rest = await api.call(`${V1}/lists/${id}/rows/?page_size=10`, { key });
  expect(rest.headers.get('x-tokens-used')).toBe('0');
  expect((rest.json as { results: object[] }).results).toEqual(read.structured!.results);
  const chosen = { id, property_ids: [row!.property_id], status: 'mailed' };
  expect((await call(client, 'update_list_rows', chosen)).structured).toMatchObject({ changed: 1 });
  expect((await call(client, 'update_list', { id, name: 'letters' })).structured).toMatchObject({
    name: 'letters',
  });
  const removed = await call(client, 'remove_list_rows', { id, property_ids: `${row!.property_id}` });
  expect(removed.structured).toMatchObject({ removed: 1 });
  expect((await call(client, 'get_list', { id })).structured).toMatchObject({ name: 'letters' });
  expect(await call(client, 'delete_list', { id })).toMatchObject({ text: 'Done.', tokens: 0 });
  expect((await call(client, 'get_list', { id })).isError).toBe(true);
});
