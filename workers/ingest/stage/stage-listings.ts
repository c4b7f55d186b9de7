import type { Client } from '../../../shared/db.ts';
import { LISTING_FIELD_NAMES } from '../../../shared/domain/listing-fields.ts';
import type { RowBatch, SourceRow } from '../../formats/rows.ts';
import type { ListingMapper } from '../map/listing.ts';
import { bump, countFilled, type RunCounts } from '../run/counts.ts';
import { type RejectWriter, rawText } from '../run/rejects.ts';
import { copyValue, openCopy } from './copy.ts';
import { COPY_LISTING, type ListingRecord, listingLine } from './listing-row.ts';
import { resolveListing } from './resolve-listing.ts';

/** A source of listings, how its rows map, and whether it must have every column that the feed names. */
export type ListingRows = { batches: AsyncIterable<RowBatch>; map: ListingMapper; checked: boolean };

export type ListingStage = { copy: Client; raw: Client; rejects: RejectWriter; counts: RunCounts };

/** Maps, validates, resolves and stages the rows of a listing feed. */
export async function stageListings(input: ListingRows, stage: ListingStage): Promise<void> {
  const { counts, rejects } = stage;
  const copy = openCopy(stage.copy, COPY_LISTING);
  // Of every row: which of several states of a listing is set aside is not known before the last row.
  const raw = openCopy(stage.raw, 'copy stage_raw (row_no, raw) from stdin');
  const unplaced: Record<string, number> = {};
  counts.unplaced = unplaced;
  let rows = 0;

  function stageRow(row: SourceRow): void {
    const mapped = input.map(row);
    const text = rawText(row.values, row.geometry);
    const reject = (field: string | null, reason: string, message: string) =>
      rejects.add({ input: 'listings', rowNo: row.rowNo, field, reason, message, raw: text });
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
    countFilled(counts.filled, LISTING_FIELD_NAMES, mapped.values);
    const listing: ListingRecord = resolveListing(mapped.values);
    if (listing.fips === null) bump(unplaced, 'county');
    raw.write(`${row.rowNo}\t${copyValue(text)}`);
    copy.write(listingLine(row.rowNo, listing));
  }

  for await (const batch of input.batches) {
    if (rows === 0 && input.checked) input.map.prepare(batch.rows);
    for (const row of batch.rows) stageRow(row);
    for (const { rowNo, field, reason, message, raw: text } of batch.bad) {
      bump(counts.rejected, reason);
      rejects.add({ input: 'listings', rowNo, field, reason, message, raw: text });
    }
    rows += batch.rows.length + batch.bad.length;
    counts.read.listings = rows;
    await Promise.all([copy.drain(), raw.drain(), rejects.drain()]);
  }
  counts.read.listings = rows;
  await Promise.all([copy.end(), raw.end()]);
}
