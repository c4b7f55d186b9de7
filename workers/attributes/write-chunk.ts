import { type Pool, sql, transaction } from '../../shared/db.ts';
import type { ComputedParcel } from './compute.ts';
import { shareCounty } from './county-lock.ts';
import type { ChunkPayload } from './jobs.ts';

export type WrittenChunk = {
  /** Parcels whose attributes were stored, those without geometry included. */
  parcels: number;
  /** Of those, the ones of which filters now say something else. */
  changed: number;
};

type Stored = { property_id: number };

/**
 * Stores a chunk in one transaction and takes back its marks. What was marked again since it was read is left alone: it
 * will be computed from what is there now. Waits for a merge of the county that is under way.
 */
export function writeChunk(
  pool: Pool,
  { fips, chunk }: ChunkPayload,
  parcels: readonly ComputedParcel[],
  shapeless: readonly { id: number; mark: number }[],
  signal: AbortSignal,
): Promise<WrittenChunk> {
  return transaction(pool, async client => {
    await shareCounty(client, fips, signal);
    await client.query(sql('attributes/lock_marked_parcels'), [fips, chunk]);
    const stored = await client.query<Stored>(sql('attributes/write_attributes'), [
      fips,
      chunk,
      JSON.stringify(parcels),
    ]);
    const forgotten = await client.query<Stored>(sql('attributes/forget_shapeless'), [
      fips,
      chunk,
      shapeless.map(({ id }) => id),
      shapeless.map(({ mark }) => mark),
    ]);
    const ids = [...stored.rows, ...forgotten.rows].map(row => row.property_id);
    const { rowCount } = await client.query(sql('attributes/update_filters'), [fips, ids]);
    return { parcels: ids.length, changed: rowCount ?? 0 };
  });
}
