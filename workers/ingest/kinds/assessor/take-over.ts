import type { Db } from '../../../../shared/platform/db.ts';
import { literal } from '../../../../shared/platform/statements.ts';

/** Makes the parcels that stageOverlap took the feed's own, before they are written, inside the merge. */
export async function takeOver(db: Db, feedId: number, fips: readonly number[]): Promise<void> {
  const literals = { feed: literal(feedId), fips: literal(fips) };
  await db.run('feeds/free_keys', {}, literals);
  await db.run('feeds/take_over', {}, literals);
}
