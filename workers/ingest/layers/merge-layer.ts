import { boxSql, boxToE7, withMarginE7 } from '../../../shared/geo/box.ts';
import { frontageMarginM } from '../../../shared/kernels/frontage/frontage.ts';
import type { LandKind } from '../../../shared/model/feed-kinds.ts';
import { LAYER_BITS, type LayerKind, type RoadReach } from '../../../shared/model/land-layers.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { literal } from '../../../shared/platform/statements.ts';
import { TERRAIN_MARGIN_M } from '../../../shared/raster/limits.ts';
import type { LayerScope, LayerVersion } from './layer-version.ts';

export async function mergeFeatures(db: Db, feedId: number): Promise<void> {
  await db.run('land/delete_gone_features', { feed_id: feedId });
  await db.run('land/insert_features', { feed_id: feedId });
}

export type SwitchedLayer = { runId: number; feedId: number; kind: LandKind };

/**
 * Makes a run the version of its layer that readers see, once merges of parcels and of other layers
 * that are under way are done; the next ones wait until this transaction has ended. To be called first.
 */
export async function switchLayer(
  db: Db,
  { runId, feedId, kind }: SwitchedLayer,
  { coverage, fips, reachM }: LayerScope,
): Promise<void> {
  await db.run('land/lock_layers');
  const reach = reachM === null ? null : JSON.stringify(reachM);
  const box = boxSql(boxToE7(coverage));
  await db.run('land/upsert_layer', { feed_id: feedId, kind, run_id: runId, coverage: box, fips, reach });
}

/**
 * Marks the parcels whose attributes a new version of a layer puts out of date: those in its coverage
 * before and now, and those beside its features or files, which count for parcels of another layer's coverage
 * too, as far as that one reaches. To be called last: from then on no chunk of theirs is written.
 * @returns how many they are
 */
export async function markCovered(
  db: Db,
  kind: LayerKind,
  before: LayerVersion | null,
  now: LayerVersion,
): Promise<number> {
  const marginM = await marginOf(db, kind);
  const versions = before === null ? [now] : [before, now];
  const boxes = versions.flatMap(({ scope, extent }) =>
    [scope.coverage, extent]
      .filter(box => box !== null)
      .map(box => boxSql(withMarginE7(boxToE7(box), marginM))),
  );
  const counties = versions.flatMap(({ scope }) => scope.fips ?? []);
  const parts = { boxes: literal(boxes), counties: literal(counties), layers: literal(LAYER_BITS[kind]) };
  return db.rowCount('land/mark_covered_parcels', {}, parts);
}

/** The distance at which a layer of the kind changes a parcel's figures. */
async function marginOf(db: Db, kind: LayerKind): Promise<number> {
  if (kind === 'elevation') return TERRAIN_MARGIN_M;
  return kind === 'roads' ? ((await roadMarginM(db)) ?? 0) : 0;
}

/** The distance from a parcel within which any road layer changes its figures; null without roads. */
export async function roadMarginM(db: Db): Promise<number | null> {
  const rows = await db.run<{ reach_m: RoadReach }>('land/list_reaches');
  return rows.length === 0 ? null : Math.max(...rows.map(row => frontageMarginM(row.reach_m)));
}
