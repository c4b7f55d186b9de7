import { z } from 'zod';
import type { Db } from '../../shared/platform/db.ts';
import { countyCode, enqueue, RETRY } from '../../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { defineJob } from '../queue/job.ts';

/** Creates a county's record: how complete its data is, and how close its estimated values are to sales. */
export const recordCountyJob = defineJob({
  name: 'valuation.record',
  queue: 'valuation',
  payload: z.strictObject({ fips: countyCode }),
  key: ({ fips }) => fiveDigits(fips),
  ...RETRY,
  async run({ db, signal, progress }, { fips }) {
    const { recordCounty } = await import('./record-county.ts');
    const result = await recordCounty(db, fips, {
      signal,
      progress: share => progress(share, 'comparing with past sales'),
    });
    return { ...result, rows: result.sales };
  },
});

/**
 * Enqueues a job for a county's new record after a merged roll or many new sales, and otherwise once a week,
 * because a comparison with past sales takes as long as a large number of valuations.
 * @returns the jobs' ids
 */
export async function enqueueDueRecord(db: Db, fips: number): Promise<string[]> {
  const rowCount = await db.rowCount('feeds/is_record_due', { fips });
  return rowCount ? [(await enqueue(db, recordCountyJob, { fips })).id] : [];
}
