import { type Client, compose, sql, statement } from '../../../../shared/platform/db.ts';
import { bindValues } from '../../../../shared/platform/named-parameters.ts';
import { LISTING_CHANGES } from '../../../changes/changed-fields.ts';
import { listingSql } from './listing-record.ts';

/**
 * Brings listings to what the run staged, inside the caller's transaction, with their history, and marks the
 * regions whose statistics, and the counties whose valuations, are due.
 */
export async function mergeListings(client: Client, runId: number, feedId: number): Promise<void> {
  await client.query(sql('valuation/mark_comps'));
  await client.query(compose('changes/stage_listing_changes', LISTING_CHANGES));
  await client.query(sql('changes/fold_loaded_listings'));
  await client.query(sql('market/keep_asked_prices'));
  await client.query(bindValues(listingSql('market/upsert_listings'), { run_id: runId, feed_id: feedId }));
  await client.query(statement('market/record_listing_events', { run_id: runId }));
  await client.query(statement('market/retire_listings', { run_id: runId }));
  await client.query(sql('market/mark_touched_regions'));
}
