import { type Command, Option } from 'commander';
import { findAccount } from '../shared/accounts/accounts.ts';
import type { Mode, Tier } from '../shared/accounts/tiers.ts';
import type { Db } from '../shared/platform/db.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { csv } from '../shared/platform/to-csv.ts';
import { table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

type UsageFlags = { account?: string; period?: string; providers?: boolean; csv?: boolean };

export function addUsageCommand(program: Command): void {
  const usage = program
    .command('usage')
    .usage('--account <account> [options]')
    .option('--account <account>', 'name or id of the account')
    .addOption(
      new Option(
        '--providers',
        'show skip trace providers instead: calls, matches, and cost by month',
      ).conflicts(['account', 'period']),
    )
    .option(
      '--period <period>',
      'show one period by day and endpoint: current, or its start in UTC as a month, a day, or a time (2026-01, 2026-01-31, "2026-01-31 10:00:00Z")',
    )
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .description("show an account's usage by billing period")
    .addHelpText(
      'after',
      '\nExamples:\n  plat usage --account acme\n  plat usage --account acme --period 2026-01 --csv\n  plat usage --providers',
    );
  action(usage, async ({ db }, flags: UsageFlags) => {
    const shown = flags.csv ? csv : table;
    if (flags.providers) {
      const rows = await db.run<Record<string, unknown>>('contacts/list_provider_usage');
      return [rows, shown(rows, ['month', 'provider', 'calls', 'matches', 'failures', 'cents'])];
    }
    const { account } = flags;
    if (account === undefined) return usage.error('error: use --account or --providers');
    if (flags.period !== undefined) {
      const period = await readPeriod(db, account, flags.period);
      return [period, shown(period.records, ['date', 'endpoint', 'mode', 'tokens', 'calls'])];
    }
    const periods = await listPeriods(db, account);
    const columns =
      'period_start period_end tier tokens_used tokens_included tokens_overage overage_cents_per_1000 overage_amount_cents current';
    return [periods, shown(periods, columns.split(' '))];
  });
}

type PeriodUsage = {
  period_start: Date;
  period_end: Date;
  tier: Tier | null;
  tokens_used: number;
  tokens_included: number;
  tokens_overage: number;
  overage_cents_per_1000: number;
  overage_amount_cents: number;
  current: boolean;
};

type DayUsage = { date: string; endpoint: string; mode: Mode; tokens: number; calls: number };

/**
 * Every period of an account, newest first.
 * @param account its name or id
 * @throws PlatError `account_unknown`
 */
export async function listPeriods(db: Db, account: string): Promise<PeriodUsage[]> {
  const id = await findAccount(db, account);
  await db.run('accounts/roll_period', { account_ids: [id] });
  return db.run<PeriodUsage>('accounts/list_periods', { account_id: id });
}

/** A date or time in UTC. Each field must be complete, so that `2026-1` doesn't mean November. */
const PERIOD = /^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{3})?)?Z?)?)?$/i;

/**
 * One period, by UTC day, endpoint, and mode.
 * @param period `current`, or the month, day, or time at which the period starts: `2026-01`,
 * `2026-01-31`, `2026-01-31T10:00:00Z`, with or without seconds and milliseconds, and with a T or a space, as
 * lists show it.
 * @throws PlatError `account_unknown`, `period_unknown`.
 */
export async function readPeriod(
  db: Db,
  account: string,
  period: string,
): Promise<PeriodUsage & { records: DayUsage[] }> {
  const wanted = period.trim();
  if (wanted !== 'current' && !PERIOD.test(wanted))
    throw new PlatError(
      'period_unknown',
      `"${period}" is not a period. Enter current, its month (2026-01), its first day (2026-01-31), or its start ("2026-01-31 10:00:00Z").`,
    );
  const found = (await listPeriods(db, account)).filter(each =>
    wanted === 'current' ? each.current : startsWithin(each.period_start, wanted),
  );
  const [only] = found;
  if (only === undefined)
    throw new PlatError(
      'period_unknown',
      `${wanted === 'current' ? 'This account has no current period, because it has no contract' : `No period of this account starts in ${wanted}`}. To list all periods, omit --period.`,
    );
  if (found.length > 1)
    throw new PlatError(
      'period_unknown',
      `Several periods of this account start in ${wanted}. Enter the day or time of one: ${found.map(each => each.period_start.toISOString()).join(', ')}.`,
    );
  const id = await findAccount(db, account);
  const rows = await db.run<DayUsage>('accounts/list_days', { account_id: id, start: only.period_start });
  return { ...only, records: rows };
}

function startsWithin(start: Date, wanted: string): boolean {
  const text = wanted.toUpperCase().replace(' ', 'T');
  const whole = start.toISOString();
  return whole.startsWith(text) || whole.replace(/\.\d+Z$/, 'Z') === text;
}
