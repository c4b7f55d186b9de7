import { job } from '../runner/registry.ts';
import { valueCounty } from './county.ts';
import { fitMarket } from './fit.ts';
import { valuationCounty, valuationFit } from './jobs.ts';

export const valuationJobs = [
  job(valuationFit, async ({ pool, deliver }, payload) => {
    const result = await fitMarket(pool, payload);
    await deliver(result.jobs);
    return { ...result, rows: result.sales };
  }),
  job(valuationCounty, async ({ pool, signal, progress }, { fips }) => {
    const result = await valueCounty(pool, fips, { signal, progress: share => progress(share, 'valuing') });
    return { ...result, rows: result.parcels };
  }),
];
