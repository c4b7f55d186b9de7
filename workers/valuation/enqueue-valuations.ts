import { type Queryable, sql } from '../../shared/platform/db.ts';
import { enqueueAll } from '../../shared/platform/queue/jobs.ts';
import { valueCountyJob } from './value-county-job.ts';

/**
 * Has the counties that are marked valued: while a county's job waits no other is added.
 * @returns the jobs' ids
 */
export async function enqueueValuations(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ fips: number }>(sql('valuation/list_marked_counties'));
  return enqueueAll(db, valueCountyJob, rows);
}
