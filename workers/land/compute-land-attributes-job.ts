import { z } from 'zod';
import { countyCode, RETRY } from '../../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { defineJob } from '../queue/job.ts';

export const computeLandAttributesJob = defineJob({
  name: 'attributes.chunk',
  queue: 'attributes',
  payload: z.strictObject({ fips: countyCode, chunk: z.number().int().positive() }),
  key: ({ fips, chunk }) => `${fiveDigits(fips)}:${chunk}`,
  ...RETRY,
  async run({ db, log, progress, signal, deliver }, chunk) {
    const [{ LAND_KERNELS }, { computeLandChunk }] = await Promise.all([
      import('../../shared/land/compute-land.ts'),
      import('./compute-land-chunk.ts'),
    ]);
    const { parcels, changed, jobs, warnings } = await computeLandChunk(db, chunk, LAND_KERNELS, {
      signal,
      progress: share => progress(share, 'computing'),
    });
    await deliver(jobs);
    for (const warning of warnings) log.warn({ fips: chunk.fips }, warning);
    return { rows: parcels, changed, ...(warnings.length > 0 && { warnings }) };
  },
});
