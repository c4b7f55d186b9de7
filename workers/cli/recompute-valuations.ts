import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Pool, sql } from '../../shared/db.ts';
import { type JobState, patiently } from '../../shared/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import type { Learned } from '../valuation/all.ts';
import { defaultDay, type ValuedCounty } from '../valuation/county.ts';
import { VALUATION_DAILY, valuationAll, valuationCounty } from '../valuation/jobs.ts';
import { enqueueFromCli, openProgress } from './common/enqueue.ts';
import { EXIT } from './common/exit.ts';
import { dayBegun, fips, requireRegion } from './common/options.ts';
import { print, printJson } from './common/output.ts';
import { withSession } from './common/session.ts';

type Flags = { fips?: number; all?: boolean; asOf?: string; wait?: boolean; json?: boolean };

const POLL_MS = 250;

export function addRecomputeValuations(recompute: Command): void {
  recompute
    .command('valuations')
    .option('--fips <fips>', 'of one county', fips)
    .option('--all', 'of every county')
    .option(
      '--as-of <date>',
      'as of this day (YYYY-MM-DD); default: today in UTC, or the day of the latest snapshot when all comps are of such',
      dayBegun,
    )
    .option('--wait', 'show progress and wait for the end')
    .option('--json', 'print JSON')
    .description('what parcels are worth by the sales around them: fits the market anew, then values with it')
    .addHelpText(
      'after',
      '\nExamples:\n  plat recompute valuations --fips 33019 --wait\n  plat recompute valuations --all --as-of 2025-09-28',
    )
    .action((flags: Flags, command: Command) =>
      withSession(async session => {
        if ((flags.fips === undefined) === (flags.all !== true))
          command.error('error: name one of --fips and --all', { exitCode: EXIT.usage });
        await requireRegion(session.pool, { fips: flags.fips });
        await tellOfDay(session.pool, flags);
        const asOf = flags.asOf === undefined ? {} : { asOf: flags.asOf };
        const state =
          flags.fips === undefined
            ? await enqueueFromCli(session, valuationAll, asOf, 'valuations', flags)
            : await enqueueFromCli(
                session,
                valuationCounty,
                { fips: flags.fips, ...asOf },
                'valuations',
                flags,
              );
        if (state === undefined) return;
        const end = flags.fips === undefined ? await watchCounties(session.pool, state) : endOf(state);
        if (flags.json) printJson(end);
        else print(describe(end));
        if (end.status === 'failed') process.exitCode = EXIT.failed;
      }),
    );
}

/** Says that another day than the default one does not last. */
async function tellOfDay(pool: Pool, { fips, asOf }: Flags): Promise<void> {
  if (asOf === undefined || asOf === (await defaultDay(pool))) return;
  const [minute, hour] = VALUATION_DAILY.cron.split(' ');
  const daily = `${hour!.padStart(2, '0')}:${minute!.padStart(2, '0')} ${VALUATION_DAILY.timeZone}`;
  const whose = fips === undefined ? '' : ` of county ${fiveDigits(fips)}`;
  process.stderr.write(
    `What is served${whose} is then as of ${asOf}, until the next run without --as-of (daily at ${daily}, or when its comps change).\n`,
  );
}

type End = {
  status: 'done' | 'failed';
  /** Counties that were to be valued and that could not be, and parcels. */
  result: { asOf: string; counties: number; failed: number; parcels: number; valued: number } | null;
  error: string | null;
};

function endOf({ status, result, error }: JobState): End {
  if (status === 'failed') return { status, result: null, error };
  const { asOf, parcels, valued } = result as ValuedCounty;
  return { status: 'done', result: { asOf, counties: 1, failed: 0, parcels, valued }, error: null };
}

type Counties = {
  progress: number;
  open: number;
  failed: number;
  parcels: number;
  valued: number;
  error: string | null;
};

/** Shows how the counties are valued, until none of their jobs is open. */
async function watchCounties(pool: Pool, all: JobState): Promise<End> {
  if (all.status === 'failed') return { status: 'failed', result: null, error: all.error };
  const { jobs, asOf, counties } = all.result as Learned;
  const view = openProgress();
  try {
    for (;;) {
      const { rows } = await patiently(() => pool.query<Counties>(sql('valuation/watch_jobs'), [jobs]));
      const { progress, open, failed, parcels, valued, error } = rows[0]!;
      view.update('valuations', {
        ...all,
        status: open > 0 ? 'running' : 'done',
        progress,
        note: `${jobs.length - open} of ${counties} counties`,
      });
      const result = { asOf, counties, failed, parcels, valued };
      if (open === 0) return { status: failed > 0 ? 'failed' : 'done', result, error };
      await sleep(POLL_MS);
    }
  } finally {
    view.stop();
  }
}

function describe({ result, error }: End): string {
  if (result === null) return `valuations: failed: ${error}`;
  const { asOf, counties, failed, parcels, valued } = result;
  const all = `valuations as of ${asOf}: ${valued} of ${parcels} parcels in ${counties} ${counties === 1 ? 'county' : 'counties'}`;
  return failed === 0 ? all : `${all}; ${failed} of ${counties} counties failed: ${error}`;
}
