import type { AccountSummary } from '../../../shared/accounts/accounts.ts';
import { showAccount } from '../../../shared/accounts/contracts.ts';
import { cents, count, day, isoDate, percent } from '../../../shared/domain/figures.ts';
import { addToGroup } from '../../../shared/kernels/groups.ts';
import {
  readUsage,
  readUsageBreakdown,
  type UsageRecord,
  type UsageTotals,
} from '../../v1/accounts/get-usage.ts';
import { Facts, Grid, Notice } from '../frame/layout.tsx';
import { accountOf, callEndpoint, type Visit } from '../frame/visit.ts';

/** What the account has used of its period, and what that costs. */
export async function usageSection(visit: Visit) {
  const account = visit.session!.account!;
  const current = await accountOf(visit);
  if (!current?.pro)
    return (
      <section>
        <h2>{account.name}</h2>
        <Notice kind="bad">
          The account has no active Pro subscription: the app and the API are closed to it.
        </Notice>
      </section>
    );
  const [[totals], { records }, terms] = await Promise.all([
    callEndpoint<[UsageTotals]>(visit, readUsage),
    callEndpoint<{ records: UsageRecord[] }>(visit, readUsageBreakdown),
    showAccount(visit.deps.pool, account.id),
  ]);
  const left = Math.max(0, totals.tokens_included - totals.tokens_used);
  return (
    <section>
      <h2>
        {account.name}: {totals.tier === null ? 'no API contract' : `tier ${totals.tier}`}
      </h2>
      {totals.period_end !== null && (
        <Facts
          kind="key"
          of={[
            ['Used', count(totals.tokens_used)],
            [`Left of ${count(totals.tokens_included)}`, count(left)],
            [
              'Overage',
              <>
                {count(totals.tokens_overage)} <small>{cents(totals.overage_amount_cents)}</small>
              </>,
            ],
            ['Counters reset', day(totals.period_end)],
          ]}
        />
      )}
      {records.length > 0 ? (
        <UsageByDay records={records} first={totals.period_start!} last={totals.period_end!} />
      ) : (
        <p>No tokens have been used in this period. Reading in the app costs none.</p>
      )}
      {terms.tier !== null && <Terms terms={terms} direct={current.direct} />}
    </section>
  );
}

const MODES = ['direct', 'mcp'] as const;
const MODE_NAMES = { direct: 'REST', mcp: 'MCP' };

/** Columns of tokens by day of the period, REST below MCP, and the tables they are drawn from. */
function UsageByDay({ records, first, last }: { records: UsageRecord[]; first: string; last: string }) {
  const days = groupBy(records, ({ date }) => date);
  const start = Date.parse(isoDate(first));
  const span = Math.max(1, Math.round((Date.parse(isoDate(last)) - start) / DAY_MS));
  const most = Math.max(...[...days.values()].map(sum));
  const width = 100 / span;
  return (
    <>
      <svg
        class="columns"
        viewBox="0 0 100 24"
        preserveAspectRatio="none"
        role="img"
        aria-label="Tokens by day; the tables below have the figures"
      >
        {[...days].map(([date, all]) => {
          const at = Math.round((Date.parse(date) - start) / DAY_MS) * width;
          let top = 24;
          return MODES.map(mode => {
            const tokens = sum(all.filter(record => record.mode === mode));
            const height = (23 * tokens) / most;
            top -= height;
            return (
              <rect x={at + width * 0.1} y={top} width={width * 0.8} height={height} class={mode}>
                <title>{`${date}: ${count(tokens)} tokens by ${MODE_NAMES[mode]}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <div class="axis" aria-hidden="true">
        <span>{day(first)}</span>
        <span>most in a day: {count(most)}</span>
        <span>{day(new Date(start + (span - 1) * DAY_MS))}</span>
      </div>
      <Grid
        name="Usage by endpoint"
        heads={['Endpoint', 'By', 'Tokens', 'Share']}
        rows={[...groupBy(records, ({ endpoint, mode }) => `${endpoint} ${mode}`).values()]
          .map(all => ({ ...all[0]!, tokens: sum(all) }))
          .sort((a, b) => b.tokens - a.tokens)
          .map(({ endpoint, mode, tokens }) => [
            nameOf(endpoint),
            MODE_NAMES[mode],
            count(tokens),
            percent((100 * tokens) / sum(records)),
          ])}
      />
      <details>
        <summary>By day, endpoint and mode</summary>
        <Grid
          name="Usage by day"
          heads={['Day', 'Endpoint', 'By', 'Tokens']}
          rows={records.map(({ date, endpoint, mode, tokens }) => [
            date,
            nameOf(endpoint),
            MODE_NAMES[mode],
            count(tokens),
          ])}
        />
      </details>
    </>
  );
}

function groupBy(records: UsageRecord[], keyOf: (record: UsageRecord) => string): Map<string, UsageRecord[]> {
  const groups = new Map<string, UsageRecord[]>();
  for (const record of records) addToGroup(groups, keyOf(record), record);
  return groups;
}

const DAY_MS = 86_400_000;
const sum = (records: UsageRecord[]): number => records.reduce((total, { tokens }) => total + tokens, 0);

/** public_parcel_filter as "parcel filter". */
const nameOf = (endpoint: string): string => endpoint.replace(/^public_/, '').replaceAll('_', ' ');

/** What the contract includes, and what comes when that is used up. */
function Terms({ terms, direct }: { terms: AccountSummary; direct: boolean }) {
  const ceiling =
    terms.backstop_tokens === null
      ? ''
      : `, at most ${count(terms.backstop_tokens)} tokens of it in a period`;
  const facts: [string, string][] = [
    ['Tokens in a period', count(terms.tokens_included)],
    ['Permissions', direct ? 'REST API and MCP' : 'MCP; the REST API needs a higher tier'],
    [
      'When tokens run out',
      terms.overage_allowed
        ? `${cents(terms.overage_cents_per_1000)} for 1,000 more${ceiling}`
        : 'calls are refused until the period ends: overage is switched off',
    ],
    ['Payment method', terms.payment_method ? 'on file' : 'none on file'],
    ['Invoice', terms.invoice_paid ? 'paid' : 'unpaid: calls are refused'],
    ['Calls a minute', `${count(terms.rate_per_minute)}, bursts of ${count(terms.rate_burst)}`],
    ['Skip traces a minute', count(terms.skip_trace_per_minute)],
    ['This web app', 'reading is free; phone numbers cost what they do over the API'],
  ];
  return (
    <>
      <h3>What tier {terms.tier} includes</h3>
      <Facts of={facts} />
    </>
  );
}
