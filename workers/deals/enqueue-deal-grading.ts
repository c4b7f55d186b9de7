import type { Db } from '../../shared/platform/db.ts';
import { enqueueAll } from '../../shared/platform/queue/jobs.ts';
import { gradeDealsJob } from './grade-deals-job.ts';

/**
 * Enqueues grading for the counties that a merge has changed and that have deals, in the merge's transaction.
 * @returns the jobs' ids
 */
export async function enqueueDealGrading(db: Db): Promise<string[]> {
  const rows = await db.run<{ fips: number }>('deals/list_marked_counties');
  return enqueueAll(db, gradeDealsJob, rows);
}

/** Enqueues grading for counties with deals whose grade can change. @returns the jobs' ids */
export async function enqueueCountyDealGrading(db: Db, fips: number): Promise<string[]> {
  const rows = await db.run<{ fips: number }>('deals/list_counties', { fips });
  return enqueueAll(db, gradeDealsJob, rows);
}
