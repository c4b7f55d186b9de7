import { InvalidArgumentError, type Command } from 'commander';
import { marketRecompute, type MarketScope } from '../market/jobs.ts';
import { enqueueFromCli } from './enqueue.ts';
import { EXIT } from './exit.ts';
import { print, printJson } from './output.ts';
import { withSession } from './session.ts';

type StatsFlags = { fips?: number; zip?: string; all?: boolean; asOf?: string; wait?: boolean; json?: boolean };

export function addRecomputeCommands(program: Command): void {
  const recompute = program.command('recompute').description('computes precomputed tables anew');

  recompute
    .command('stats')
    .option('--fips <fips>', 'of one county', parseFips)
    .option('--zip <zip>', 'of one ZIP', parseZip)
    .option('--all', 'of every county and ZIP')
    .option('--as-of <date>', 'as of this day (YYYY-MM-DD); default: today in UTC, or the day of a pinned feed', parseDay)
    .option('--wait', 'show progress and wait for the end')
    .option('--json', 'print JSON')
    .description('market statistics')
    .addHelpText('after', '\nExamples:\n  plat recompute stats --fips 33019 --wait\n  plat recompute stats --all --as-of 2025-09-28')
    .action((flags: StatsFlags, command: Command) =>
      withSession(async session => {
        const scope = scopeOf(flags, command);
        const payload = flags.asOf === undefined ? { scope } : { scope, asOf: flags.asOf };
        const state = await enqueueFromCli(session, marketRecompute, payload, 'statistics', flags);
        if (state === undefined) return;
        if (flags.json) printJson({ status: state.status, result: state.result, error: state.error });
        else print(state.status === 'done' ? `statistics: ${JSON.stringify(state.result)}` : `statistics: failed: ${state.error}`);
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

function parseFips(text: string): number {
  if (!/^\d{4,5}$/.test(text)) throw new InvalidArgumentError('A county FIPS has 5 digits, such as 33019.');
  return Number(text);
}

function parseZip(text: string): string {
  if (!/^\d{5}$/.test(text)) throw new InvalidArgumentError('A ZIP has 5 digits, such as 03280.');
  return text;
}

function parseDay(text: string): string {
  const day = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text)) {
    throw new InvalidArgumentError('A day is written YYYY-MM-DD, such as 2025-09-28.');
  }
  return text;
}
