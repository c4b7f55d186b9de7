import { z } from 'zod';
import { PlatError } from '../../shared/platform/errors.ts';
import { countyCode, RETRY } from '../../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { defineJob } from '../queue/job.ts';

/**
 * Recomputes the statistics of a county and its ZIPs, of one ZIP, of all regions, or of those that merges
 * have marked.
 */
const scope = z.union([
  z.strictObject({ fips: countyCode }),
  z.strictObject({ zip: z.string().regex(/^\d{5}$/) }),
  z.strictObject({ all: z.literal(true) }),
  z.strictObject({ dirty: z.literal(true) }),
]);

function scopeName(of: z.infer<typeof scope>): string {
  if ('fips' in of) return `county:${fiveDigits(of.fips)}`;
  if ('zip' in of) return `zip:${of.zip}`;
  return 'all' in of ? 'all' : 'dirty';
}

/** If some regions fail, writes all others and then fails with `market_stats`. */
export const recomputeMarketJob = defineJob({
  name: 'market.recompute',
  queue: 'market',
  payload: z.strictObject({ scope, asOf: z.iso.date().optional() }),
  key: ({ scope: of, asOf }) => (asOf === undefined ? scopeName(of) : `${scopeName(of)}@${asOf}`),
  ...RETRY,
  async run({ db, log, progress, signal }, { scope: of, asOf }) {
    const { recomputeStats } = await import('./recompute-stats.ts');
    const { failed, codes, ...counts } = await recomputeStats(db, of, {
      asOf,
      signal,
      progress: (done, total) => progress(done / Math.max(1, total), `${done} of ${total} regions`),
    });
    // For all regions, the daily job (restate-history-job.ts) updates the history, including what a killed
    // job left out of date.
    if (!('all' in of)) {
      const { restateHistory } = await import('./restate-history.ts');
      await restateHistory(db, { codes, signal });
    }
    if (counts.unknown > 0)
      log.warn({ unknown: counts.unknown }, 'listings or pending updates name regions that do not exist');
    if (failed.length > 0) {
      log.error({ failed }, 'could not compute the statistics of some regions');
      const [first] = failed;
      throw new PlatError(
        'market_stats',
        `${failed.length} of ${counts.regions} regions keep their old statistics. First failure: ${first?.type} ${first?.code}: ${first?.message}`,
        { retryable: true },
      );
    }
    return { ...counts, rows: counts.regions };
  },
});
