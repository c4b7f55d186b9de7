import type { GateResult } from '../../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { LOCKS } from '../../../../shared/platform/locks.ts';
import { compose, sql } from '../../../../shared/platform/statements.ts';
import { forgetKeptNames } from '../../../changes/forget-kept-names.ts';
import { alternatives } from '../../../feeds/feed-columns.ts';
import { lastFigures, rejectedRows } from '../../engine/gate.ts';
import { readBatches } from '../../engine/read-input.ts';
import type { Prepared, Recipe } from '../../engine/recipe.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { total } from '../../engine/run-counts.ts';
import { rejectDuplicates, withStage, withStages } from '../../engine/stage-rows.ts';
import { LISTING_PARTS, mergeListings } from '../listings/listing-record.ts';
import { measureSales, stageSales } from '../listings/stage-sales.ts';
import type { AssessorFeed, ParcelInput } from './assessor-feed.ts';
import { checkAssessor } from './check-assessor.ts';
import { completeFromFurtherRolls, completeRows, furtherParcels, stageFurtherRoll } from './further-rolls.ts';
import { joinShapes } from './join-shapes.ts';
import { compileParcelMapper, type MappedParcel, showsSales } from './map-parcel.ts';
import { countCoverage, mergeParcels } from './merge-parcels.ts';
import { type Overlapping, stageOverlap, takeOver } from './other-feeds.ts';
import { type Acreage, checkParcelGates, type UndoneAgain } from './parcel-gates.ts';
import { countParcelsOutside } from './parcel-places.ts';
import { analyzePartitions, ensurePartitions } from './partitions.ts';
import { rollParts } from './roll-sql.ts';
import {
  DERIVATION,
  type DeriveColumns,
  derivation,
  readZipCounties,
  stageMapped,
  stageParcels,
} from './stage-parcels.ts';

/** Share of a roll that must change before its tables are analyzed: autovacuum's own threshold. */
const ANALYZE_FROM = 0.1;

export const assessorRecipe: Recipe<AssessorFeed, void> = {
  tables: [
    sql('feeds/create_raw_stage'),
    compose('feeds/create_parcel_stage', rollParts()),
    sql('feeds/create_further_stage'),
    compose('market/create_listing_stage', LISTING_PARTS),
  ],
  version: DERIVATION,
  stage: stageInputs,
  compare,
  inputs: parcelInputs,
  check: checkAssessor,
};

async function stageInputs(run: RunContext, feed: AssessorFeed): Promise<void> {
  const derive = derivation(await readZipCounties(run.db));
  const all = parcelInputs(feed);
  for (const [i, input] of all.entries()) {
    if (i > 0 && i === feed.furtherRolls.length)
      await withStage(run.db, run, connection => completeFromFurtherRolls(connection, run));
    await stageInput(run, feed, derive, input, [(0.6 * i) / all.length, (0.6 * (i + 1)) / all.length]);
  }
}

type NamedInput = [name: string, input: ParcelInput];

/** Inputs in reading order. Additional rolls come first, because they complete the roll's rows. */
function parcelInputs({ roll, furtherRolls, shape }: AssessorFeed): NamedInput[] {
  return [
    ...furtherRolls.map((input, i): NamedInput => [`roll ${i + 2}`, input]),
    ['roll', roll],
    ...(shape ? [['shape', shape] satisfies NamedInput] : []),
  ];
}

async function compare(tx: Db, run: RunContext, feed: AssessorFeed): Promise<Prepared> {
  const { runId, feedId, counts } = run;
  await joinKeys(tx, run);
  await run.step('match', 'comparing with the previous roll', 0.68);
  const counties = await tx.run<{ fips: number }>('feeds/list_stage_counties', { feed_id: feedId });
  const fips = counties.map(row => row.fips);
  await ensurePartitions(run.db, fips);
  // Locks the compared data until the merge. Another feed could take over parcels or load the same ones.
  await tx.run('land/lock_counties', { lock: LOCKS.countyRoll, counties: fips });
  await tx.run('feeds/create_before_stage', {}, rollParts({ feed: feedId, fips }));
  await tx.execute('analyze stage_before (fips, key)');
  const overlapping = await stageOverlap(tx, feedId, fips, { overlap: feed.overlap, force: run.force });
  if (overlapping.left > 0) counts.of_other_feeds = overlapping.left;
  if (overlapping.taken > 0) counts.taken_over = overlapping.taken;
  await tx.run('feeds/match_parcels');
  await tx.execute('analyze stage_match');
  const measured = await tx.run<ParcelFigures>('feeds/measure_parcels');
  const figures = measured[0]!;
  recordFigures(run, feed, figures);
  if (feed.sales) counts.sales = await stageSales(tx, 'market/recorded_of_roll', feed.sales, feedId, fips);

  await run.step('gate', 'checking', 0.74);
  const sales = await measureSales(tx, feed.sales, feedId);
  const gate = await checkGates(tx, run, feed, { fips, figures, sales, overlapping });
  return {
    gate,
    touched:
      counts.new + counts.changed + counts.returned + counts.retired + sales.touched + overlapping.taken > 0,
    async merge(tx) {
      const day = feed.asOf ?? new Date().toISOString().slice(0, 10);
      const [taken, sales] = [overlapping.taken > 0, feed.sales !== null];
      // Store the previous data, so that the run can be undone.
      await tx.run(
        'feeds/keep_parcels',
        {},
        rollParts({ run: runId, feed: feedId, fips, as_of: day, taken }),
      );
      if (sales) await tx.run('market/keep_listings', { run_id: runId });
      await tx.run('feeds/allow_undo', { run_id: runId, as_of: day });
      if (taken) await takeOver(tx, feedId, fips);
      await mergeParcels(tx, runId, feedId, day);
      await forgetKeptNames(tx, { runId });
      // Recount here, because mergeParcels doesn't recount parcels that only moved between feeds.
      if (taken) await countCoverage(tx, fips);
      if (sales) await mergeListings(tx, runId, feedId);
    },
    async tidy() {
      const moved = counts.new + counts.changed + counts.returned + counts.retired;
      if (moved > ANALYZE_FROM * figures.parcels) await analyzePartitions(run.db, fips);
    },
  };
}

