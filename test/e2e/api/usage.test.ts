import type pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { endpoints } from '../../../api/endpoints.ts';
import type { Caller } from '../../../api/http/callers.ts';
import { openMeter } from '../../../api/http/meter.ts';
import { readPeriod } from '../../../cli/usage-command.ts';
import { changeAccount } from '../../../shared/accounts/contracts.ts';
import type { Mode } from '../../../shared/accounts/tiers.ts';
import { statement } from '../../../shared/platform/statements.ts';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { FULL } from '../../support/filter-parcels.ts';
import { insertParcels } from '../../support/parcels.ts';
import { STATS } from '../../support/spender.ts';

const USAGE = '/api/public/v1/usage/';
const BREAKDOWN = '/api/public/v1/usage/breakdown/';

const db = await createTestDatabase();
const one = await startTestApi(db);
const two = await startTestApi(db);
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [FULL]);
});

const NOTHING = {
  tier: null,
  tokens_used: 0,
  tokens_included: 0,
  tokens_overage: 0,
  overage_amount_cents: 0,
  period_start: null,
  period_end: null,
};

test('a new account has used nothing of its contract', async () => {
  const { key, accountId } = await newCaller(db, { tier: 'growth' });
  const reply = await one.call(USAGE, { key });
  const { rows } = await db.pool.query('select period_start, period_end from accounts where id = $1', [
    accountId,
  ]);
  const period = {
    period_start: rows[0].period_start.toISOString(),
    period_end: rows[0].period_end.toISOString(),
  };
  expect([reply.status, reply.headers.get('x-tokens-used')]).toEqual([200, '0']);
  expect(reply.json).toEqual([{ ...NOTHING, tier: 'growth', tokens_included: 50_000, ...period }]);
  expect((await one.call(BREAKDOWN, { key })).json).toEqual({ ...period, records: [] });
});

test('an account without a contract gets nulls and zeros, and nothing else', async () => {
  const { key } = await newCaller(db, { tier: null });
  expect((await one.call(USAGE, { key })).json).toEqual([NOTHING]);
  expect((await one.call(BREAKDOWN, { key })).json).toEqual({
    period_start: null,
    period_end: null,
    records: [],
  });
  expect((await one.call(STATS, { key })).json).toMatchObject({ error: { code: 'tier_upgrade_required' } });
});

test('usage equals the sum of X-Tokens-Used over mixed concurrent calls in two processes, by endpoint', async () => {
  const { key } = await newCaller(db, { tokensIncluded: 400 });
  const filter = (county: string) => ({
    path: '/api/public/v1/properties/filter/',
    init: {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ county }),
    },
  });
  const kinds: { path: string; init?: RequestInit; endpoint: string }[] = [
    { path: STATS, endpoint: 'public_market_stats' },
    { path: '/api/public/v1/markets-stats/99999/stats/', endpoint: 'public_market_stats' },
    { path: STATS, init: { headers: { 'If-None-Match': '*' } }, endpoint: 'public_market_stats' },
    { path: STATS, init: { method: 'HEAD' }, endpoint: 'public_market_stats' },
    { ...filter('33019'), endpoint: 'public_parcel_filter' },
    { ...filter('01001'), endpoint: 'public_parcel_filter' },
    {
      path: '/api/public/v1/properties/search/?fips=33019&owner_name=neil',
      endpoint: 'public_property_search',
    },
    {
      path: '/api/public/v1/properties/search/?fips=33019&owner_name=nobody',
      endpoint: 'public_property_search',
    },
    { path: USAGE, endpoint: 'none' },
  ];
  const replies = await Promise.all(
    Array.from({ length: 90 }, async (_, index) => {
      const { path, init = {}, endpoint } = kinds[index % kinds.length]!;
      const reply = await (index % 2 ? one : two).call(path, { ...init, key });
      return { endpoint, tokens: Number(reply.headers.get('x-tokens-used')), status: reply.status };
    }),
  );
  const seen: Record<string, number> = {};
  for (const { endpoint, tokens } of replies) if (tokens) seen[endpoint] = (seen[endpoint] ?? 0) + tokens;
  const total = Object.values(seen).reduce((sum, tokens) => sum + tokens, 0);
  // 10 of each kind would cost 500: some are refused.
  expect(replies.some(({ status }) => status === 402)).toBe(true);
  expect((await one.call(USAGE, { key })).json).toMatchObject([{ tokens_used: total, tokens_overage: 0 }]);
  const { records } = (await two.call(BREAKDOWN, { key })).json as { records: Record<string, unknown>[] };
  expect(records).toEqual(
    Object.keys(seen)
      .sort()
      .map(endpoint => ({
        date: new Date().toISOString().slice(0, 10),
        endpoint,
        mode: 'direct',
        tokens: seen[endpoint],
      })),
  );
});

