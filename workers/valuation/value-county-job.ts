import { countyValuation } from '../../shared/feeds/flagged-sales.ts';
import { enqueue } from '../../shared/platform/queue/jobs.ts';
import { enqueueCountyDealGrading } from '../deals/enqueue-deal-grading.ts';
import { recomputeMarketJob } from '../market/recompute-market-job.ts';
import { defineJob } from '../queue/job.ts';
import { enqueueDueRecord } from './record-county-job.ts';

/** Values a county's parcels from nearby sales. */
export const valueCountyJob = defineJob({
  ...countyValuation,
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
