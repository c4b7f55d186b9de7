import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import {
  type BoxColumns,
  boxAround,
  boxOfColumns,
  boxSql,
  boxToE7,
  withMarginE7,
} from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { hilbertOrder } from '../../../shared/geo/hilbert.ts';
import { frontageMarginM } from '../../../shared/kernels/frontage/frontage.ts';
import { type Layer, marginM, reachOfOverlays } from '../../../shared/land/marked-layers.ts';
import { placesOf } from '../../../shared/land/read-features.ts';
import { isLayer, type LandKind } from '../../../shared/model/feed-kinds.ts';
import { isMeasured, LAYER_BITS, type LayerKind, type RoadReach } from '../../../shared/model/land-layers.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { LOCKS, withLock } from '../../../shared/platform/locks.ts';
import { enqueue } from '../../../shared/platform/queue/jobs.ts';
import { literal } from '../../../shared/platform/statements.ts';
import type { FeedBase } from '../../feeds/feed.ts';
import { planLandAttributesJob } from '../../land/plan-land-attributes-job.ts';
import { rejectedRows } from '../engine/gate.ts';
import type { Prepared } from '../engine/recipe.ts';
import type { RunContext } from '../engine/run-context.ts';
import { total } from '../engine/run-counts.ts';
import { lastAcceptedRun } from '../engine/run-record.ts';
import {
  checkLayerGates,
  type DeclaredPlace,
  homeBoxes,
  layerArea,
  tilesDeclared,
  tilesOutside,
} from './gate-layer.ts';
import {
  boxFigures,
  coverageFigures,
  currentVersion,
  type LayerScope,
  type LayerVersion,
  NO_COVERAGE,
  sameMeasures,
  sameScope,
} from './layer-version.ts';

export type LandFeed = FeedBase & { kind: LandKind; coverage: Box | null };

export type VersionFigures = { rows: number; new: number; changed?: number; retired: number };

/** Records a layer version's figures in the run's counts. */
export function recordVersion(counts: RunCounts, { rows, changed = 0, ...figures }: VersionFigures): number {
  Object.assign(counts, figures, { rows, changed, unchanged: rows - figures.new - changed });
  return rows;
}

type NewVersion = {
  words: string;
  rows: number;
  outside: number;
  declared: DeclaredPlace | null;
  version: LayerVersion;
  covered(version: LayerVersion): Readonly<Box> | null;
  /**
   * Whether the coverage is the source's bounding box. Plat assumes that nothing is missing inside the box.
   */
  boxed: boolean;
  merge(db: Db): Promise<void>;
};

export async function prepareVersion(
  { runId, feedId, counts, last, step }: RunContext,
  db: Db,
  { kind, fips, gates }: LandFeed,
  { words, rows, outside, declared, version, covered, boxed, merge }: NewVersion,
): Promise<Prepared> {
  const { scope, extent } = version;
  if (extent) counts.extent = boxFigures(extent);
  Object.assign(counts, coverageFigures(scope));
  const before = await currentVersion(db, feedId, last);
  await step('gate', 'checking', 0.74);
  const gate = checkLayerGates(
    {
      read: total(counts.read),
      rejected: rejectedRows(counts),
      rows,
      outside,
      extent,
      declared,
      boxed,
      covered: covered(version),
      filled: counts.filled,
      // A layer that was removed has no last run to compare with.
      last: before &&
        last && {
          rows: Number(last.counts.rows ?? 0),
          best: last.best,
          covered: covered(before),
          filled: last.counts.filled,
        },
    },
    gates,
    { rows: words, area: layerArea(fips) },
  );
  return {
    gate,
    touched: counts.new + counts.changed + counts.retired > 0 || !sameScope(before?.scope, scope),
    async merge(tx) {
      await switchLayer(tx, { runId, feedId, kind }, scope);
      const changed = kind === 'overlay' ? await changedOnly(tx, feedId, before?.scope, scope) : null;
      await merge(tx);
      if (changed !== null) await markPlaces(tx, 'overlay', changed, []);
      else if (isMeasured(kind)) await markCovered(tx, kind, before, version);
    },
  };
}

type Files = {
  words: string;
  tables: { staged: string; stored: string };
  merge(db: Db): Promise<void>;
};

export async function compareFiles(
  db: Db,
  run: RunContext,
  feed: LandFeed,
  files: readonly { extent: Box }[],
  { words, tables, merge }: Files,
): Promise<Prepared> {
  await run.step('match', 'comparing with current data', 0.68);
  const measured = await db.run<VersionFigures>('land/measure_sources', { feed_id: run.feedId }, tables);
  const extent = files.length === 0 ? null : boxAround(files.map(file => file.extent));
  const coverage = feed.coverage ?? extent ?? NO_COVERAGE;
  return prepareVersion(run, db, feed, {
    words,
    rows: recordVersion(run.counts, measured[0]!),
    outside: tilesOutside(files, homeBoxes(feed.fips)),
    declared: tilesDeclared(files, feed.coverage),
    // A file's data is valid outside the county too. Where there is no file, there is no data, even inside
    // the box.
    version: { scope: { coverage, fips: feed.fips, reachM: null, overlays: null }, extent },
    covered: version => version.extent,
    boxed: false,
    merge,
  });
}

export async function mergeFeatures(db: Db, feedId: number): Promise<void> {
  await db.run('land/delete_gone_features', { feed_id: feedId });
  await db.run('land/insert_features', { feed_id: feedId });
}

type SwitchedLayer = { runId: number; feedId: number; kind: LandKind };

/**
 * Makes a run the current version of its layer. Waits for running merges of parcels and other layers, and
 * blocks new ones until this transaction ends. Call this first.
 */