test('records are sorted by date, endpoint, and mode, as charged', async () => {
  const { key, accountId } = await newCaller(db);
  const meter = openMeter(db.pool.forApi());
  const charge = (mode: Mode, endpoint: string, tokens: number) =>
    meter.charge({ account: { id: accountId, tokensUsed: 0 }, mode } as unknown as Caller, endpoint, tokens);
  await charge('direct', 'public_comps', 1);
  await db.pool.query('update usage_daily set day = day - 1 where account_id = $1', [accountId]);
  // In the order of a dictionary public_skip_trace would come between the others.
  for (const endpoint of ['public_property_search', 'public_skip_trace', 'public_property_skip_trace'])
    for (const mode of ['mcp', 'direct'] as const) await charge(mode, endpoint, 5);
  const { records } = (await one.call(BREAKDOWN, { key })).json as {
    records: { date: string; endpoint: string; mode: string; tokens: number }[];
  };
  expect(records.map(({ endpoint, mode, tokens }) => `${endpoint} ${mode} ${tokens}`)).toEqual([
    'public_comps direct 1',
    'public_property_search direct 5',
    'public_property_search mcp 5',
    'public_property_skip_trace direct 5',
    'public_property_skip_trace mcp 5',
    'public_skip_trace direct 5',
    'public_skip_trace mcp 5',
  ]);
  expect(records[0]!.date < records[1]!.date).toBe(true);
  expect((await one.call(USAGE, { key })).json).toMatchObject([{ tokens_used: 31 }]);
});

test('a period that starts between two milliseconds has its records', async () => {
  const { key, accountId } = await newCaller(db);
  for (const table of ['accounts', 'usage_periods'])
    await db.pool.query(
      `update ${table} set period_start = date_trunc('second', period_start) + interval '123456 us'
       where ${table === 'accounts' ? 'id' : 'account_id'} = $1`,
      [accountId],
    );
  await two.call(STATS, { key });
  const records = [{ endpoint: 'public_market_stats', mode: 'direct', tokens: 10 }];
  expect((await one.call(BREAKDOWN, { key })).json).toMatchObject({ records });
  for (const period of ['current', new Date().toISOString().slice(0, 7)])
    expect(await readPeriod(db.pool, accountId, period)).toMatchObject({ tokens_used: 10, records });
});

test.each([
  [5, 500, 3],
  [10, 333, 3],
  [5, 100, 1],
  [9, 50, 0],
])('overage of %i tokens and more at %i cents for 1,000', async (tokensIncluded, price, cents) => {
  const { key } = await newCaller(db, {
    tokensIncluded,
    overageAllowed: true,
    paymentMethod: true,
    overageCentsPer1000: price,
  });
  const calls = cents === 0 ? 1 : 2;
  for (let call = 0; call < calls; call++) await one.call(STATS, { key });
  const used = calls * 10;
  const overage = used - tokensIncluded;
  expect((await one.call(USAGE, { key })).json).toMatchObject([
    {
      tokens_used: used,
      tokens_included: tokensIncluded,
      tokens_overage: overage,
      overage_amount_cents: Math.round((overage * price) / 1_000),
    },
  ]);
});

