import type { RunCounts } from '../../../../shared/feeds/ingest-runs.ts';
import { findUndoable, type UndoableRun, type UndoPayload } from '../../../../shared/feeds/undo-runs.ts';
import { type FieldValue, PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import { copyValue, openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { LOCKS } from '../../../../shared/platform/locks.ts';
import { literal } from '../../../../shared/platform/statements.ts';
import { type RunResult, runLocked } from '../../engine/locked-run.ts';
import { mergeRun } from '../../engine/merge-run.ts';
import type { Prepared } from '../../engine/recipe.ts';
import type { RunContext, RunDeps } from '../../engine/run-context.ts';
import { createStage, takeOverStage } from '../../engine/stage-rows.ts';
import { LISTING_PARTS, mergeListings } from '../listings/listing-record.ts';
import { assessorRecipe } from './assessor-recipe.ts';
import { countCoverage, mergeParcels } from './merge-parcels.ts';
import { COPY_ROLL, type DeriveColumns, derivation, readZipCounties } from './stage-parcels.ts';

/**
 * Undoes a run by means of a new run, whose rows are the parcels as they were stored before the undone run.
 * @throws PlatError `undo_refused`
 */
export async function undoRun(
  deps: RunDeps,
  { run: undoes, requestedBy, jobId }: UndoPayload & { jobId: string | null },
): Promise<RunResult> {
  const { db } = deps;
  const [found] = await db.run<{ feed_id: number }>('feeds/find_feed_of_run', { run_id: undoes });
  // Throws if the run doesn't exist. The merge checks whether it can be undone.
  const feedId = found?.feed_id ?? (await findUndoable(db, undoes)).feed_id;
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
    await takeOverStage(db, run, null);
    await createStage(db, run, assessorRecipe.tables);
    const derive = derivation(await readZipCounties(db));
    return mergeRun(run, tx => compare(tx, run, undoes, derive), false);
  });
}

async function compare(db: Db, run: RunContext, undoes: number, derive: DeriveColumns): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  const undone = await findUndoable(db, undoes);
  await run.step('stage', 'reading earlier parcels', 0.1);
  const counties = await db.run<{ fips: number }>('feeds/list_undo_counties', {
    run_id: undoes,
    feed_id: feedId,
  });
  const fips = counties.map(county => county.fips);
  await db.run('land/lock_counties', { lock: LOCKS.countyRoll, counties: fips });
  const literals = { run: literal(undoes), fips: literal(fips) };
  await db.run('feeds/create_now_stage', {}, literals);
  await stageRolls(db, undoes, derive);
  await db.run('feeds/stage_kept_shapes', { run_id: undoes });
  await db.execute('analyze stage_now; analyze stage_roll (fips, key); analyze stage_shape (fips, key)');
  await run.step('match', 'comparing with current parcels', 0.5);
  await db.run('feeds/match_kept_parcels', {}, literals);
  await db.execute('analyze stage_match');
  await recordFigures(db, counts, undoes);
  const listings = await stageListings(db, undoes);
  return {
    gate: { blocked: [], figures: { undoes } },
    touched: true,
    async merge(tx) {
      await tx.run('feeds/keep_undone', { run_id: runId });
      counts.given_back = await giveBack(tx, run, undone, fips);
      await mergeParcels(tx, runId, feedId, new Date().toISOString().slice(0, 10));
      await countCoverage(tx, fips);
      if (listings > 0) {
        await mergeListings(tx, runId, feedId);
        await tx.run('market/give_back_listings', { run_id: undoes });
      }
      await tx.run('feeds/end_undone', { run_id: undoes });
    },
  };
}

const BATCH = 5_000;

type Kept = { property_id: number; fips: number; was: Record<string, FieldValue> };

/** Stages parcels under their ids, because parcels of several feeds may share a key. */
async function stageRolls(db: Db, undoes: number, derive: DeriveColumns): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await db.run<Kept>('feeds/read_kept_rolls', { run_id: undoes, after, limit: BATCH });
    if (rows.length === 0) return;
    after = rows.at(-1)!.property_id;
    const copy = openCopy(db, COPY_ROLL);
    for (const { property_id: id, fips, was } of rows) {
      const values = PARCEL_FIELD_NAMES.map(name => was[name] ?? null);
      const cells = [0, id, fips, id, was.roll_hash!, false, null, null, null].map(copyValue).join('\t');
      copy.write(`${cells}\t${derive(values, fips)}\t${values.map(copyValue).join('\t')}`);
    }
    await copy.drain();
    await copy.end();
  }
}

/** Records the figures from before the undone run, because the feed's next run will be compared with them. */
async function recordFigures(db: Db, counts: RunCounts, undoes: number): Promise<void> {
  const rows = await db.run<Record<string, number>>('feeds/measure_parcels');
  const [before] = await db.run<{ counts: RunCounts }>('feeds/get_run_before', { run_id: undoes });
  const { rows: parcels = 0, matched_keys = 0, filled = {} } = before?.counts ?? ({} as Partial<RunCounts>);
  const { changed = 0, returned = 0, retired = 0 } = rows[0]!;
  const unchanged = Math.max(0, Number(parcels) - changed - returned);
  Object.assign(counts, { rows: parcels, matched_keys, filled, changed, returned, retired, unchanged });
}

/** Stages the sales that the run changed, and removes its events. @returns the number of sales */
async function stageListings(db: Db, undoes: number): Promise<number> {
  const run = { run_id: undoes };
  const kept = await db.rowCount('market/stage_kept_listings', run, LISTING_PARTS);
  const added = await db.rowCount('market/stage_added_listings', run, LISTING_PARTS);
  await db.run('market/stage_leaving_listings', run);
  await db.run('market/match_listings');
  await db.run('market/leave_out_events');
  await db.run('market/forget_listing_events', run);
  return kept + added;
}

/** Restores parcels, keys, and assessed values, before the parcels are written. */
async function giveBack(
  db: Db,
  { feedId }: RunContext,
  { id, as_of }: UndoableRun,
  counties: readonly number[],
): Promise<number> {
  const [run, feed, fips, day] = [literal(id), literal(feedId), literal(counties), literal(as_of)];
  const rowCount = await db.rowCount('feeds/give_back', {}, { run, fips });
  if (rowCount) await db.run('feeds/restore_keys', {}, { feed, fips });
  await db.run('feeds/forget_assessed', {}, { fips, as_of: day });
  await db.run('feeds/restore_assessed', {}, { run, as_of: day });
  return rowCount;
}
