import { z } from 'zod';
import { RETRY } from '../../shared/platform/queue/jobs.ts';
import { defineJob } from '../queue/job.ts';

const STATEMENTS = [
  'feeds/delete_old_rejects',
  'feeds/delete_old_runs',
  'feeds/end_undo',
  'feeds/delete_undo_parcels',
  'feeds/delete_undo_listings',
  'accounts/delete_old_usage',
  'exports/delete_old_exports',
  'deals/delete_old_events',
  'platform/delete_old_assets',
] as const;

/** Deletes records that are months or years old. docs/operating.md lists them under "What grows". */
export const deleteOldRecordsJob = defineJob({
  name: 'records.delete_old',
  queue: 'deals',
  payload: z.strictObject({}),
  key: () => '',
  ...RETRY,
  async run({ db }) {
    let rows = 0;
    for (const name of STATEMENTS) rows += await db.rowCount(name);
    return { rows };
  },
});
