import { z } from 'zod';
import { countyCode, enqueue, RETRY } from '../../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { enqueueCountyDealGrading } from '../deals/enqueue-deal-grading.ts';
import { recomputeMarketJob } from '../market/recompute-market-job.ts';
import { defineJob } from '../queue/job.ts';
import { enqueueDueRecord } from './record-county-job.ts';

/** Values a county's parcels from nearby sales. */
export const valueCountyJob = defineJob({
  name: 'valuation.county',
  queue: 'valuation',
  payload: z.strictObject({ fips: countyCode, asOf: z.iso.date().optional() }),
  key: ({ fips, asOf }) => (asOf === undefined ? fiveDigits(fips) : `${fiveDigits(fips)}@${asOf}`),
  ...RETRY,
  async run({ db, signal, progress, deliver }, payload) {
    const { estimateNewCounty } = await import('./estimate-county.ts');
    const { valueCounty } = await import('./value-county.ts');
    if (await estimateNewCounty(db, payload.fips, payload.asOf))
      await deliver([(await enqueue(db, recomputeMarketJob, { scope: { dirty: true } })).id]);
    const result = await valueCounty(db, payload, {
      signal,
      progress: share => progress(share, 'valuing'),
    });
    // Advice depends on estimated values. If the worker is killed before this, the daily job regrades the
    // deals.
    await deliver(await enqueueCountyDealGrading(db, payload.fips));
    await deliver(await enqueueDueRecord(db, payload.fips));
    return { ...result, rows: result.parcels };
  },
});
