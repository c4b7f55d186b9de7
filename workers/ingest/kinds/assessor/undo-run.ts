import type { RunCounts } from '../../../../shared/feeds/ingest-runs.ts';
import { findUndoable, type UndoableRun, type UndoPayload } from '../../../../shared/feeds/undo-runs.ts';
import { type FieldValue, PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import { copyValue, openCopy } from '../../../../shared/platform/copy.ts';
import { type Client, compose, literal, sql, statement } from '../../../../shared/platform/db.ts';
import { LOCKS } from '../../../../shared/platform/locks.ts';
import { bindValues } from '../../../../shared/platform/named-parameters.ts';
import { type RunResult, runLocked } from '../../engine/locked-run.ts';
import { mergeRun } from '../../engine/merge-run.ts';
import type { Prepared } from '../../engine/recipe.ts';
import type { RunContext, RunDeps } from '../../engine/run-context.ts';
import { createStage, takeOverStage } from '../../engine/stage-schema.ts';
import { listingSql } from '../listings/listing-record.ts';
import { mergeListings } from '../listings/merge-listings.ts';
import { assessorRecipe } from './assessor-recipe.ts';
import { type DeriveColumns, derivation, readZipCounties } from './derive-fields.ts';
import { countCoverage, mergeParcels } from './merge-parcels.ts';
import { COPY_ROLL } from './stage-parcels.ts';

/**
 * Undoes a run: a run of the same feed whose rows are what the database kept of the parcels before, written
 * by the same merge as any other. @throws PlatError `undo_refused`
 */
export async function undoRun(
  deps: RunDeps,
  { run: undoes, requestedBy, jobId }: UndoPayload & { jobId: string | null },
): Promise<RunResult> {
  const { pool } = deps;
  const { rows } = await pool.query<{ feed_id: number }>('select feed_id from runs where id = $1', [undoes]);
  // Throws when there is no such run; whether it can be undone is checked by the merge.
  const feedId = rows[0]?.feed_id ?? (await findUndoable(pool, undoes)).feed_id;
  const start = {
    feedId,
    baseDir: '.',
    jobId,
    requestedBy,
    force: true,
    undoes,
    readCheckpoint: async () => null,
  };
  return runLocked(deps, start, async run => {
    await run.step('open', 'opening', 0);
    await takeOverStage(pool, run, null);
    await createStage(pool, run, assessorRecipe.tables);
    const derive = derivation(await readZipCounties(pool));
    return mergeRun(run, client => compare(client, run, undoes, derive), false);
  });
}

async function compare(
  client: Client,
  run: RunContext,
  undoes: number,
  derive: DeriveColumns,
): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  const undone = await findUndoable(client, undoes);
  await run.step('stage', 'reading earlier parcels', 0.1);
  const { rows: counties } = await client.query<{ fips: number }>(
    statement('feeds/list_undo_counties', { run_id: undoes, feed_id: feedId }),
  );
  const fips = counties.map(county => county.fips);
  await client.query(statement('land/lock_counties', { lock: LOCKS.countyRoll, counties: fips }));
  const literals = { run: literal(undoes), fips: literal(fips) };
  await client.query(compose('feeds/create_now_stage', literals));
  await stageRolls(client, undoes, derive);
  await client.query(statement('feeds/stage_kept_shapes', { run_id: undoes }));
  await client.query('analyze stage_now; analyze stage_roll (fips, key); analyze stage_shape (fips, key)');
  await run.step('match', 'comparing with current parcels', 0.5);
  await client.query(compose('feeds/match_kept_parcels', literals));
  await client.query('analyze stage_match');
  await recordFigures(client, counts, undoes);
  const listings = await stageListings(client, undoes);
  return {
    gate: { blocked: [], figures: { undoes } },
    touched: true,
    async merge(transaction) {
      await transaction.query(statement('feeds/keep_undone', { run_id: runId }));
      counts.given_back = await giveBack(transaction, run, undone, fips);
      await mergeParcels(transaction, runId, feedId, new Date().toISOString().slice(0, 10));
      await countCoverage(transaction, fips);
      if (listings > 0) {
        await mergeListings(transaction, runId, feedId);
        await transaction.query(statement('market/give_back_listings', { run_id: undoes }));
      }
      await transaction.query(statement('feeds/end_undone', { run_id: undoes }));
    },
  };
}

const BATCH = 5_000;

type Kept = { property_id: number; fips: number; was: Record<string, FieldValue> };

/**
 * Stages parcels as the roll had them. The staged key is the parcel's id, as parcels of several feeds may
 * share a key.
 */
async function stageRolls(client: Client, undoes: number, derive: DeriveColumns): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await client.query<Kept>(
      statement('feeds/read_kept_rolls', { run_id: undoes, after, limit: BATCH }),
    );
    if (rows.length === 0) return;
    after = rows.at(-1)!.property_id;
    const copy = openCopy(client, COPY_ROLL);
    for (const { property_id: id, fips, was } of rows) {
      const values = PARCEL_FIELD_NAMES.map(name => was[name] ?? null);
      const cells = [0, id, fips, id, was.roll_hash!, false, null, null, null].map(copyValue).join('\t');
      copy.write(`${cells}\t${derive(values, fips)}\t${values.map(copyValue).join('\t')}`);
    }
    await copy.drain();
    await copy.end();
  }
}

/** The next run is compared with what the feed had before the run that is undone. */
async function recordFigures(client: Client, counts: RunCounts, undoes: number): Promise<void> {
  const { rows } = await client.query<Record<string, number>>(sql('feeds/measure_parcels'));
  const before = await client.query<{ counts: RunCounts }>(
    statement('feeds/get_run_before', { run_id: undoes }),
  );
  const {
    rows: parcels = 0,
    matched_keys = 0,
    filled = {},
  } = before.rows[0]?.counts ?? ({} as Partial<RunCounts>);
  const { changed = 0, returned = 0, retired = 0 } = rows[0]!;
  const unchanged = Math.max(0, Number(parcels) - changed - returned);
  Object.assign(counts, { rows: parcels, matched_keys, filled, changed, returned, retired, unchanged });
}

/** Stages the sales that the run changed, and removes its events. @returns the number of sales */
async function stageListings(client: Client, undoes: number): Promise<number> {
  const run = { run_id: undoes };
  const kept = await client.query(bindValues(listingSql('market/stage_kept_listings'), run));
  const added = await client.query(bindValues(listingSql('market/stage_added_listings'), run));
  await client.query(statement('market/stage_leaving_listings', run));
  await client.query(sql('market/match_listings'));
  await client.query(sql('market/leave_out_events'));
  await client.query(statement('market/forget_listing_events', run));
  return (kept.rowCount ?? 0) + (added.rowCount ?? 0);
}

/** Gives parcels, keys and noted values back, before the parcels are written. @returns how many parcels */
async function giveBack(
  client: Client,
  { feedId }: RunContext,
  { id, as_of }: UndoableRun,
  counties: readonly number[],
): Promise<number> {
  const [run, feed, fips, day] = [literal(id), literal(feedId), literal(counties), literal(as_of)];
  const { rowCount } = await client.query(compose('feeds/give_back', { run, fips }));
  if (rowCount) await client.query(compose('feeds/restore_keys', { feed, fips }));
  await client.query(compose('feeds/forget_assessed', { fips, as_of: day }));
  await client.query(compose('feeds/restore_assessed', { run, as_of: day }));
  return rowCount ?? 0;
}
