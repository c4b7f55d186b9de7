import { PlatError } from '../../shared/errors.ts';
import { type JobContext, type JobResult, job } from '../registry.ts';
import { attributesChunk, attributesPlan, type PlanPayload } from './jobs.ts';
import { planAttributes } from './plan.ts';

async function plan(context: JobContext, payload: PlanPayload): Promise<JobResult> {
  const { pool, progress, signal } = context;
  const planned = await planAttributes(pool, payload, {
    signal,
    onCounty: async (done, total, jobs) => {
      progress(done / total, `${done} of ${total} counties`);
      await context.deliver(jobs);
    },
  });
  return { ...planned, rows: planned.parcels };
}

export const attributesJobs = [
  job(attributesPlan, plan),
  job(attributesChunk, async () => {
    throw new PlatError('unfinished', 'Chunks are not computed yet.', { retryable: true });
  }),
];
