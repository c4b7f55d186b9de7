import { z } from 'zod';
import { RETRY } from '../../shared/platform/queue/jobs.ts';
import { defineJob } from '../queue/job.ts';

/** Once a day: what searches find otherwise although nothing of a parcel was noted, as time went on. */
export const refreshSearchesJob = defineJob({
  name: 'searches.refresh',
  queue: 'deals',
  payload: z.strictObject({}),
  key: () => '',
  ...RETRY,
  async run(context) {
    const { refreshSearches } = await import('./follow-searches.ts');
    return { rows: await refreshSearches(context) };
  },
});
