import type { Client } from '../../../shared/db.ts';
import { sql } from '../../../shared/db.ts';
import { rewriteOwnerWords } from './owner-words.ts';

/**
 * Brings the parcels of a feed, and what filters read of them, to what the run staged, inside the caller's
 * transaction: readers see the old roll until it commits and the new one afterwards. The counts were measured
 * before; this only does it.
 */
export async function mergeParcels(client: Client, runId: number, feedId: number): Promise<void> {
  await client.query(sql('ingest/reserve_serials'));
  await client.query(sql('ingest/update_parcels'), [runId]);
  const retired = await client.query<{ fips: number }>(sql('ingest/retire_parcels'), [runId, feedId]);
  await client.query(sql('ingest/insert_parcels'), [runId, feedId]);
  await client.query(sql('ingest/remove_parcel_filters'));
  await client.query(sql('ingest/insert_parcel_filters'), [feedId]);
  const changed = await client.query<{ fips: number }>(sql('ingest/list_changed_counties'));
  await rewriteOwnerWords(client, [...new Set([...changed.rows, ...retired.rows].map(row => row.fips))]);
}
