import type { LoadedFeed, Overlap } from '../../../../shared/feeds/file-feeds.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { literal } from '../../../../shared/platform/statements.ts';

/** Parcels in a run that other feeds have already loaded. */
export type Overlapping = {
  feeds: LoadedFeed[];
  /** Number of rows set aside because another feed has their parcels. */
  left: number;
  /** Number of parcels that the run takes over from other feeds. */
  taken: number;
};

const NONE: Overlapping = { feeds: [], left: 0, taken: 0 };

/**
 * Compares staged rows with the parcels of other feeds, after create_before_stage and before match_parcels,
 * and applies the feed's `overlap` to the parcels that it loads again. A run that is forced past the gate
 * adds only parcels that no other feed has, because it never loads a parcel twice.
 */
export async function stageOverlap(
  db: Db,
  feedId: number,
  fips: readonly number[],
  { overlap, force }: { overlap: Overlap; force: boolean },
): Promise<Overlapping> {
  if (overlap === 'separate') return NONE;
  const rows = await db.run<{ present: boolean }>('feeds/has_other_feeds', { fips, feed_id: feedId });
  if (!rows[0]!.present) return NONE;
  await db.run('feeds/create_others_stage', {}, { feed: literal(feedId), fips: literal(fips) });
  await db.run('feeds/index_others');
  await db.run('feeds/create_overlap_stage');
  await db.run('feeds/index_overlap');
  const feeds = await db.run<LoadedFeed>('feeds/measure_overlap');
  if (overlap === 'add' || (overlap === 'block' && force))
    return { feeds, left: await db.rowCount('feeds/leave_overlap'), taken: 0 };
  if (overlap === 'block') return { feeds, left: 0, taken: 0 };
  const reclaimed = await db.rowCount('feeds/take_overlap');
  const others = overlap === 'replace' ? await db.rowCount('feeds/take_others') : 0;
  return { feeds, left: 0, taken: reclaimed + others };
}

/** During the merge, moves the parcels that stageOverlap took over to this feed, before they are written. */
export async function takeOver(db: Db, feedId: number, fips: readonly number[]): Promise<void> {
  const literals = { feed: literal(feedId), fips: literal(fips) };
  await db.run('feeds/free_keys', {}, literals);
  await db.run('feeds/take_over', {}, literals);
}
