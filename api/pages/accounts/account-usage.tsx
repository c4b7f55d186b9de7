import type { AccountSummary } from '../../../shared/accounts/accounts.ts';
import { showAccount } from '../../../shared/accounts/contracts.ts';
import { addToGroup } from '../../../shared/kernels/groups.ts';
import { cents, count, day, isoDate, percent } from '../../../shared/model/figures.ts';
import {
  readUsage,
  readUsageBreakdown,
  type UsageRecord,
  type UsageTotals,
} from '../../v1/accounts/get-usage.ts';
import { Facts, Grid, Panel, Stat } from '../frame/layout.tsx';
import { accountOf, callEndpoint, type Visit } from '../frame/visit.ts';

export type Usage = { totals: UsageTotals; records: UsageRecord[]; terms: AccountSummary; direct: boolean };

/** Undefined without an active Pro subscription. */
export async function readAccountUsage(visit: Visit): Promise<Usage | undefined> {
  const current = await accountOf(visit);
  if (!current?.pro) return undefined;
  const [[totals], { records }, terms] = await Promise.all([
    callEndpoint<[UsageTotals]>(visit, readUsage),
    callEndpoint<{ records: UsageRecord[] }>(visit, readUsageBreakdown),
    showAccount(visit.deps.db, current.id),
  ]);
  return { totals, records, terms, direct: current.direct };
}

export function KeyUsage({ usage: { totals } }: { usage: Usage }) {
  if (totals.period_end === null) return null;
  const { tokens_used: used, tokens_included: included } = totals;
  return (
    <dl class="cards">
      <Stat
        card
        name="Tokens left"
        value={count(Math.max(0, included - used))}
        note={`of ${count(included)}`}
      />
      <Stat card name="Used" value={count(used)} note={included > 0 && percent((100 * used) / included)} />
      <Stat
        card
        name="Overage"
        value={count(totals.tokens_overage)}
        note={cents(totals.overage_amount_cents)}
      />
      <Stat card name="Counters reset" value={day(totals.period_end)} />
    </dl>
  );
}

const MODES = ['direct', 'mcp'] as const;
const MODE_NAMES = { direct: 'REST', mcp: 'MCP' };

/** Columns of tokens by day of the period, REST below MCP, and the tables they are drawn from. */
export function UsageByDay({ usage: { records, totals } }: { usage: Usage }) {
  if (records.length === 0)
    return (
      <Panel id="usage" title="Tokens by day">
        <p>No tokens have been used in this period. Reading in the app costs none.</p>
      </Panel>
    );
  const most = mostInADay(records);
  const isMixed = new Set(records.map(({ mode }) => mode)).size > 1;
  return (
    <Panel
      id="usage"
      title="Tokens by day"
      flush
      aside={
        <small>
          {isMixed && 'green REST, orange MCP · '}most in a day: {count(most)}
        </small>
      }
    >
      <Columns records={records} totals={totals} most={most} />
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
    </Panel>
  );
}

function Columns({ records, totals, most }: Pick<Usage, 'records' | 'totals'> & { most: number }) {
  const [first, last] = [totals.period_start!, totals.period_end!];
  const days = groupBy(records, ({ date }) => date);
  const start = Date.parse(isoDate(first));
  const span = Math.max(1, Math.round((Date.parse(isoDate(last)) - start) / DAY_MS));
  const width = 100 / span;
  return (
    <div>
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
        <span>{day(new Date(start + (span - 1) * DAY_MS))}</span>
      </div>
    </div>
  );
}

const mostInADay = (records: UsageRecord[]): number =>
  Math.max(...[...groupBy(records, ({ date }) => date).values()].map(sum));

function groupBy(records: UsageRecord[], keyOf: (record: UsageRecord) => string): Map<string, UsageRecord[]> {
  const groups = new Map<string, UsageRecord[]>();
  for (const record of records) addToGroup(groups, keyOf(record), record);
  return groups;
}

const DAY_MS = 86_400_000;
const sum = (records: UsageRecord[]): number => records.reduce((total, { tokens }) => total + tokens, 0);

/** public_parcel_filter as "Parcel filter". */
function nameOf(endpoint: string): string {
  const words = endpoint.replace(/^public_/, '').replaceAll('_', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
}

export function Terms({ usage: { terms, direct } }: { usage: Usage }) {
  if (terms.tier === null) return null;
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
    <Panel id="plan" title={`What tier ${terms.tier} includes`}>
      <Facts kind="filled" of={facts} />
    </Panel>
  );
}
