import { type Client, type Queryable, sql } from '../../../shared/db.ts';
import { LAYER_BITS, type LayerKind, type RoadReach } from '../../../shared/domain/land.ts';
import type { Extent } from '../../../shared/kernels/geometry/types.ts';
import { boxText, grownBy } from '../stage/coverage.ts';

/** Where a layer is complete, and how far its roads reach. */
export type LayerScope = { coverage: Extent; fips: number | null; reachM: RoadReach | null };

/** The coverage of a layer in which nothing was read: a point in the Atlantic, where no parcel is. */
export const NOWHERE: Extent = [0, 0, 0, 0];

type LayerRow = {
  west: number;
  south: number;
  east: number;
  north: number;
  fips: number | null;
  reach_m: RoadReach | null;
};

/** The version of a feed's layer that readers see, or null before the first. */
export async function currentScope(db: Queryable, feedId: number): Promise<LayerScope | null> {
  const { rows } = await db.query<LayerRow>(sql('layers/get_layer'), [feedId]);
  const [row] = rows;
  if (!row) return null;
  const { west, south, east, north, fips, reach_m: reachM } = row;
  return { coverage: [west, south, east, north], fips, reachM };
}

/** Whether two scopes are stored alike. */
export function sameScope(a: LayerScope | null, b: LayerScope): boolean {
  if (a === null || a.fips !== b.fips || boxText(a.coverage) !== boxText(b.coverage)) return false;
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
 * Makes a run the version of its layer that readers see, once merges of parcels that are under way are done: they hold the
 * table of layers, and the next one waits until this transaction has ended. To be called first.
 */
export async function switchLayer(
  client: Client,
  { runId, feedId, kind }: SwitchedLayer,
  { coverage, fips, reachM }: LayerScope,
): Promise<void> {
  const reach = reachM === null ? null : JSON.stringify(reachM);
  const values = [feedId, kind, runId, boxText(coverage), fips, reach];
  await client.query(sql('layers/upsert_layer'), values);
}

/**
 * Marks the parcels whose attributes a new version of a layer puts out of date: those in its coverage before and now,
 * which for roads ends as far outside as a road reaches. To be called last: from then on no chunk of theirs is written.
 */
export async function markCovered(
  client: Client,
  kind: LayerKind,
  before: LayerScope | null,
  now: LayerScope,
): Promise<void> {
  const scopes = before === null ? [now] : [before, now];
  const boxes = scopes.map(scope => boxText(grownBy(reachOf(scope), scope.coverage)));
  const counties = scopes.flatMap(scope => scope.fips ?? []);
  await client.query(sql('layers/mark_covered_parcels'), [boxes, counties, LAYER_BITS[kind]]);
}

function reachOf({ reachM }: LayerScope): number {
  return reachM === null ? 0 : Math.max(...Object.values(reachM));
}
