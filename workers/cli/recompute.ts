import type { Command } from 'commander';
import { type MarketScope, marketRecompute } from '../market/jobs.ts';
import { enqueueFromCli } from './common/enqueue.ts';
import { EXIT } from './common/exit.ts';
import { dayBegun, fips, requireRegion, zip } from './common/options.ts';
import { print, printJson } from './common/output.ts';
import { withSession } from './common/session.ts';
import { addRecomputeAttributes } from './recompute-attributes.ts';
import { addRecomputeValuations } from './recompute-valuations.ts';

type StatsFlags = {
  fips?: number;
  zip?: string;
  all?: boolean;
  asOf?: string;
  wait?: boolean;
  json?: boolean;
};

export function addRecomputeCommands(program: Command): void {
  const recompute = program.command('recompute').description('computes precomputed tables anew');
  addRecomputeAttributes(recompute);
  addRecomputeValuations(recompute);

  recompute
    .command('stats')
    .option('--fips <fips>', 'of one county and its ZIPs', fips)
    .option('--zip <zip>', 'of one ZIP', zip)
    .option('--all', 'of every county and ZIP')
    .option(
      '--as-of <date>',
      'as of this day (YYYY-MM-DD); default: today in UTC, or the day of a pinned feed',
      dayBegun,
    )
    .option('--wait', 'show progress and wait for the end')
    .option('--json', 'print JSON')
    .description('market statistics')
    .addHelpText(
      'after',
      '\nExamples:\n  plat recompute stats --fips 33019 --wait\n  plat recompute stats --all --as-of 2025-09-28',
    )
    .action((flags: StatsFlags, command: Command) =>
      withSession(async session => {
        const scope = scopeOf(flags, command);
        await requireRegion(session.pool, scope);
        const payload = flags.asOf === undefined ? { scope } : { scope, asOf: flags.asOf };
        const state = await enqueueFromCli(session, marketRecompute, payload, 'statistics', flags);
        if (state === undefined) return;
        if (flags.json) printJson({ status: state.status, result: state.result, error: state.error });
        else
          print(
            state.status === 'done'
              ? `statistics: ${JSON.stringify(state.result)}`
              : `statistics: failed: ${state.error}`,
          );
        if (state.status === 'failed') process.exitCode = EXIT.failed;
      }),
    );
}

function scopeOf({ fips, zip, all }: StatsFlags, command: Command): MarketScope {
  const given = [fips !== undefined, zip !== undefined, all === true].filter(Boolean).length;
  if (given !== 1) command.error('error: name one of --fips, --zip and --all', { exitCode: EXIT.usage });
  if (fips !== undefined) return { fips };
  return zip === undefined ? { all: true } : { zip };
}
