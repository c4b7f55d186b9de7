import { z } from 'zod';
import { RETRY } from '../../shared/platform/queue/jobs.ts';
import { defineJob } from '../queue/job.ts';

/** Brings the history of all regions to what is known now: a month that is over, what listings tell anew. */
export const restateHistoryJob = defineJob({
  name: 'market.history',
  queue: 'market',
  payload: z.strictObject({}),
  key: () => 'history',
  ...RETRY,
  async run({ db, progress, signal }) {
    const { restateHistory } = await import('./restate-history.ts');
    const result = await restateHistory(db, {
      signal,
      progress: (done, total) => progress(done / Math.max(1, total), `${done} of ${total} months`),
    });
    return { ...result, rows: result.months };
  },
});
