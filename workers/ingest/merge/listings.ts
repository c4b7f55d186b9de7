import { type Client, sql } from '../../../shared/db.ts';

/** More new and changed comps than this, or than this share of all, are worth a new model: every parcel is valued anew. */
const MOST_MARKED_COMPS = 1_000;
const MOST_MARKED_SHARE = 0.05;

/**
 * Brings listings to what the run staged, inside the caller's transaction, with their history, and marks the
 * regions whose statistics, and the places around which valuations, are due.
 */
export async function mergeListings(client: Client, runId: number, feedId: number): Promise<void> {
  await client.query(sql('valuation/mark_comps'), [MOST_MARKED_COMPS, MOST_MARKED_SHARE]);
  await client.query(sql('listings/upsert_listings'), [runId, feedId]);
  await client.query(sql('listings/record_listing_events'), [runId]);
  await client.query(sql('listings/retire_listings'), [runId]);
  await client.query(sql('listings/mark_touched_regions'));
}
