import { z } from 'zod';
import { LAYER_KINDS } from '../../shared/model/land-layers.ts';
import { countyCode, RETRY } from '../../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { defineJob } from '../queue/job.ts';

/**
 * All parcels of a county or of all counties (Plat marks them first), or only parcels that are already
 * marked.
 */
const scope = z.union([
  z.strictObject({ fips: countyCode }),
  z.strictObject({ all: z.literal(true) }),
  z.strictObject({ dirty: z.literal(true) }),
]);

/** Splits the marked parcels into chunks and enqueues a job for each. */
export const planLandAttributesJob = defineJob({
  name: 'attributes.plan',
  queue: 'attributes',
  /** `layers`: the kinds to recompute, for a county or all counties. Default: every kind. */
  payload: z.strictObject({ scope, layers: z.array(z.enum(LAYER_KINDS)).min(1).optional() }),
  key({ scope: of, layers }) {
    const name = 'fips' in of ? `county:${fiveDigits(of.fips)}` : 'all' in of ? 'all' : 'dirty';
    return layers === undefined ? name : `${name}:${[...new Set(layers)].sort().join('+')}`;
  },
  ...RETRY,
  async run({ db, progress, signal, deliver }, payload) {
    const { planAttributes } = await import('./plan-attributes.ts');
    const planned = await planAttributes(db, payload, {
      signal,
      onJobs: async (jobs, share) => {
        progress(share, 'planning');
        await deliver(jobs);
      },
    });
    return { ...planned, rows: planned.parcels };
  },
});
