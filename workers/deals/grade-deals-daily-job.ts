import { z } from 'zod';
import { dealFetch } from '../../shared/deals/deal-board.ts';
import { sql, statement } from '../../shared/platform/db.ts';
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
  async run({ pool, deliver }) {
    const { rows: counties } = await pool.query<{ fips: number }>(
      statement('deals/list_counties', { fips: null }),
    );
    const { rows: strays } = await pool.query<{ deal: string }>(sql('deals/list_strays'));
    const grading = await enqueueAll(pool, gradeDealsJob, counties);
    const jobs = [...grading, ...(await enqueueAll(pool, dealFetch, strays))];
    await deliver(jobs);
    return { rows: jobs.length, jobs: jobs.length };
  },
});
