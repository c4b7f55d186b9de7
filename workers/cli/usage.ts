import { type Command, Option } from 'commander';
import { listPeriods, readPeriod } from '../../shared/usage.ts';
import { csv, table } from './common/output.ts';
import { answering } from './common/session.ts';

type UsageFlags = { account: string; period?: string; csv?: boolean };

export function addUsageCommand(program: Command): void {
  const usage = program
    .command('usage')
    .usage('--account <account> [options]')
    .requiredOption('--account <account>', 'its name or id')
    .option(
      '--period <period>',
      'one period by day and endpoint: current, or when it begins in UTC: a month, day or moment (2026-01, 2026-01-31, "2026-01-31 10:00:00Z")',
    )
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .description('what an account used, period by period, for invoices')
    .addHelpText(
      'after',
      '\nExamples:\n  plat usage --account acme\n  plat usage --account acme --period 2026-01 --csv',
    );
  answering(usage, async ({ pool }, flags: UsageFlags) => {
    const shown = flags.csv ? csv : table;
    if (flags.period !== undefined) {
      const period = await readPeriod(pool, flags.account, flags.period);
      return [period, shown(period.records, ['date', 'endpoint', 'mode', 'tokens', 'calls'])];
    }
    const periods = await listPeriods(pool, flags.account);
    const columns = [
      ...(['period_start', 'period_end', 'tier', 'tokens_used', 'tokens_included'] as const),
      ...(['tokens_overage', 'overage_cents_per_1000', 'overage_amount_cents', 'current'] as const),
    ];
    return [periods, shown(periods, columns)];
  });
}
