import { type Queryable, sql, statement } from '../../shared/base/db.ts';
import { enqueueAll } from '../../shared/queue/jobs.ts';
import { gradeDealsJob } from './grade-deals-job.ts';

/**
 * In the transaction of a merge: the counties that it has touched and that have deals. @returns the jobs' ids
 */
export async function enqueueDealGrading(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ fips: number }>(sql('deals/list_marked_counties'));
  return enqueueAll(db, gradeDealsJob, rows);
}

/** Where a county has deals that a grade can change. @returns the jobs' ids */
export async function enqueueCountyDealGrading(db: Queryable, fips: number): Promise<string[]> {
  const { rows } = await db.query<{ fips: number }>(statement('deals/list_counties', { fips }));
  return enqueueAll(db, gradeDealsJob, rows);
}
