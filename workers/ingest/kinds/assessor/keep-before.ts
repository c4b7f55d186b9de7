import type { Db } from '../../../../shared/platform/db.ts';
import { rollParts } from './roll-sql.ts';

type Merge = {
  runId: number;
  feedId: number;
  fips: readonly number[];
  day: string;
  taken: boolean;
  sales: boolean;
};

/** Stores what a merge is about to change, so that the run can be undone. */
export async function keepBefore(db: Db, { runId, feedId, fips, day, taken, sales }: Merge): Promise<void> {
  await db.run('feeds/keep_parcels', {}, rollParts({ run: runId, feed: feedId, fips, as_of: day, taken }));
  if (sales) await db.run('market/keep_listings', { run_id: runId });
  await db.run('feeds/allow_undo', { run_id: runId, as_of: day });
}
