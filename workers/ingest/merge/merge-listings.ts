import { type Client, sql } from '../../../shared/base/db.ts';
import { listingSql } from '../stage/listing-record.ts';

/**
 * Brings listings to what the run staged, inside the caller's transaction, with their history, and marks the
 * regions whose statistics, and the counties whose valuations, are due.
 */
export async function mergeListings(client: Client, runId: number, feedId: number): Promise<void> {
  await client.query(sql('valuation/mark_comps'));
  await client.query(listingSql('market/upsert_listings'), [runId, feedId]);
  await client.query(sql('market/record_listing_events'), [runId]);
  await client.query(sql('market/retire_listings'), [runId]);
  await client.query(sql('market/mark_touched_regions'));
}
