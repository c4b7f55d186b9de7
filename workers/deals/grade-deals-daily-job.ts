import { z } from 'zod';
import { dealFetch } from '../../shared/deals/deal-board.ts';
import { enqueueAll, RETRY } from '../../shared/platform/queue/jobs.ts';
import { defineJob } from '../queue/job.ts';
import { gradeDealsJob } from './grade-deals-job.ts';

/** Enqueues the daily grading of every deal that is listed or was never found. */
export const gradeDealsDailyJob = defineJob({
  name: 'deal.daily',
  queue: 'deals',
  payload: z.strictObject({}),
  key: () => 'daily',
  ...RETRY,
  async run({ db, deliver }) {
    const counties = await db.run<{ fips: number }>('deals/list_counties', { fips: null });
    const strays = await db.run<{ deal: string }>('deals/list_strays');
    const grading = await enqueueAll(db, gradeDealsJob, counties);
    const jobs = [...grading, ...(await enqueueAll(db, dealFetch, strays))];
    await deliver(jobs);
    return { rows: jobs.length, jobs: jobs.length };
  },
});
