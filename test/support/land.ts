import { encodeBoundary, encodeLines, toE7 } from '../../shared/geo/geometry-codec.ts';
import type { Box, MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import type { LandKernels } from '../../shared/land/compute-land.ts';
import { LAYER_BITS, type LayerKind, ROAD_REACH_M, type RoadClass } from '../../shared/model/land-layers.ts';
import { readTileHeader } from '../../shared/raster/tiff-header.ts';
import type { TestDb } from './test-db.ts';

export type LayerFeature =
  | { class: RoadClass; line: Position[] }
  | { class: string; name?: string; shape: MultiPolygon };

/** Formats [[west, south], …] as a PostgreSQL box in 1e-7 degrees. */
function boxOf(positions: readonly Position[]): string {
  const lons = positions.map(([lon]) => toE7(lon));
  const lats = positions.map(([, lat]) => toE7(lat));
  return `(${Math.max(...lons)},${Math.max(...lats)}),(${Math.min(...lons)},${Math.min(...lats)})`;
}

/**
 * Replaces a feed's layer as a merge does, but marks no parcels.
 * @returns the run's id, which is the layer's version
 */
export async function putLayer(
  pool: TestDb,
  kind: LayerKind,
  layer: { feed?: string; coverage: Box; fips?: number; features?: LayerFeature[] },
): Promise<number> {
  const name = layer.feed ?? kind;
  const { rows: feeds } = await pool.query<{ id: number }>(
    `insert into feeds (name, kind, definition) values ($1, $2, '{}')
     on conflict (name) do update set updated_at = now() returning id`,
    [name, kind],
  );
  const feedId = feeds[0]!.id;
  const { rows: runs } = await pool.query<{ id: number }>(
    "insert into runs (feed_id, requested_by, status) values ($1, 'test', 'merged') returning id",
    [feedId],
  );
  const runId = runs[0]!.id;
  await pool.query('delete from layer_features where feed_id = $1', [feedId]);
  for (const feature of layer.features ?? []) {
    const line = 'line' in feature;
    await pool.query(
      `insert into layer_features (feed_id, hash, class, extent, geometry, name)
       values ($1, gen_random_uuid(), $2, $3, $4, $5)`,
      [
        feedId,
        feature.class,
        boxOf(line ? feature.line : feature.shape.flat(2)),
        Buffer.from(line ? encodeLines([feature.line]) : encodeBoundary(feature.shape)),
        line ? null : (feature.name ?? null),
      ],
    );
  }
  const [west, south, east, north] = layer.coverage;
  await pool.query(
    `insert into land_layers (feed_id, kind, run_id, coverage, fips, reach_m) values ($1, $2, $3, $4, $5, $6)
     on conflict (feed_id) do update
     set run_id = excluded.run_id, coverage = excluded.coverage, fips = excluded.fips, merged_at = now()`,
    [
      feedId,
      kind,
      runId,
      boxOf([
        [west, south],
        [east, north],
      ]),
      layer.fips ?? null,
      kind === 'roads' ? JSON.stringify(ROAD_REACH_M) : null,
    ],
  );
  return runId;
}

export type Mark = { property_id: number; layers: number; mark: number; chunk: number | null };

export async function marksOf(pool: TestDb): Promise<Mark[]> {
  const { rows } = await pool.query<Mark>(
    'select property_id, layers, mark, chunk from attributes_dirty order by property_id',
  );
  return rows;
}

/** Marks a county's parcels for recomputation, as a merge of these kinds of layers does. */
export async function markParcels(
  pool: TestDb,
  kinds: readonly LayerKind[],
  ids?: readonly number[],
): Promise<void> {
  await pool.query(
    `insert into attributes_dirty as d (fips, property_id, layers)
     select fips, property_id, $1 from parcel_filters where $2::bigint[] is null or property_id = any ($2)
     order by fips, property_id
     on conflict (fips, property_id) do update
     set layers = d.layers | excluded.layers, mark = excluded.mark, chunk = null`,
    [kinds.reduce((bits, kind) => bits | LAYER_BITS[kind], 0), ids ?? null],
  );
}

/** Fake kernels whose figures reveal their input: they return counts instead of measurements. */
export const COUNTING_KERNELS: LandKernels = {
  prepareOverlap: polygons => ({ percentOf: () => polygons.length, near: () => polygons.flat() }),
  prepareShares: (regions, count) => ({
    of: () => ({ groups: new Float64Array(count).fill(regions.length), regions: new Map() }),
    near: () => [],
  }),
  prepareNearest: () => ({ of: () => null }),
  prepareFrontage: (roads, neighbors) => ({
    of: id => ({
      highwayFt: roads.filter(road => road.class === 'highway').length,
      normalFt: roads.filter(road => road.class === 'normal').length,
      localFt: neighbors.filter(neighbor => neighbor.id !== id).length,
      access: roads.length === 0 ? 'none' : 'public_road',
    }),
  }),
  prepareShore: waters => ({ of: () => ({ feet: waters.length, name: waters[0]?.name ?? null }) }),
  openElevation: tiles => ({
    terrainOf: async () =>
      tiles.length === 0
        ? null
        : {
            minElevationM: tiles.length,
            meanElevationM: tiles.length,
            maxElevationM: tiles.length,
            meanSlopePercent: tiles.length,
            steeperPercent: new Array(11).fill(tiles.length),
            knownShare: 1,
          },
    close: async () => {},
  }),
};

/** Replaces the elevation layer with one file. */
export async function putTile(pool: TestDb, source: string, coverage: Box): Promise<void> {
  await putLayer(pool, 'elevation', { coverage });
  const { extent, ...tile } = await readTileHeader(source, {}, { signal: new AbortController().signal });
  const [west, south, east, north] = extent.map(degrees => Math.round(degrees * 1e7));
  await pool.query(
    `insert into elevation_tiles
     select f.id, $1, $2, $3::box, $4, $5, $6, $7, $8, $9, $10, $11, $12 from feeds f where f.name = 'elevation'`,
    [
      source,
      tile.fingerprint,
      `(${west},${south}),(${east},${north})`,
      tile.width,
      tile.height,
      tile.originX,
      tile.originY,
      tile.stepX,
      tile.stepY,
      tile.crs,
      tile.unitM,
      tile.nodata,
    ],
  );
}
