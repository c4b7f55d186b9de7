import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { type BoxColumns, boxOfColumns, boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import { fromE7 } from '../../../shared/geo/geometry-codec.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { RoadReach } from '../../../shared/model/land-layers.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { AcceptedRun } from '../engine/run-record.ts';

export type LayerScope = { coverage: Box; fips: number | null; reachM: RoadReach | null };

/**
 * The coverage of a layer whose only coverage is its county: a point in the Atlantic, where there are no
 * parcels.
 */
export const NO_COVERAGE: Box = [0, 0, 0, 0];

type LayerRow = BoxColumns & { fips: number | null; reach_m: RoadReach | null };

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
  const scope = { coverage: boxOfColumns(row), fips: row.fips, reachM: row.reach_m };
  const extent = run?.counts.extent;
  if (typeof extent !== 'object') return { scope, extent: null };
  const { west, south, east, north } = extent;
  return { scope, extent: [west!, south!, east!, north!] };
}

export function sameScope(a: LayerScope | undefined, b: LayerScope): boolean {
  if (a === undefined || a.fips !== b.fips || boxSql(boxToE7(a.coverage)) !== boxSql(boxToE7(b.coverage)))
    return false;
  const { reachM: before } = a;
  const { reachM: now } = b;
  if (before === null || now === null) return before === now;
  return before.highway === now.highway && before.normal === now.normal && before.local === now.local;
}
