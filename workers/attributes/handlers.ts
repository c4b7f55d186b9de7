import { LAND_KERNELS } from '../../shared/land/compute.ts';
import { type JobContext, type JobResult, job } from '../runner/registry.ts';
import { runChunk } from './chunk.ts';
import { attributesChunk, attributesPlan, type ChunkPayload, type PlanPayload } from './jobs.ts';
import { planAttributes } from './plan.ts';

async function plan(context: JobContext, payload: PlanPayload): Promise<JobResult> {
  const { pool, progress, signal } = context;
  const planned = await planAttributes(pool, payload, {
    signal,
    onJobs: async (jobs, share) => {
      progress(share, 'planning');
      await context.deliver(jobs);
    },
  });
  return { ...planned, rows: planned.parcels };
}

async function chunk(
  { pool, log, progress, signal, deliver }: JobContext,
  payload: ChunkPayload,
): Promise<JobResult> {
  const { parcels, changed, jobs, warnings } = await runChunk(pool, payload, LAND_KERNELS, {
    signal,
    progress: share => progress(share, 'computing'),
  });
  await deliver(jobs);
  for (const warning of warnings) log.warn({ fips: payload.fips }, warning);
  return { rows: parcels, changed, ...(warnings.length > 0 && { warnings }) };
}

export const attributesJobs = [job(attributesPlan, plan), job(attributesChunk, chunk)];
