import { z } from 'zod';
import { countyCode, RETRY } from '../../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { defineJob } from '../queue/job.ts';

/**
 * Finds the listings of a county's deals and regrades the deals against the same market.
 */
export const gradeDealsJob = defineJob({
  name: 'deal.grade',
  queue: 'deals',
  payload: z.strictObject({ fips: countyCode }),
  key: ({ fips }) => fiveDigits(fips),
  ...RETRY,
  async run({ db }, { fips }) {
    const { refreshDeals } = await import('./refresh-deals.ts');
    const refreshed = await refreshDeals(db, { fips });
    return { ...refreshed, rows: refreshed.deals };
  },
});
