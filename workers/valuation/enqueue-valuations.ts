import type { Db } from '../../shared/platform/db.ts';
import { enqueueAll } from '../../shared/platform/queue/jobs.ts';
import { valueCountyJob } from './value-county-job.ts';

/**
 * Enqueues a valuation for each marked county that doesn't already have a waiting job.
 * @returns the jobs' ids
 */
export async function enqueueValuations(db: Db): Promise<string[]> {
  const rows = await db.run<{ fips: number }>('valuation/list_marked_counties');
  return enqueueAll(db, valueCountyJob, rows);
}
