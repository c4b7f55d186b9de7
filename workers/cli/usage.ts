import { type Command, Option } from 'commander';
import { listPeriods, readPeriod } from '../../shared/usage.ts';
import { answer, csv, table } from './common/output.ts';
import { withSession } from './common/session.ts';

type UsageFlags = { account: string; period?: string; csv?: boolean; json?: boolean };

export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .usage('--account <account> [options]')
    .requiredOption('--account <account>', 'its name or id')
    .option(
      '--period <period>',
      'one period by day and endpoint: current, or when it begins in UTC: a month, day or moment (2026-01, 2026-01-31, "2026-01-31 10:00:00Z")',
    )
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .description('what an account used, period by period, for invoices')
    .addHelpText(
      'after',
      '\nExamples:\n  plat usage --account acme\n  plat usage --account acme --period 2026-01 --csv',
    )
    .action((flags: UsageFlags) =>
      withSession(async ({ pool }) => {
        if (flags.period === undefined) {
          const periods = await listPeriods(pool, flags.account);
          show(periods, periods, [
            ...(['period_start', 'period_end', 'tier', 'tokens_used', 'tokens_included'] as const),
            ...(['tokens_overage', 'overage_cents_per_1000', 'overage_amount_cents', 'current'] as const),
          ]);
        } else {
          const period = await readPeriod(pool, flags.account, flags.period);
          show(period, period.records, ['date', 'endpoint', 'mode', 'tokens', 'calls']);
        }

        function show<Row extends Record<string, unknown>>(
          document: unknown,
          rows: Row[],
          columns: (keyof Row & string)[],
        ): void {
          answer(flags.json, document, flags.csv ? csv(rows, columns) : table(rows, columns));
        }
      }),
    );
}