test('usage belongs to one account, and takes no parameters', async () => {
  const [mine, yours] = [await newCaller(db), await newCaller(db)];
  await one.call(STATS, { key: mine.key });
  expect((await one.call(USAGE, { key: yours.key })).json).toMatchObject([{ tokens_used: 0 }]);
  expect((await one.call(`${USAGE}?period=1`, { key: mine.key })).status).toBe(400);
  expect((await one.call(BREAKDOWN.slice(0, -1), { key: mine.key })).status).toBe(200);
});

test('a contract that ends between two calls ends the paid ones, and never charges by half', async () => {
  const { key, accountId } = await newCaller(db);
  await one.call(STATS, { key });
  await changeAccount(db.pool, accountId, { tier: null });
  // The process still believes in the contract: the charge decides.
  expect((await one.call(STATS, { key })).json).toMatchObject({ error: { code: 'tier_upgrade_required' } });
  expect((await one.call(USAGE, { key })).json).toEqual([NOTHING]);
});

test('metering keys need no escaping in JSON', () => {
  const keys = endpoints.flatMap(({ metering }) => (metering === null ? [] : [metering.key]));
  expect(keys.length).toBeGreaterThan(3);
  for (const key of keys) expect(key).toMatch(/^[a-z_]+$/);
});

test('the breakdown of a year of heavy use is a single index scan', async () => {
  const { key, accountId } = await newCaller(db);
  const day = 86_400_000;
  const periodStart = new Date(Date.now() - 364 * day);
  await changeAccount(db.pool, accountId, { periodStart, periodEnd: new Date(Date.now() + day) });
  // Everybody uses as much, so that the account's records are a part of the table.
  for (let other = 0; other < 5; other++) await newCaller(db);
  await db.pool.query(
    `insert into usage_daily (account_id, period_start, day, endpoint, mode, tokens, calls)
     select a.id, a.period_start, $1::date + d, 'public_' || e, m, 10, 1
     from accounts a, generate_series(0, 364) d, generate_series(1, 10) e, unnest('{direct,mcp}'::text[]) m
     where a.period_start is not null
     on conflict do nothing`,
    [periodStart],
  );
  await db.pool.query('vacuum analyze usage_daily');
  const { records, ...period } = (await one.call(BREAKDOWN, { key })).json as {
    period_start: string;
    records: { date: string; endpoint: string; mode: string }[];
  };
  expect(period.period_start).toBe(periodStart.toISOString());
  expect(records).toHaveLength(7_300);
  const names = records.map(({ date, endpoint, mode }) => `${date} ${endpoint} ${mode}`);
  expect(names).toEqual(names.toSorted());

  const client = await db.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query(
    `prepare breakdown (uuid) as ${statement('accounts/read_breakdown', { account_id: accountId }).text}`,
  );
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const nodes = await planOf(client, `execute breakdown ('${accountId}')`, mode);
    // An index scan, or a bitmap of it: whatever the planner takes for cheaper.
    expect(nodes.filter(node => node['Relation Name'] === 'usage_daily')).toMatchObject([
      {
        'Node Type': expect.stringMatching(/^(Index|Bitmap Heap) Scan$/),
        'Actual Loops': 1,
        'Actual Rows': 7_300,
      },
    ]);
    expect(nodes.filter(node => node['Index Name'] === 'usage_daily_pkey')).toMatchObject([
      { 'Index Cond': expect.stringMatching(/account_id = .*period_start = /), 'Actual Loops': 1 },
    ]);
  }
});

type PlanNode = { 'Relation Name'?: string; 'Index Name'?: string; Plans?: PlanNode[] };

/** The nodes of the plan by which the statement was run. */
async function planOf(client: pg.PoolClient, statement: string, planCacheMode: string): Promise<PlanNode[]> {
  await client.query(`set plan_cache_mode = ${planCacheMode}`);
  const { rows } = await client.query(`explain (analyze, format json) ${statement}`);
  const nodes: PlanNode[] = [];
  const collect = (node: PlanNode) => {
    nodes.push(node);
    node.Plans?.forEach(collect);
  };
  collect(rows[0]['QUERY PLAN'][0].Plan);
  return nodes;
}
