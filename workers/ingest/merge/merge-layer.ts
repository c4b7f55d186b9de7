import { type Client, type Queryable, sql } from '../../../shared/db.ts';
import { LAYER_BITS, type LayerKind, type RoadReach } from '../../../shared/domain/land.ts';
import { type BoxColumns, boxOfColumns, boxSql, boxToE7, withMarginE7 } from '../../../shared/geo/box.ts';
import { fromE7 } from '../../../shared/geo/codec.ts';
import type { Box } from '../../../shared/geo/types.ts';
import { frontageMarginM } from '../../../shared/kernels/frontage/frontage.ts';
import { TERRAIN_MARGIN_M } from '../../../shared/raster/limits.ts';
import type { RunCounts } from '../run/counts.ts';
import type { AcceptedRun } from '../run/record.ts';

/** Where a layer is complete, and how far its roads reach. */
export type LayerScope = { coverage: Box; fips: number | null; reachM: RoadReach | null };

/** The coverage of a layer that has none but its county: a point in the Atlantic, where no parcel is. */
export const NOWHERE: Box = [0, 0, 0, 0];

type LayerRow = BoxColumns & {
  fips: number | null;
  reach_m: RoadReach | null;
};

/** A version of a layer: its scope, and the box around what was read of it. */
export type LayerVersion = { scope: LayerScope; extent: Box | null };

/** A box as the counts of a run keep it, in degrees. */
export function extentFigures(box: Box): Record<string, number> {
  const [west, south, east, north] = boxToE7(box).map(fromE7) as Box;
  return { west, south, east, north };
}

/** Where a run's layer is complete, as its counts keep it: a box, a county, or both. */
export function coverageFigures({ coverage, fips }: LayerScope): Partial<RunCounts> {
  return {
    ...(coverage !== NOWHERE && { coverage: extentFigures(coverage) }),
    ...(fips !== null && { coverage_fips: fips }),
  };
}

/** The box around what a run read, or null when it read nothing. */
export function extentOfRun({ counts }: AcceptedRun): Box | null {
  if (typeof counts.extent !== 'object') return null;
  const { west, south, east, north } = counts.extent;
  return [west!, south!, east!, north!];
}

/** The version of a feed's layer that readers see, or null before the first. */
export async function currentVersion(
  db: Queryable,
  feedId: number,
  run: AcceptedRun | null,
): Promise<LayerVersion | null> {
  const scope = await currentScope(db, feedId);
  return scope && { scope, extent: run && extentOfRun(run) };
}

async function currentScope(db: Queryable, feedId: number): Promise<LayerScope | null> {
  const { rows } = await db.query<LayerRow>(sql('layers/get_layer'), [feedId]);
  const [row] = rows;
  if (!row) return null;
  const { fips, reach_m: reachM } = row;
  return { coverage: boxOfColumns(row), fips, reachM };
}

/** Whether two scopes are stored alike. */
export function sameScope(a: LayerScope | undefined, b: LayerScope): boolean {
  if (a === undefined || a.fips !== b.fips || boxSql(boxToE7(a.coverage)) !== boxSql(boxToE7(b.coverage)))
    return false;
  const { reachM: before } = a;
  const { reachM: now } = b;
  if (before === null || now === null) return before === now;
  return before.highway === now.highway && before.normal === now.normal && before.local === now.local;
}

/** Brings the features of a layer to what the run staged, inside the caller's transaction. */
export async function mergeFeatures(client: Client, feedId: number): Promise<void> {
  await client.query(sql('layers/delete_gone_features'), [feedId]);
  await client.query(sql('layers/insert_features'), [feedId]);
}

export type SwitchedLayer = { runId: number; feedId: number; kind: LayerKind };

/**
 * Makes a run the version of its layer that readers see, once merges of parcels and of other layers that are under way are
 * done; the next ones wait until this transaction has ended. To be called first.
 */
export async function switchLayer(
  client: Client,
  { runId, feedId, kind }: SwitchedLayer,
  { coverage, fips, reachM }: LayerScope,
): Promise<void> {
  await client.query(sql('layers/lock_layers'));
  const reach = reachM === null ? null : JSON.stringify(reachM);
  const values = [feedId, kind, runId, boxSql(boxToE7(coverage)), fips, reach];
  await client.query(sql('layers/upsert_layer'), values);
}

/**
 * Marks the parcels whose attributes a new version of a layer puts out of date: those in its coverage before and now, and
 * those beside its features or files, which count for parcels of another layer's coverage too, as far as that one reaches. To
 * be called last: from then on no chunk of theirs is written.
 * @returns how many they are
 */
export async function markCovered(
  client: Client,
  kind: LayerKind,
  before: LayerVersion | null,
  now: LayerVersion,
): Promise<number> {
  const marginM = await marginOf(client, kind);
  const versions = before === null ? [now] : [before, now];
  const boxes = versions.flatMap(({ scope, extent }) =>
    [scope.coverage, extent]
      .filter(box => box !== null)
      .map(box => boxSql(withMarginE7(boxToE7(box), marginM))),
  );
  const counties = versions.flatMap(({ scope }) => scope.fips ?? []);
  const values = [boxes, counties, LAYER_BITS[kind]];
  return (await client.query(sql('layers/mark_covered_parcels'), values)).rowCount ?? 0;
}

/** How far from a parcel a layer of the kind changes its figures: for roads as far as any of them reaches. */
async function marginOf(client: Client, kind: LayerKind): Promise<number> {
  if (kind === 'elevation') return TERRAIN_MARGIN_M;
  if (kind !== 'roads') return 0;
  const { rows } = await client.query<{ reach_m: RoadReach }>(sql('layers/list_reaches'));
  return Math.max(0, ...rows.map(row => frontageMarginM(row.reach_m)));
}
