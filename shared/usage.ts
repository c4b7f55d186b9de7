import { findAccount } from './accounts.ts';
import { type Pool, sql } from './db.ts';
import type { Mode, Tier } from './domain/tiers.ts';
import { PlatError } from './errors.ts';

export type PeriodUsage = {
  period_start: Date;
  period_end: Date;
  tier: Tier | null;
  tokens_used: number;
  tokens_included: number;
  tokens_overage: number;
  overage_cents_per_1000: number;
  overage_amount_cents: number;
  /** Whether it runs still. */
  current: boolean;
};

export type DayUsage = { date: string; endpoint: string; mode: Mode; tokens: number; calls: number };

/**
 * Every period of an account, the newest first, for invoices.
 * @param account name or id.
 * @throws PlatError `account_unknown`.
 */
export async function listPeriods(pool: Pool, account: string): Promise<PeriodUsage[]> {
  const id = await findAccount(pool, account);
  await pool.query(sql('accounts/roll_period'), [[id]]);
  return (await pool.query<PeriodUsage>(sql('usage/list_periods'), [id])).rows;
}

/** Whole fields of a moment in UTC, none of them cut: `2026-1` must not mean November. */
const PERIOD = /^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{3})?)?Z?)?)?$/i;

/** As many starts as a message can name. */
const MOST_NAMED = 5;

/**
 * One period by UTC day, endpoint and mode.
 * @param period `current`, or the month, the day or the moment at which the period starts: `2026-01`, `2026-01-31`,
 * `2026-01-31T10:00:00Z`, with seconds and milliseconds or without, with a T or a blank, as lists show it.
 * @throws PlatError `account_unknown`, `period_unknown`.
 */
export async function readPeriod(
  pool: Pool,
  account: string,
  period: string,
): Promise<PeriodUsage & { records: DayUsage[] }> {
  const wanted = period.trim();
  if (wanted !== 'current' && !PERIOD.test(wanted))
    throw new PlatError(
      'period_unknown',
      `"${period}" is no period: write current, its month (2026-01), its first day (2026-01-31) or its start ("2026-01-31 10:00:00Z").`,
    );
  const found = (await listPeriods(pool, account)).filter(each =>
    wanted === 'current' ? each.current : begins(each.period_start, wanted),
  );
  const [only] = found;
  if (only === undefined)
    throw new PlatError(
      'period_unknown',
      `No period of this account begins ${wanted === 'current' ? 'now: it has no contract' : `in ${wanted}`}. Without --period, all are listed.`,
    );
  if (found.length > 1)
    throw new PlatError(
      'period_unknown',
      `Several periods of this account begin in ${wanted}: name the day, or the moment if need be: ${startsOf(found)}.`,
    );
  const id = await findAccount(pool, account);
  const { rows } = await pool.query<DayUsage>(sql('usage/list_days'), [id, only.period_start]);
  return { ...only, records: rows };
}

function begins(start: Date, wanted: string): boolean {
  const text = wanted.toUpperCase().replace(' ', 'T');
  const whole = start.toISOString();
  return whole.startsWith(text) || whole.replace(/\.\d+Z$/, 'Z') === text;
}

function startsOf(periods: PeriodUsage[]): string {
  const starts = periods.map(({ period_start }) => period_start.toISOString());
  const more = starts.length > MOST_NAMED ? ` and ${starts.length - MOST_NAMED} more` : '';
  return `${starts.slice(0, MOST_NAMED).join(', ')}${more}`;
}
