import { type Client, statement } from '../../../../shared/platform/db.ts';
import { rollSql } from './roll-sql.ts';

type Merge = {
  runId: number;
  feedId: number;
  fips: readonly number[];
  day: string;
  taken: boolean;
  sales: boolean;
};

/** Keeps what a merge is about to change, before it does, so that the run can be undone. */
export async function keepBefore(
  client: Client,
  { runId, feedId, fips, day, taken, sales }: Merge,
): Promise<void> {
  await client.query(rollSql('feeds/keep_parcels', { run: runId, feed: feedId, fips, as_of: day, taken }));
  if (sales) await client.query(statement('market/keep_listings', { run_id: runId }));
  await client.query(statement('feeds/allow_undo', { run_id: runId, as_of: day }));
}
