import { copyValue, openCopy } from '../../../shared/copy.ts';
import type { Client } from '../../../shared/db.ts';
import { LISTING_FIELD_NAMES } from '../../../shared/domain/listing-fields.ts';
import type { MappedListing } from '../map/listing.ts';
import { bump, countFilled, type RunCounts } from '../run/counts.ts';
import { type RejectWriter, rawText } from '../run/rejects.ts';
import { COPY_LISTING, listingLine, resolveListing } from './listing-record.ts';
import { type RowInput, stageRows } from './rows.ts';

export type ListingStage = { copy: Client; raw: Client; rejects: RejectWriter; counts: RunCounts };

/** Maps, validates, resolves and stages the rows of a listing feed. */
export async function stageListings(input: RowInput<MappedListing>, stage: ListingStage): Promise<void> {
  const { counts } = stage;
  const copy = openCopy(stage.copy, COPY_LISTING);
  // Of every row: which of several states of a listing is set aside is not known before the last row.
  const raw = openCopy(stage.raw, 'copy stage_raw (row_no, raw) from stdin');
  const unplaced: Record<string, number> = {};
  counts.unplaced = unplaced;
  await stageRows(
    input,
    stage,
    ({ values, dropped }, row, faults) => {
      for (const value of dropped ?? []) faults.drop(row, value);
      countFilled(counts.filled, LISTING_FIELD_NAMES, values);
      const listing = resolveListing(values);
      if (listing.fips === null) bump(unplaced, 'county');
      raw.write(`${row.rowNo}\t${copyValue(rawText(row.values, row.geometry))}`);
      copy.write(listingLine(row.rowNo, listing));
    },
    () => Promise.all([copy.drain(), raw.drain()]),
  );
  await Promise.all([copy.end(), raw.end()]);
}
