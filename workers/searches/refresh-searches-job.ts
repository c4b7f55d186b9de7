import { z } from 'zod';
import { RETRY } from '../../shared/platform/queue/jobs.ts';
import { defineJob } from '../queue/job.ts';

/** Runs daily to find parcels that match or stop matching a search only because time has passed. */
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
