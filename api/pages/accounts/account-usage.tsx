import type { AccountSummary } from '../../../shared/accounts/accounts.ts';
import { listTiers, showAccount } from '../../../shared/accounts/contracts.ts';
import { groupBy } from '../../../shared/kernels/groups.ts';
import { cents, count, day, isoDate, percent } from '../../../shared/model/figures.ts';
import {
  readUsage,
  readUsageBreakdown,
  type UsageRecord,
  type UsageTotals,
} from '../../v1/accounts/get-usage.ts';
import { Grid, Panel, Stat } from '../frame/layout.tsx';
import { accountOf, callEndpoint, type Visit } from '../frame/visit.ts';

export type Usage = {
  totals: UsageTotals;
  records: UsageRecord[];
  terms: AccountSummary;
  direct: boolean;
  /** The tier's price per period. Null if the operator doesn't show one. */
  priceCents: number | null;
};

/** Undefined if there is no active Pro subscription. */
export async function readAccountUsage(visit: Visit): Promise<Usage | undefined> {
  const current = await accountOf(visit);
  if (!current?.pro) return undefined;
  const [[totals], { records }, terms, tiers] = await Promise.all([
    callEndpoint<[UsageTotals]>(visit, readUsage),
    callEndpoint<{ records: UsageRecord[] }>(visit, readUsageBreakdown),
    showAccount(visit.deps.db, current.id),
    listTiers(visit.deps.db),
  ]);
  const priceCents = tiers.find(({ name }) => name === terms.tier)?.price_cents ?? null;
  return { totals, records, terms, direct: current.direct, priceCents };
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
      <Stat card name="Renews" value={day(totals.period_end)} />
    </dl>
  );
}

const MODES = ['direct', 'mcp'] as const;
const MODE_NAMES = { direct: 'REST', mcp: 'MCP' };

/** A column chart of tokens by day, with REST below MCP, and the tables that it is drawn from. */
export function UsageByDay({ usage: { records, totals } }: { usage: Usage }) {
  if (records.length === 0)
    return (
      <Panel id="usage" title="Tokens by day">
        <p>No tokens used in this period. Browsing in the app is free.</p>
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
          {isMixed && 'green: REST, orange: MCP · '}busiest day: {count(most)}
        </small>
      }
    >
      <Columns records={records} totals={totals} most={most} />
      <Grid
        name="Usage by endpoint"
        heads={['Endpoint', 'Via', 'Tokens', 'Share']}
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
        <summary>Usage by day</summary>
        <Grid
          name="Usage by day"
          heads={['Day', 'Endpoint', 'Via', 'Tokens']}
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
        aria-label="Tokens by day. The tables below list the numbers."
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
                <title>{`${date}: ${count(tokens)} tokens via ${MODE_NAMES[mode]}`}</title>
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

const DAY_MS = 86_400_000;
const sum = (records: UsageRecord[]): number => records.reduce((total, { tokens }) => total + tokens, 0);

/** Turns `public_parcel_filter` into "Parcel filter". */
const nameOf = (endpoint: string): string =>
  capitalized(endpoint.replace(/^public_/, '').replaceAll('_', ' '));

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