/** Reduces rows and shapes to one of each per key. */
async function joinKeys(db: Db, run: RunContext): Promise<void> {
  const { runId, counts } = run;
  await run.step('join', 'joining keys', 0.62);
  await rejectDuplicates(db, run, 'feeds/resolve_roll_duplicates');
  await joinShapes(db, runId, counts);
  await db.execute('analyze stage_removed (fips, key)');
  const summed = await db.rowCount('feeds/sum_part_acres');
  if (summed > 0) counts.acres_summed = summed;
  await db.execute('analyze stage_roll (fips, key)');
  await db.execute('analyze stage_shape (fips, key)');
}

type Compared = {
  fips: number[];
  figures: ParcelFigures;
  sales: { before: number; leaving: number };
  overlapping: Overlapping;
};

async function checkGates(
  db: Db,
  { feedId, counts, last }: RunContext,
  feed: AssessorFeed,
  { fips, figures, sales, overlapping }: Compared,
): Promise<GateResult> {
  const undone = await db.run<UndoneAgain>('feeds/measure_undone', { feed_id: feedId });
  return checkParcelGates(
    {
      read: total(counts.read),
      rejected: rejectedRows(counts),
      rows: figures.parcels,
      matchedKeys: Number(counts.matched_keys),
      before: figures.changed + figures.unchanged + figures.retired,
      retired: figures.retired,
      overlap: feed.overlap === 'block' ? overlapping.feeds : [],
      undone: undone[0] ?? null,
      outside: await countParcelsOutside(db, fips),
      acreage: await acreageOf(db, feed),
      sales,
      filled: counts.filled,
      unusableShapes: feed.shape ? 0 : (counts.dropped.geometry ?? 0),
      unjoined: feed.shape ? { roll: figures.roll_without_shape, shape: figures.shape_without_roll } : null,
      last: lastFigures(last),
    },
    feed.gates,
  );
}

type ParcelFigures = {
  parcels: number;
  joined: number;
  roll_without_shape: number;
  shape_without_roll: number;
  new: number;
  changed: number;
  returned: number;
  unchanged: number;
  retired: number;
};

function recordFigures({ counts }: RunContext, feed: AssessorFeed, figures: ParcelFigures): void {
  counts.rows = figures.parcels;
  counts.matched_keys = figures.joined;
  if (feed.shape) {
    counts.roll_without_shape = figures.roll_without_shape;
    counts.shape_without_roll = figures.shape_without_roll;
  } else {
    counts.without_geometry = figures.roll_without_shape;
  }
  for (const name of ['new', 'changed', 'returned', 'unchanged', 'retired'] as const)
    counts[name] = figures[name];
}

async function stageInput(
  run: RunContext,
  feed: AssessorFeed,
  derive: DeriveColumns,
  [name, input]: NamedInput,
  progress: readonly [number, number],
): Promise<void> {
  const { counts } = run;
  const isFurther = feed.furtherRolls.includes(input);
  const batches = readBatches(run, name, input.input, progress);
  const sales = name !== 'shape' && showsSales(input) ? feed.sales : null;
  const rows = { name, batches, map: compileParcelMapper(input, { fips: feed.fips, sales }) };
  await withStages(run, 3, async ([roll, shape, raw], rejects) => {
    const stage = { roll: roll!, shape: shape!, raw: raw!, rejects, counts };
    if (isFurther) {
      const number = feed.furtherRolls.indexOf(input) + 1;
      await stageFurtherRoll(rows, number, stage);
    } else if (name === 'shape') {
      const hasAttributes = Object.keys(input.columns).length > 0;
      await stageParcels({ ...rows, name, derive, hasAttributes }, stage);
    } else {
      const parcels = { ...rows, name: 'roll' as const, derive, hasAttributes: true };
      if (feed.furtherRolls.length === 0) {
        await stageParcels(parcels, stage);
        return;
      }
      const complete = (parsed: readonly MappedParcel[]) => completeRows(stage.raw, parsed);
      await stageParcels({ ...parcels, complete }, stage);
      await stage.raw.transaction(tx => stageMapped(furtherParcels(tx), derive, stage), { retries: false });
    }
  });
}

async function acreageOf(db: Db, { roll, furtherRolls, shape }: AssessorFeed): Promise<Acreage> {
  const rows = await db.run<Omit<Acreage, 'unit'>>('feeds/measure_acreage');
  const column = [roll, ...furtherRolls, shape].find(input => input?.columns.acres)?.columns.acres;
  const unit = (column && alternatives(column)[0]?.unit) ?? 'acres';
  return { ...rows[0]!, unit: typeof unit === 'object' ? null : unit };
}
