import { dealFetch } from '../../shared/deals/deal-board.ts';
import { defineJob } from '../queue/job.ts';

export const fetchDealJob = defineJob({
  ...dealFetch,
  async run({ db, config, signal }, { deal }) {
    const { fetchDeal } = await import('./fetch-deal.ts');
    const refreshed = await fetchDeal(db, config, deal, signal);
    return { ...refreshed, rows: refreshed.deals };
  },
});
