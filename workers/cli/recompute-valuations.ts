import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Pool, sql } from '../../shared/db.ts';
import { type JobState, patiently } from '../../shared/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { defaultDay, type FitResult } from '../valuation/fit.ts';
import { VALUATION_DAILY, valuationFit } from '../valuation/jobs.ts';
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
    .description('what parcels are worth by the sales around them: fits the model anew, then values with it')
    .addHelpText(
      'after',
      '\nExamples:\n  plat recompute valuations --fips 33019 --wait\n  plat recompute valuations --all --as-of 2025-09-28',
    )
    .action((flags: Flags, command: Command) =>
      withSession(async session => {
        if ((flags.fips === undefined) === (flags.all !== true))
          command.error('error: name one of --fips and --all', { exitCode: EXIT.usage });
        await requireRegion(session.pool, { fips: flags.fips });
        const payload = {
          ...(flags.fips === undefined ? {} : { counties: [flags.fips] }),
          ...(flags.asOf === undefined ? {} : { asOf: flags.asOf }),
        };
        await tellOfDay(session.pool, flags);
        const fit = await enqueueFromCli(session, valuationFit, payload, 'valuation model', flags);
        if (fit === undefined) return;
        const end = await watchCounties(session.pool, fit);
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
    `What is served${whose} is then as of ${asOf}, until the next run without --as-of (daily at ${daily}, or when comps of a later day come).\n`,
  );
}

type End = {
  status: 'done' | 'failed';
  /** Sales that the model was fitted to, and those left out; parcels and counties that were valued, and could not be. */
  result: {
    asOf: string;
    sales: number;
    outliers: number;
    counties: number;
    failed: number;
    parcels: number;
    valued: number;
  } | null;
  error: string | null;
};

type Counties = {
  progress: number;
  open: number;
  failed: number;
  parcels: number;
  valued: number;
  error: string | null;
};

/** Shows how the counties are valued with a new model, until none of their jobs is open. */
async function watchCounties(pool: Pool, fit: JobState): Promise<End> {
  if (fit.status === 'failed') return { status: 'failed', result: null, error: fit.error };
  const { jobs, asOf, sales, outliers, counties } = fit.result as FitResult;
  const view = openProgress();
  try {
    for (;;) {
      const { rows } = await patiently(() => pool.query<Counties>(sql('valuation/watch_jobs'), [jobs]));
      const { progress, open, failed, parcels, valued, error } = rows[0]!;
      view.update('valuations', {
        ...fit,
        status: open > 0 ? 'running' : 'done',
        progress,
        note: `${jobs.length - open} of ${counties} counties`,
      });
      const result = { asOf, sales, outliers, counties, failed, parcels, valued };
      if (open === 0) return { status: failed > 0 ? 'failed' : 'done', result, error };
      await sleep(POLL_MS);
    }
  } finally {
    view.stop();
  }
}

function describe({ result, error }: End): string {
  if (result === null) return `valuations: failed: ${error}`;
  const { asOf, sales, outliers, counties, failed, parcels, valued } = result;
  const all = `valuations as of ${asOf}: ${valued} of ${parcels} parcels in ${counties} ${counties === 1 ? 'county' : 'counties'}, by ${sales} sales (${outliers} left out)`;
  return failed === 0 ? all : `${all}; ${failed} of ${counties} counties failed: ${error}`;
}
