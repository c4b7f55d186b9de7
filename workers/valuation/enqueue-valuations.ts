import type { Db } from '../../shared/platform/db.ts';
import { enqueueAll } from '../../shared/platform/queue/jobs.ts';
import { valueCountyJob } from './value-county-job.ts';

/**
 * Has the counties that are marked valued: while a county's job waits no other is added.
 * @returns the jobs' ids
 */
export async function enqueueValuations(db: Db): Promise<string[]> {
  const rows = await db.run<{ fips: number }>('valuation/list_marked_counties');
  return enqueueAll(db, valueCountyJob, rows);
}
