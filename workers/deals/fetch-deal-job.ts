import { dealFetch } from '../../shared/deals/deal-board.ts';
import { defineJob } from '../queue/job.ts';

export const fetchDealJob = defineJob({
  ...dealFetch,
  async run({ pool, config, signal }, { deal }) {
    const { fetchDeal } = await import('./fetch-deal.ts');
    const refreshed = await fetchDeal(pool, config, deal, signal);
    return { ...refreshed, rows: refreshed.deals };
  },
});
