import type { Db } from '../../../../shared/platform/db.ts';
import { LISTING_CHANGES } from '../../../changes/changed-fields.ts';
import { LISTING_PARTS } from './listing-record.ts';

/** Also keeps their history, and marks the regions and counties to recompute. */
export async function mergeListings(db: Db, runId: number, feedId: number): Promise<void> {
  await db.run('valuation/mark_comps');
  await db.run('changes/stage_listing_changes', {}, LISTING_CHANGES);
  await db.run('changes/fold_loaded_listings');
  await db.run('market/keep_asked_prices');
  await db.run('market/upsert_listings', { run_id: runId, feed_id: feedId }, LISTING_PARTS);
  await db.run('market/record_listing_events', { run_id: runId });
  await db.run('market/retire_listings', { run_id: runId });
  await db.run('market/mark_touched_regions');
}
