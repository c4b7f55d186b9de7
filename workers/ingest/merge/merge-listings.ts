import type { Client } from '../../../shared/db.ts';
import { sql } from '../../../shared/db.ts';

/**
 * Brings listings to what the run staged, inside the caller's transaction, with their history, and marks the
 * regions whose statistics are due.
 */
export async function mergeListings(client: Client, runId: number, feedId: number): Promise<void> {
  await client.query(sql('ingest/upsert_listings'), [runId, feedId]);
  await client.query(sql('ingest/record_listing_events'), [runId]);
  await client.query(sql('ingest/retire_listings'), [runId]);
  await client.query(sql('ingest/mark_touched_regions'));
}
