import type { Db } from '../../shared/platform/db.ts';
import { isRetryable, messageOf } from '../../shared/platform/errors.ts';
import { openChanges, recordChanges } from '../changes/record-changes.ts';
import type { StoredRegion } from './market-snapshot.ts';

export type ComputedStats = {
  region: StoredRegion;
  etag: string;
  asOf: string | null;
  listings: number;
  /** null when the stored bytes are the same. The same applies to `figures`. */
  body: string | null;
  figures: Buffer | null;
};

export type FailedRegion = { type: string; code: string; message: string };

export type Written = {
  changed: number;
  failed: FailedRegion[];
};

/**
 * Writes a batch and clears its marks in one transaction. If the batch can't be written, each region is tried
 * on its own, so that only the faulty one keeps its old row and its mark.
 * @throws the server's error when the connection is lost or the like, after which a retry may succeed
 */
export async function writeStats(db: Db, batch: readonly ComputedStats[]): Promise<Written> {
  try {
    if (batch.length > 0) await db.transaction(tx => writeTogether(tx, batch));
    return { changed: batch.filter(entry => entry.body !== null).length, failed: [] };
  } catch (error) {
    if (isRetryable(error)) throw error;
    if (batch.length === 1) {
      const { type, code } = batch[0]!.region;
      return {
        changed: 0,
        failed: [{ type, code, message: messageOf(error) }],
      };
    }
  }
  const written: Written = { changed: 0, failed: [] };
  for (const entry of batch) {
    const { changed, failed } = await writeStats(db, [entry]);
    written.changed += changed;
    written.failed.push(...failed);
  }
  return written;
}

async function writeTogether(tx: Db, batch: readonly ComputedStats[]): Promise<void> {
  const changed = batch.filter(isChanged);
  if (changed.length > 0) {
    await openChanges(tx);
    await updateRows(tx, changed);
  }
  await clearMarks(
    tx,
    batch.map(entry => entry.region),
  );
  if (changed.length > 0) await recordChanges(tx);
}

/** Whether the row differs from the stored one. */
export const isChanged = ({ region, etag, asOf, listings }: ComputedStats): boolean =>
  etag !== region.etag || asOf !== region.as_of || listings !== region.listings;

async function updateRows(db: Db, rows: readonly ComputedStats[]): Promise<void> {
  const bodies = {
    types: rows.map(row => row.region.type),
    codes: rows.map(row => row.region.code),
    bodies: rows.map(row => row.body ?? '').join('\n'),
  };
  await db.run('changes/stage_stats_changes', bodies);
  await db.run('market/update_region_stats', {
    ...bodies,
    figures: rows.map(row => row.figures?.toString('base64') ?? '').join('\n'),
    etags: rows.map(row => row.etag),
    as_of_days: rows.map(row => row.asOf),
    listing_counts: rows.map(row => row.listings),
  });
}

/** Clears marks as they were read. Regions without one are skipped. */
export async function clearMarks(
  db: Db,
  regions: readonly { type: string; code: string; marked_at: string | null }[],
): Promise<void> {
  const marked = regions.filter(region => region.marked_at !== null);
  if (marked.length === 0) return;
  await db.run('market/clear_dirty_regions', {
    types: marked.map(region => region.type),
    codes: marked.map(region => region.code),
    marked_at: marked.map(region => region.marked_at),
  });
}
