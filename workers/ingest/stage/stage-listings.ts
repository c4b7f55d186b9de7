import { type Client, sql } from '../../../shared/db.ts';
import { bump, type RunCounts } from '../counts.ts';
import type { ListingMapper } from '../map/listing.ts';
import type { RowBatch, SourceRow } from '../parse/rows.ts';
import { type RejectWriter, rawText } from '../rejects.ts';
import { openCopy } from './copy.ts';
import { COPY_LISTING, type ListingRecord, listingLine } from './listing-row.ts';
import { resolveListing } from './resolve-listing.ts';
import { SeenKeys } from './seen-keys.ts';

export type ListingStage = { copy: Client; raw: Client; rejects: RejectWriter; counts: RunCounts };

/**
 * Maps, validates, resolves and stages the rows of a listing feed.
 * @param onBatch called after each batch with the batch and the rows read so far
 */
export async function stageListings(
  batches: AsyncIterable<RowBatch>,
  map: ListingMapper,
  stage: ListingStage,
  onBatch: (rows: number, batch: RowBatch) => void,
): Promise<void> {
  const { counts, rejects } = stage;
  const copy = openCopy(stage.copy, COPY_LISTING);
  const repeats: { rowNo: number; raw: string }[] = [];
  const seen = new SeenKeys();
  let rows = 0;

  function stageRow(row: SourceRow): void {
    const mapped = map(row);
    const reject = (field: string | null, reason: string, message: string) =>
      rejects.add({
        input: 'listings',
        rowNo: row.rowNo,
        field,
        reason,
        message,
        raw: rawText(row.values, row.geometry),
      });
    if (!mapped.ok) {
      if (mapped.reason === 'skipped') counts.skipped++;
      else {
        bump(counts.rejected, mapped.reason);
        reject(mapped.field, mapped.reason, mapped.message);
      }
      return;
    }
    for (const { field, reason, message } of mapped.dropped ?? []) {
      bump(counts.dropped, field);
      reject(field, reason, message);
    }
    const listing: ListingRecord = resolveListing(mapped.values);
    if (listing.fips === null) bump(counts.unplaced as Record<string, number>, 'county');
    if (seen.add(`${listing.source}\u0000${listing.sourceId}`)) {
      repeats.push({ rowNo: row.rowNo, raw: rawText(row.values, row.geometry) });
    }
    copy.write(listingLine(row.rowNo, listing));
  }

  counts.unplaced = {};
  try {
    for await (const batch of batches) {
      if (rows === 0) map.prepare(batch.rows);
      for (const row of batch.rows) stageRow(row);
      for (const { rowNo, field, reason, message, raw } of batch.bad) {
        bump(counts.rejected, reason);
        rejects.add({ input: 'listings', rowNo, field, reason, message, raw });
      }
      rows += batch.rows.length + batch.bad.length;
      counts.read.listings = rows;
      if (repeats.length > 0) {
        const kept = repeats.splice(0);
        await stage.raw.query(sql('ingest/keep_raw_rows'), [
          kept.map(r => r.rowNo),
          kept.map(r => r.raw.replaceAll('\u0000', '�')),
        ]);
      }
      await Promise.all([copy.drain(), rejects.drain()]);
      onBatch(rows, batch);
    }
  } finally {
    // What was staged before a source broke off is still good: an incremental feed merges it and goes on later.
    counts.read.listings = rows;
    await copy.end();
  }
}
