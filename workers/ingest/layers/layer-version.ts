import { isDeepStrictEqual } from 'node:util';
import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { type BoxColumns, boxOfColumns, boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { fromE7 } from '../../../shared/geo/geometry-codec.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { RoadReach } from '../../../shared/model/land-layers.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { AcceptedRun } from '../engine/run-record.ts';

export type LayerScope = {
  coverage: Box;
  fips: number | null;
  reachM: RoadReach | null;
  /** Only for overlays. */
  overlays: Overlay[] | null;
};

/**
 * The coverage of a layer whose only coverage is its county: a point in the Atlantic, where there are no
 * parcels.
 */
export const NO_COVERAGE: Box = [0, 0, 0, 0];

type LayerRow = BoxColumns & Pick<LayerScope, 'fips' | 'overlays'> & { reach_m: RoadReach | null };

export type LayerVersion = { scope: LayerScope; extent: Box | null };

export function boxFigures(box: Box): Record<string, number> {
  const [west, south, east, north] = boxToE7(box).map(fromE7) as Box;
  return { west, south, east, north };
}

export function coverageFigures({ coverage, fips }: LayerScope): Partial<RunCounts> {
  return {
    ...(coverage !== NO_COVERAGE && { coverage: boxFigures(coverage) }),
    ...(fips !== null && { coverage_fips: fips }),
  };
}

export async function currentVersion(
  db: Db,
  feedId: number,
  run: AcceptedRun | null,
): Promise<LayerVersion | null> {
  const [row] = await db.run<LayerRow>('land/get_layer', { feed_id: feedId });
  if (!row) return null;
  const { fips, reach_m: reachM, overlays } = row;
  const scope = { coverage: boxOfColumns(row), fips, reachM, overlays };
  const extent = run?.counts.extent;
  if (typeof extent !== 'object') return { scope, extent: null };
  const { west, south, east, north } = extent;
  return { scope, extent: [west!, south!, east!, north!] };
}

const sameCoverage = (a: LayerScope, b: LayerScope): boolean =>
  a.fips === b.fips && boxSql(boxToE7(a.coverage)) === boxSql(boxToE7(b.coverage));

/** Whether two versions of overlays measure the same parcels in the same way, apart from their features. */
export function sameMeasures(a: LayerScope, b: LayerScope): boolean {
  const measuresOf = ({ overlays }: LayerScope) =>
    overlays!.map(({ name, distance_ft, numbers }) => [name, distance_ft, numbers.map(({ name }) => name)]);
  return sameCoverage(a, b) && isDeepStrictEqual(measuresOf(a), measuresOf(b));
}

export function sameScope(a: LayerScope | undefined, b: LayerScope): boolean {
  if (a === undefined || !sameCoverage(a, b) || !isDeepStrictEqual(a.overlays, b.overlays)) return false;
  const { reachM: before } = a;
  const { reachM: now } = b;
  if (before === null || now === null) return before === now;
  return before.highway === now.highway && before.normal === now.normal && before.local === now.local;
}
