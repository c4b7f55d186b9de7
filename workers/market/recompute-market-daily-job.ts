import { z } from 'zod';
import { RETRY } from '../../shared/platform/queue/jobs.ts';
import { defineJob } from '../queue/job.ts';
import { recomputeMarketJob } from './recompute-market-job.ts';

/** Recomputes all statistics once their windows have moved by a day. */
export const recomputeMarketDailyJob = defineJob({
  name: 'market.daily',
  queue: 'market',
  payload: z.strictObject({}),
  key: () => 'daily',
  ...RETRY,
  run: context => recomputeMarketJob.run(context, { scope: { all: true } }),
});
