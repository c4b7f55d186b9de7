import { enqueueCounty } from '../deals/deal-jobs.ts';
import { job } from '../queue/job-registry.ts';
import { valuationAll, valuationCounty } from './valuation-jobs.ts';
import { learnAll } from './value-all.ts';
import { valueCounty } from './value-county.ts';

export const valuationJobs = [
  job(valuationAll, async ({ pool, signal, progress, deliver }, { asOf }) => {
    const result = await learnAll(pool, asOf, { signal, progress: share => progress(share, 'learning') });
    await deliver(result.jobs);
    return { ...result, rows: result.counties };
  }),
  job(valuationCounty, async ({ pool, signal, progress, deliver }, payload) => {
    const result = await valueCounty(pool, payload, {
      signal,
      progress: share => progress(share, 'valuing'),
    });
    // What is advised depends on what the lots are worth. Killed before this, the daily run does it.
    await deliver(await enqueueCounty(pool, payload.fips));
    return { ...result, rows: result.parcels };
  }),
];
