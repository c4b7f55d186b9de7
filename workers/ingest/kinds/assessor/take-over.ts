import type { Db } from '../../../../shared/platform/db.ts';
import { literal } from '../../../../shared/platform/statements.ts';

/** Moves the parcels that stageOverlap took over to this feed, before they are written, in the merge. */
export async function takeOver(db: Db, feedId: number, fips: readonly number[]): Promise<void> {
  const literals = { feed: literal(feedId), fips: literal(fips) };
  await db.run('feeds/free_keys', {}, literals);
  await db.run('feeds/take_over', {}, literals);
}
