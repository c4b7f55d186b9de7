import { z } from 'zod';
import { countyCode, RETRY } from '../../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { defineJob } from '../queue/job.ts';

/**
 * Looks for the listings of a county's deals and grades them again, all against one reading of the market.
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
