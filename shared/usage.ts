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

/**
 * One period by UTC day, endpoint and mode.
 * @param period `current`, or how the start of the period begins: `2026-01`, `2026-01-31`, `2026-01-31T10:00:00Z`, with
 * milliseconds or without, with a T or a blank, as lists show it.
 * @throws PlatError `account_unknown`, `period_unknown`.
 */
export async function readPeriod(
  pool: Pool,
  account: string,
  period: string,
): Promise<PeriodUsage & { records: DayUsage[] }> {
  const found = (await listPeriods(pool, account)).filter(each =>
    period === 'current' ? each.current : begins(each.period_start, period),
  );
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new PlatError(
      'period_unknown',
      `${found.length === 0 ? 'No period of this account begins' : 'Several periods of this account begin'} with "${period}". Without --period, all are listed.`,
    );
  const id = await findAccount(pool, account);
  const { rows } = await pool.query<DayUsage>(sql('usage/list_days'), [id, only.period_start]);
  return { ...only, records: rows };
}

function begins(start: Date, text: string): boolean {
  const wanted = text.trim().toUpperCase().replace(' ', 'T');
  const whole = start.toISOString();
  return whole.startsWith(wanted) || whole.replace(/\.\d+Z$/, 'Z').startsWith(wanted);
}
