import { PlatError } from '../../shared/base/errors.ts';
import { type JobContext, type JobResult, job } from '../queue/job-registry.ts';
import { type MarketScope, marketDaily, marketRecompute } from './market-jobs.ts';
import { recomputeStats } from './recompute-stats.ts';

/** @throws PlatError `market_stats` when a region failed, after all the others were written. */
async function run(
  { pool, log, progress, signal }: Pick<JobContext, 'pool' | 'log' | 'progress' | 'signal'>,
  scope: MarketScope,
  asOf?: string,
): Promise<JobResult> {
  const { failed, ...counts } = await recomputeStats(pool, scope, {
    asOf,
    signal,
    progress: (done, total) => progress(done / Math.max(1, total), `${done} of ${total} regions`),
  });
  if (counts.unknown > 0)
    log.warn({ unknown: counts.unknown }, 'listings or marks name regions that do not exist');
  if (failed.length > 0) {
    log.error({ failed }, 'statistics of some regions were not computed');
    const [first] = failed;
    throw new PlatError(
      'market_stats',
      `${failed.length} of ${counts.regions} regions keep their old statistics; first ${first?.type} ${first?.code}: ${first?.message}`,
      { retryable: true },
    );
  }
  return { ...counts, rows: counts.regions };
}

export const marketJobs = [
  job(marketRecompute, (context, { scope, asOf }) => run(context, scope, asOf)),
  job(marketDaily, context => run(context, { all: true })),
];
