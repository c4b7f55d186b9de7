import { type JobContext, type JobResult, job } from '../registry.ts';
import { runChunk } from './chunk.ts';
import { attributesChunk, attributesPlan, type ChunkPayload, type PlanPayload } from './jobs.ts';
import { LAND_KERNELS } from './kernels.ts';
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

async function chunk({ pool, progress, signal }: JobContext, payload: ChunkPayload): Promise<JobResult> {
  const { parcels, changed } = await runChunk(pool, payload, LAND_KERNELS, {
    signal,
    progress: share => progress(share, 'computing'),
  });
  return { rows: parcels, changed };
}

export const attributesJobs = [job(attributesPlan, plan), job(attributesChunk, chunk)];
