import { z } from 'zod';
import { RETRY } from '../../shared/platform/queue/jobs.ts';
import { defineJob } from '../queue/job.ts';

/** Updates the history of all regions: months that have ended, and months with changed listings. */
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
