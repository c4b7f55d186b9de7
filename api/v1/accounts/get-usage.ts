import { z } from 'zod';
import { isoDay } from '../../../shared/kernels/stats/calendar.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';

const PATH = '/api/public/v1/usage/';

const tokens = z.int().min(0);
const moment = z.iso.datetime().nullable();

const totals = z
  .object({
    tier: z.string().nullable().describe('API tier. Null without an API contract.'),
    tokens_used: tokens.describe('Tokens used in the period: the sum of `X-Tokens-Used` over all calls.'),
    tokens_included: tokens.describe('Tokens included in the period.'),
    tokens_overage: tokens.describe('Tokens used beyond the included ones.'),
    overage_amount_cents: tokens.describe(
      "Price of the overage in US cents, at the contract's price per 1,000 tokens. Half a cent is rounded up.",
    ),
    period_start: moment.describe('Start of the billing period. Null without an API contract.'),
    period_end: moment.describe(
      'End of the billing period, when the counters reset. Null without an API contract.',
    ),
  })
  .meta({ id: 'UsageTotals' });

export type UsageTotals = z.output<typeof totals>;

const record = z
  .object({
    date: z.iso.date().describe('Date in UTC.'),
    endpoint: z.string().describe('Metering key of the endpoint.'),
    mode: z.enum(['direct', 'mcp']).describe('`direct` is the REST API, and `mcp` is the MCP server.'),
    tokens: tokens.describe('Tokens used.'),
  })
  .meta({ id: 'UsageRecord' });

const breakdown = z
  .object({
    period_start: moment.describe('Start of the billing period. Null without an API contract.'),
    period_end: moment.describe('End of the billing period. Null without an API contract.'),
    records: z.array(record).describe('Usage, sorted by date, endpoint, and mode.'),
  })
  .meta({ id: 'UsageBreakdown' });

export type UsageRecord = z.output<typeof record>;

const common = { tag: 'Usage', withoutContract: true } as const;

const NO_USAGE: UsageTotals = {
  tier: null,
  tokens_used: 0,
  tokens_included: 0,
  tokens_overage: 0,
  overage_amount_cents: 0,
  period_start: null,
  period_end: null,
};
const PERIOD = { period_start: '2026-11-01T00:00:00.000Z', period_end: '2026-12-01T00:00:00.000Z' };

export const readUsage = defineEndpoint({
  ...common,
  path: PATH,
  operationId: 'get_usage',
  summary: 'Get usage for the billing period',
  description:
    "Returns the tokens that the account's keys have used in the billing period.\n\nThe totals are exact at the time of the call. Works without an API contract, too. As with every endpoint, the call is refused if the invoice is unpaid or the tier does not include the REST API.",
  response: {
    description: 'An array with one object.',
    schema: z.array(totals).length(1),
    examples: {
      contract: {
        summary: 'With overage',
        value: [
          {
            tier: 'growth',
            tokens_used: 51_250,
            tokens_included: 50_000,
            tokens_overage: 1_250,
            overage_amount_cents: 500,
            ...PERIOD,
          },
        ],
      },
      none: { summary: 'Without a contract', value: [NO_USAGE] },
    },
  },
  handle: async (_input, { db }, { account }) => {
    const { over: _over, ...row } = await readCurrent<Totals>(db, 'accounts/read_totals', account.id);
    return { body: [row], tokens: 0 };
  },
});

export const readUsageBreakdown = defineEndpoint({
  ...common,
  path: `${PATH}breakdown/`,
  operationId: 'get_usage_breakdown',
  summary: 'Get usage by day, endpoint, and mode',
  description:
    'Returns usage by day, endpoint, and mode. The records add up to `tokens_used` in `GET usage/`. The list is not paged.',
  response: {
    description: 'The period and its records. There are no records before the first paid call.',
    schema: breakdown,
    example: {
      summary: 'Two endpoints on one day',
      value: {
        ...PERIOD,
        records: [
          { date: '2026-11-20', endpoint: 'public_market_stats', mode: 'direct', tokens: 40 },
          { date: '2026-11-20', endpoint: 'public_parcel_filter', mode: 'direct', tokens: 30 },
        ],
      },
    },
  },
  handle: async (_input, { db }, { account }) => {
    const { period_start, period_end, ...columns } = await readCurrent<Breakdown>(
      db,
      'accounts/read_breakdown',
      account.id,
    );
    const head = JSON.stringify({ period_start, period_end }).slice(0, -1);
    return { body: Buffer.from(`${head},"records":[${recordsOf(columns)}]}`), tokens: 0 };
  },
});

type Current = { period_start: Date | null; period_end: Date | null; over: boolean };
type Totals = Omit<z.output<typeof totals>, keyof Current> & Current;
/** Columns of the records, as returned by accounts/read_breakdown. Null if there are no records. */
type Columns = Record<'days' | 'endpoints' | 'tokens', string | null>;
type Breakdown = Current & Columns;

/**
 * The records as JSON, separated by commas. Metering keys and modes contain only lowercase letters and
 * underscores, so nothing needs escaping.
 */
function recordsOf(columns: Columns): string {
  const days = valuesOf(columns.days);
  const endpoints = valuesOf(columns.endpoints);
  const tokens = valuesOf(columns.tokens);
  let records = '';
  let head = '';
  for (let n = 0; n < days.length; n++) {
    if (n === 0 || days[n] !== days[n - 1]) head = `{"date":"${isoDay(Number(days[n]))}","endpoint":"`;
    records += `${n > 0 ? ',' : ''}${head}${endpoints[n]}","tokens":${tokens[n]}}`;
  }
  return records;
}

const valuesOf = (column: string | null): string[] => column?.split(' ') ?? [];

/** The first request after a period's end rolls it over. */
async function readCurrent<Row extends Current>(
  db: Db,
  name: 'accounts/read_totals' | 'accounts/read_breakdown',
  accountId: string,
): Promise<Row> {
  const [row] = await db.run<Row>(name, { account_id: accountId });
  if (!row!.over) return row!;
  await db.run('accounts/roll_period', { account_ids: [accountId] });
  const [rolled] = await db.run<Row>(name, { account_id: accountId });
  return rolled!;
}
