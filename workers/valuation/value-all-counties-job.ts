import { z } from 'zod';
import { enqueue, RETRY } from '../../shared/platform/queue/jobs.ts';
import { recomputeMarketJob } from '../market/recompute-market-job.ts';
import { defineJob } from '../queue/job.ts';

/** Estimates the model from every county's sales, then enqueues a valuation job for each county. */
export const valueAllCountiesJob = defineJob({
  name: 'valuation.all',
  queue: 'valuation',
  payload: z.strictObject({ asOf: z.iso.date().optional() }),
  key: ({ asOf }) => asOf ?? 'today',
  ...RETRY,
  async run({ db, signal, progress, deliver }, { asOf }) {
    const { estimateCounties } = await import('./value-all.ts');
    const result = await estimateCounties(db, asOf, {
      signal,
      progress: share => progress(share, 'learning'),
    });
    // County statistics include the price indices, so recompute the counties that the estimates have marked.
    const statistics = await enqueue(db, recomputeMarketJob, { scope: { dirty: true } });
    await deliver([statistics.id, ...result.jobs]);
    return { ...result, rows: result.counties };
  },
});
