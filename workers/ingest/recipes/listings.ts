import { type Client, sql } from '../../../shared/db.ts';
import { isRetryable } from '../../../shared/errors.ts';
import type { ListingsFeed } from '../../feeds/feed.ts';
import type { ResoCheckpoint, RowBatch } from '../../formats/rows.ts';
import { judge, lastFigures, rejectedRows } from '../gate/gate.ts';
import { compileListingMapper } from '../map/listing.ts';
import { mergeListings } from '../merge/listings.ts';
import type { RunContext } from '../run/context.ts';
import { bump } from '../run/counts.ts';
import { readBatches } from '../run/read.ts';
import { withStages } from '../run/stage-schema.ts';
import { listingSql } from '../stage/listing-record.ts';
import { stageListings } from '../stage/listings.ts';
import type { Prepared, Recipe } from './recipe.ts';

type ListingFigures = { listings: number; new: number; changed: number; unchanged: number; retired: number };

/**
 * An incremental source that breaks off between two pages is merged as far as it came, with the checkpoint of the last whole page; the
 * error is thrown after that, so that the job's next attempt goes on from there.
 */
export const listings: Recipe<ListingsFeed, Staged> = {
  tables: [sql('roll/create_raw_stage'), listingSql('listings/create_listing_stage')],
  stage: (run, feed, sources) => stageAll(run, feed, sources.listings),
  compare,
};

async function compare(
  client: Client,
  run: RunContext,
  { listings: { snapshot }, gates }: ListingsFeed,
  staged: Staged,
): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  await run.step('match', 'comparing with what is there', 0.68);
  const { rows: settled } = await client.query<{ identical: number; superseded: number }>(
    sql('listings/resolve_listing_duplicates'),
    [runId],
  );
  counts.identical = settled[0]!.identical;
  if (settled[0]!.superseded > 0) bump(counts.rejected, 'superseded', settled[0]!.superseded);
  await client.query('analyze stage_listing (id)');
  await client.query(sql('listings/match_listings'));
  if (snapshot) await client.query(sql('listings/match_gone_listings'), [feedId]);
  await client.query('analyze stage_listing_match');
  const { rows: measured } = await client.query<ListingFigures>(sql('listings/measure_listings'));
  const { listings: rows, ...figures } = measured[0]!;
  Object.assign(counts, figures, { rows });

  await run.step('gate', 'checking', 0.74);
  const gate = judge(
    {
      read: counts.read.listings ?? 0,
      // An older state of a listing that comes again is set aside, not wrong.
      rejected: rejectedRows(counts) - (counts.rejected.superseded ?? 0),
      rows,
      matchedKeys: rows,
      before: 0,
      retired: 0,
      acreage: null,
      outside: { points: 0, outside: 0, where: '' },
      sales: { before: 0, leaving: 0 },
      filled: counts.filled,
      // An incremental run holds what changed: its size says nothing about the last one's.
      last: snapshot ? lastFigures(run.last?.counts) : null,
    },
    gates,
  );
  return {
    gate: snapshot ? gate : { ...gate, blocked: gate.blocked.filter(({ gate: name }) => name !== 'empty') },
    touched: counts.new + counts.changed + counts.retired > 0,
    merge: transaction => mergeListings(transaction, runId, feedId),
    ...staged,
  };
}

type Staged = { checkpoint: ResoCheckpoint | null; brokeOff?: unknown };

async function stageAll(run: RunContext, feed: ListingsFeed, override: string | undefined): Promise<Staged> {
  const { counts } = run;
  const { listings } = feed;
  const source = { name: 'listings', spec: listings.input, baseDir: feed.baseDir, override };
  const staged: Staged = { checkpoint: null };
  // Not for RESO: its records may leave out what they have no value for, and a page may hold one record.
  const checked = listings.input.format !== 'reso';
  const rows = untilItBreaks(readBatches(run, source), staged);
  const input = { name: 'listings', batches: rows, map: compileListingMapper(listings), checked };
  await withStages(run, 2, ([copy, raw], rejects) =>
    stageListings(input, { copy: copy!, raw: raw!, rejects, counts }),
  );
  return staged;
}

/**
 * Ends where a source breaks off that can be taken up again. Only an error of the source: what fails while a batch
 * is staged is thrown in the consumer and means that the batch is lost.
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
