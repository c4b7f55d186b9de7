import type { RunCounts } from '../../../../shared/feeds/ingest-runs.ts';
import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
import { copyValue, openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { isRetryable } from '../../../../shared/platform/errors.ts';
import { compose, sql } from '../../../../shared/platform/statements.ts';
import type { ResoCheckpoint, RowBatch } from '../../../formats/row-batch.ts';
import { checkPart } from '../../engine/dry-run.ts';
import { lastFigures, rejectedRows } from '../../engine/gate.ts';
import { readBatches } from '../../engine/read-input.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { countFilled, increment, measureRows } from '../../engine/run-counts.ts';
import {
  type RejectWriter,
  rawText,
  rejectDuplicates,
  stageRows,
  withStages,
} from '../../engine/stage-rows.ts';
import { checkListingGates } from './listing-gates.ts';
import { noteListings } from './listing-notes.ts';
import { COPY_LISTING, LISTING_PARTS, listingLine, mergeListings, resolveListing } from './listing-record.ts';
import { LISTING_ROWS, type ListingsFeed } from './listings-feed.ts';
import { compileListingMapper, MIN_OVERWRITTEN } from './map-listing.ts';

/**
 * If a source fails partway, the rows read so far are merged before the error is reported, so that the next
 * attempt can continue.
 */
export const listingsRecipe: Recipe<ListingsFeed, Staged> = {
  tables: [sql('feeds/create_raw_stage'), compose('market/create_listing_stage', LISTING_PARTS)],
  stage: (run, { listings }) =>
    withStages(run, 2, (clients, rejects) => stageListings(run, listings, clients, rejects)),
  compare,
  inputs: ({ listings }) => (listings.snapshot ? [['listings', listings]] : []),
  check(dryRun, { listings }) {
    dryRun.mayBeEmpty = !listings.snapshot;
    return checkPart(dryRun, 'listings', listings, {
      fields: LISTING_ROWS,
      map: compileListingMapper(listings),
      notes: noteListings,
    });
  },
};

async function compare(
  db: Db,
  run: RunContext,
  { listings: { snapshot }, gates }: ListingsFeed,
  staged: Staged,
): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  await run.step('match', 'comparing with current data', 0.68);
  await db.run('market/split_repeat_sales');
  await rejectDuplicates(db, run, 'market/resolve_listing_duplicates');
  if (snapshot) await dropOverwrittenPrices(db, counts);
  await db.execute('analyze stage_listing (id)');
  await db.run('market/match_listings');
  if (snapshot) await db.run('market/match_gone_listings', { feed_id: feedId });
  await db.execute('analyze stage_listing_match');
  const rows = await measureRows(db, run, 'feeds/measure_matches', {}, { matches: 'stage_listing_match' });
  const gate = checkListingGates(
    {
      read: counts.read.listings ?? 0,
      // Superseded rows of a repeated listing are set aside, but they aren't bad rows.
      rejected: rejectedRows(counts) - (counts.rejected.superseded ?? 0),
      rows,
      matchedKeys: rows,
      sales: { before: 0, leaving: 0 },
      filled: counts.filled,
      // An incremental run only has changes, so its size can't be compared with the last one. Markets have
      // fewer listings in winter than in summer, so the best run of the year can't be used either.
      last: snapshot ? lastFigures(run.last && { counts: run.last.counts }) : null,
    },
    gates,
  );
  return {
    gate: snapshot ? gate : { ...gate, blocked: gate.blocked.filter(({ gate: name }) => name !== 'empty') },
    touched: counts.new + counts.changed + counts.retired > 0,
    merge: tx => mergeListings(tx, runId, feedId),
    ...staged,
  };
}

/** Drops the list prices from a source that overwrites them with the sale price. */
async function dropOverwrittenPrices(db: Db, counts: RunCounts): Promise<void> {
  const rowCount = await db.rowCount('market/drop_overwritten_prices', { least: MIN_OVERWRITTEN });
  if (rowCount) increment(counts.dropped, 'list_price', rowCount);
}

type Staged = { checkpoint: ResoCheckpoint | null; brokeOff?: unknown };

async function stageListings(
  run: RunContext,
  listings: ListingsFeed['listings'],
  [connection, rawClient]: readonly Db[],
  rejects: RejectWriter,
): Promise<Staged> {
  const { counts } = run;
  const staged: Staged = { checkpoint: null };
  const batches = untilItBreaks(readBatches(run, 'listings', listings.input), staged);
  // RESO sources aren't checked, because records omit empty fields, and a page can have a single record.
  const checked = listings.input.format !== 'reso';
  const copy = openCopy(connection!, COPY_LISTING);
  // Keep the raw text of every row, because which of a listing's rows are superseded isn't known until the
  // last row.
  const raw = openCopy(rawClient!, 'copy stage_raw (row_no, raw) from stdin');
  const unplaced: Record<string, number> = {};
  counts.unplaced = unplaced;
  await stageRows(
    { name: 'listings', batches, map: compileListingMapper(listings), checked },
    { counts, rejects },
    ({ values, dropped }, row, faults) => {
      for (const value of dropped ?? []) faults.drop(row, value);
      countFilled(counts.filled, LISTING_FIELD_NAMES, values);
      const listing = resolveListing(values);
      if (listing.fips === null) increment(unplaced, 'county');
      raw.write(`${row.rowNo}\t${copyValue(rawText(row.values, row.geometry))}`);
      copy.write(listingLine(row.rowNo, listing));
    },
    () => Promise.all([copy.drain(), raw.drain()]),
  );
  await Promise.all([copy.end(), raw.end()]);
  return staged;
}

/**
 * If a resumable source fails, records the error and ends without throwing it. Staging errors are thrown in
 * the consumer instead.
 */
async function* untilItBreaks(batches: AsyncIterable<RowBatch>, staged: Staged): AsyncGenerator<RowBatch> {
  try {
    for await (const batch of batches) {
      yield batch;
      if (batch.checkpoint) staged.checkpoint = batch.checkpoint;
    }
  } catch (error) {
    if (staged.checkpoint === null || !isRetryable(error)) throw error;
    staged.brokeOff = error;
  }
}
