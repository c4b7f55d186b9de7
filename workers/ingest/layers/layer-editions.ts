import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { boxAround } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { LandKind } from '../../../shared/model/feed-kinds.ts';
import { isMeasured } from '../../../shared/model/land-layers.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { FeedBase } from '../../feeds/feed.ts';
import { rejectedRows } from '../engine/gate.ts';
import type { Prepared } from '../engine/recipe.ts';
import type { RunContext } from '../engine/run-context.ts';
import { total } from '../engine/run-counts.ts';
import { checkLayerGates, layerArea } from './gate-layer.ts';
import { type DeclaredPlace, homeBoxes, tilesDeclared, tilesOutside } from './gate-place.ts';
import {
  boxFigures,
  coverageFigures,
  currentVersion,
  type LayerVersion,
  NO_COVERAGE,
  sameScope,
} from './layer-version.ts';
import { markCovered, switchLayer } from './merge-layer.ts';

/** A feed of a layer with features or files. */
export type LandFeed = FeedBase & { kind: LandKind; coverage: Box | null };

export type VersionFigures = { rows: number; new: number; changed?: number; retired: number };

/** Records them in the counts of the run. */
export function recordVersion(counts: RunCounts, { rows, changed = 0, ...figures }: VersionFigures): number {
  Object.assign(counts, figures, { rows, changed, unchanged: rows - figures.new - changed });
  return rows;
}

export type NewVersion = {
  words: string;
  rows: number;
  outside: number;
  declared: DeclaredPlace | null;
  version: LayerVersion;
  covered(version: LayerVersion): Readonly<Box> | null;
  /**
   * Whether the coverage is the bounding box of the source. Anything missing inside counts as nonexistent.
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
      // A layer that was removed starts over.
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
      await merge(tx);
      if (isMeasured(kind)) await markCovered(tx, kind, before, version);
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
    // A file is as good outside the county as inside. Without a file there is no information, however large
    // the box is.
    version: { scope: { coverage, fips: feed.fips, reachM: null }, extent },
    covered: version => version.extent,
    boxed: false,
    merge,
  });
}