async function switchLayer(
  db: Db,
  { runId, feedId, kind }: SwitchedLayer,
  { coverage, fips, reachM, overlays: declared }: LayerScope,
): Promise<void> {
  await db.run('land/lock_layers');
  const reach = reachM === null ? null : JSON.stringify(reachM);
  const box = boxSql(boxToE7(coverage));
  const overlays = declared === null ? null : JSON.stringify(declared);
  const layer = { feed_id: feedId, kind, run_id: runId, coverage: box, fips, reach, overlays };
  await db.run('land/upsert_layer', layer);
}

/**
 * Marks parcels whose attributes are out of date after a new version of a layer: those in its old and new
 * coverage, and those near its features or files, because these also affect parcels in another layer's
 * coverage. Call this last, because no chunk with these parcels may be written afterward.
 * @returns the number of marked parcels
 */
async function markCovered(
  db: Db,
  kind: LayerKind,
  before: LayerVersion | null,
  now: LayerVersion,
): Promise<number> {
  const versions = before === null ? [now] : [before, now];
  const margin = marginM(kind, {
    roadsM: (await roadMarginM(db)) ?? 0,
    overlaysM: Math.max(reachOfOverlays(versions.map(({ scope }) => scope)), await overlayMarginM(db)),
  });
  const boxes = versions.flatMap(({ scope, extent }) =>
    [scope.coverage, extent]
      .filter(box => box !== null)
      .map(box => boxSql(withMarginE7(boxToE7(box), margin))),
  );
  const counties = versions.flatMap(({ scope }) => scope.fips ?? []);
  return markPlaces(db, kind, boxes, counties);
}

/** Marks the parcels in boxes and counties. */
function markPlaces(db: Db, kind: LayerKind, boxes: string[], counties: number[]): Promise<number> {
  const parts = { boxes: literal(boxes), counties: literal(counties), layers: literal(LAYER_BITS[kind]) };
  return db.rowCount('land/mark_covered_parcels', {}, parts);
}

/**
 * Where the features change, if nothing else does. Otherwise null, because all parcels have to be measured.
 * Call this before the features are replaced.
 */
async function changedOnly(
  db: Db,
  feedId: number,
  before: LayerScope | undefined,
  now: LayerScope,
): Promise<string[] | null> {
  if (before === undefined || !sameMeasures(before, now)) return null;
  const rows = await db.run<BoxColumns>('land/list_changed_extents', { feed_id: feedId });
  const margin = await overlayMarginM(db);
  const boxes = rows.map(row => withMarginE7(boxOfColumns(row), margin));
  const order = hilbertOrder(
    boxes.map(([west, , east]) => (west + east) / 2),
    boxes.map(([, south, , north]) => (south + north) / 2),
  );
  return placesOf(Array.from(order, i => boxes[i]!)).map(boxSql);
}

/** The distance up to which any feed measures overlays, in meters. */
const overlayMarginM = async (db: Db): Promise<number> =>
  reachOfOverlays(await db.run<Pick<Layer, 'overlays'>>('land/list_overlays'));

/**
 * The distance from a parcel within which any road layer affects its figures, or null if there are no roads.
 */
export async function roadMarginM(db: Db): Promise<number | null> {
  const rows = await db.run<{ reach_m: RoadReach }>('land/list_reaches');
  return rows.length === 0 ? null : Math.max(...rows.map(row => frontageMarginM(row.reach_m)));
}

type RemovedLayer = {
  kind: LandKind;
  features: number;
  tiles: number;
  parcels: number;
  /** The job that recomputes the parcels, or null if there are none. */
  job: string | null;
};

/**
 * Removes a land layer in one transaction, after a running run of its feed has ended. Its runs stay as
 * history. The gate treats the feed's next run as its first.
 * @throws PlatError `feed_unknown` (404) if no layer has the name, `feed_kind` if the feed is not a land
 * layer
 */
export async function removeLayer(db: Db, name: string, signal: AbortSignal): Promise<RemovedLayer> {
  const { id, kind } = await findLayer(db, name);
  return withLock(db, [LOCKS.feed, id], signal, () =>
    db.transaction(async tx => {
      await tx.run('feeds/lock_feed', { feed_id: id });
      // Take the layer lock first, as a merge does.
      await tx.run('land/lock_layers');
      const version = await currentVersion(tx, id, await lastAcceptedRun(tx, id));
      if (version === null) throw nothingThere(name);
      const count = (name: string) => tx.rowCount(name, { feed_id: id });
      await count('land/delete_layer');
      const features = await count('land/delete_features');
      const tiles = (await count('land/delete_tiles')) + (await count('imagery/delete_imagery'));
      const parcels = isMeasured(kind) ? await markCovered(tx, kind, null, version) : 0;
      const job =
        parcels > 0 ? (await enqueue(tx, planLandAttributesJob, { scope: { dirty: true } })).id : null;
      return { kind, features, tiles, parcels, job };
    }),
  );
}

async function findLayer(db: Db, name: string): Promise<{ id: number; kind: LandKind }> {
  const rows = await db.run<{ id: number; kind: string }>('feeds/find_feed', { name });
  const [feed] = rows;
  if (feed === undefined) throw nothingThere(name);
  const { id, kind } = feed;
  if (isLayer(kind)) return { id, kind };
  throw new PlatError(
    'feed_kind',
    kind === 'listings'
      ? `${name} is a feed of listings, not a land layer. To take listings off the market, run it with a snapshot that no longer lists them.`
      : `${name} is a feed of parcels, not a land layer. To retire parcels, run it with a roll that no longer lists them.`,
  );
}

function nothingThere(name: string): PlatError {
  return new PlatError(
    'feed_unknown',
    `There is no layer of a feed named ${name}. \`plat runs\` lists all runs.`,
  );
}
