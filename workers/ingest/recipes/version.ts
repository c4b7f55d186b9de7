import type { Client } from '../../../shared/db.ts';
import type { Box } from '../../../shared/geo/types.ts';
import type { RunCounts } from '../../../shared/runs.ts';
import type { ElevationFeed, ImageryFeed, LayerFeed } from '../../feeds/feed.ts';
import { rejectedRows } from '../gate/gate.ts';
import { judgeLayer, layerArea } from '../gate/layer.ts';
import type { DeclaredPlace } from '../gate/place.ts';
import { markCovered, switchLayer } from '../merge/layer.ts';
import type { RunContext } from '../run/context.ts';
import { total } from '../run/counts.ts';
import {
  boxFigures,
  coverageFigures,
  currentVersion,
  type LayerVersion,
  sameScope,
} from '../run/layer-version.ts';
import type { Prepared } from './recipe.ts';

/** How the rows of a run compare with those of the version that readers see. */
export type VersionFigures = { rows: number; new: number; changed?: number; retired: number };

/** Notes them in the counts of the run. @returns the rows of the new version */
export function recordVersion(counts: RunCounts, { rows, changed = 0, ...figures }: VersionFigures): number {
  Object.assign(counts, figures, { rows, changed, unchanged: rows - figures.new - changed });
  return rows;
}

export type NewVersion = {
  /** What its rows are called. */
  words: string;
  rows: number;
  outside: number;
  declared: DeclaredPlace | null;
  version: LayerVersion;
  /** The box in which a version tells something. */
  covered(version: LayerVersion): Readonly<Box> | null;
  /** Whether that is the box around what was read: where what is not shown is taken for not there. */
  boxed: boolean;
  merge(client: Client): Promise<void>;
};

/** What the recipes of all land layers share: a new version is judged against the one that readers see, and takes its place. */
export async function prepareVersion(
  { runId, feedId, counts, last, step }: RunContext,
  client: Client,
  { kind, fips, gates }: LayerFeed | ElevationFeed | ImageryFeed,
  { words, rows, outside, declared, version, covered, boxed, merge }: NewVersion,
): Promise<Prepared> {
  const { scope, extent } = version;
  if (extent) counts.extent = boxFigures(extent);
  Object.assign(counts, coverageFigures(scope));
  const before = await currentVersion(client, feedId, last);
  await step('gate', 'checking', 0.74);
  const gate = judgeLayer(
    {
      ...{ read: total(counts.read), rejected: rejectedRows(counts), rows, outside, extent, declared, boxed },
      covered: covered(version),
      filled: counts.filled,
      // A layer that was removed begins anew.
      last: before &&
        last && { rows: Number(last.counts.rows ?? 0), covered: covered(before), filled: last.counts.filled },
    },
    gates,
    { rows: words, area: layerArea(fips) },
  );
  return {
    gate,
    touched: counts.new + counts.changed + counts.retired > 0 || !sameScope(before?.scope, scope),
    async merge(transaction) {
      await switchLayer(transaction, { runId, feedId, kind }, scope);
      await merge(transaction);
      // Nothing is computed from imagery: pictures know its version.
      if (kind !== 'imagery') await markCovered(transaction, kind, before, version);
    },
  };
}
