import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { LAYER_BITS } from '../../shared/model/land-layers.ts';
import { createTestDatabase, lockWaits } from '../support/database.ts';
import { geographicKeys, writeTiff } from '../support/geotiff.ts';
import { all, feedOf, ingest, ingestRoll, ORIGIN, one, square } from '../support/ingest.ts';
import { putLayer } from '../support/land.ts';
import { roadFeed, writeRoads } from '../support/layers.ts';
import { settle } from './attributes-support.ts';

const { folder, pool } = await createTestDatabase();

/** In degrees: a lot's side, and 100 m to the east of it. */
const SIDE = 0.001;
const [WEST, SOUTH] = ORIGIN;
const EAST = WEST + SIDE;
const EAST_100_M = 100 / (111_319 * Math.cos((SOUTH * Math.PI) / 180));
const AROUND = [WEST - 0.1, SOUTH - 0.1, EAST + 0.1, SOUTH + 0.1] as const;

beforeAll(async () => {
  const lot = { properties: { PIN: 'LOT' }, geometry: square(WEST, SOUTH, SIDE) };
  await ingestRoll(pool, folder, 'lots', [lot]);
});
beforeEach(() =>
  pool.query('truncate land_layers, layer_features, elevation_tiles, parcel_attributes, attributes_dirty'),
);

/** The kinds that the lot is marked by, as bits; 0 unmarked. */
async function marked(): Promise<number> {
  const [mark] = await all<{ layers: number }>(pool, 'select layers from attributes_dirty');
  return mark?.layers ?? 0;
}

const figures = () =>
  one<{ slope: number; feet: number; layers: number }>(
    pool,
    `select mean_slope_percent as slope, highway_frontage_ft as feet, cardinality(elevation_runs) as layers
     from parcel_attributes`,
  );

/** Cells of a ten-thousandth of a degree over the lot's latitudes, in line with those of the others. */
async function ingestGrid(name: string, west: number, columns: number): Promise<void> {
  const first = Math.round((west - WEST) * 1e4);
  writeTiff(join(folder, `${name}.tif`), {
    width: columns,
    height: 30,
    keys: geographicKeys(4269),
    // The slope grows from column to column.
    at: column => 100 + 0.05 * (first + column) ** 2,
    grid: { originX: west, originY: SOUTH + 0.002, stepX: 1e-4, stepY: -1e-4 },
  });
  const feed = feedOf(folder, { name, kind: 'elevation', elevation: { source: `${name}.tif` } });
  expect((await ingest(pool, feed)).status).toBe('merged');
}

test('elevation beside a parcel marks it: the slopes of its outermost cells use it', async () => {
  // The grid ends half a cell beyond the lot, and the lot ends half a cell before the next one begins.
  await ingestGrid('here', WEST - 0.00055, 16);
  await settle(pool, LAND_KERNELS);
  const { slope, layers } = await figures();
  expect(layers).toBe(1);
  await ingestGrid('beside', EAST + 0.00005, 10);
  expect(await marked()).toBe(LAYER_BITS.elevation);
  await settle(pool, LAND_KERNELS);
  const { slope: whole, layers: both } = await figures();
  expect(whole).toBeGreaterThan(slope + 0.3);
  // It lies outside of the coverage of the second one, which is recorded all the same.
  expect(both).toBe(2);
  // Out of reach.
  await ingestGrid('far', EAST + 3 * EAST_100_M, 10);
  expect(await marked()).toBe(0);
});

/** A highway to the east of the lot, in a layer that does not cover it. */
async function ingestHighway(east: number, reach?: object) {
  const line = [SOUTH - 0.001, SOUTH + 0.002].map(lat => [EAST + east, lat]);
  writeRoads(folder, 'beyond', [
    { properties: { MTFCC: 'S1100' }, geometry: { type: 'LineString', coordinates: line } },
  ]);
  const layer = reach && { reach };
  return ingest(pool, roadFeed(folder, 'beyond', { layer }), { force: true });
}

test('a road beside a parcel marks it as far as the reach of the layer that covers it', async () => {
  await putLayer(pool, 'roads', { feed: 'here', coverage: [...AROUND] });
  // Default reaches: 60 m, and 18.3 m more to a dead end.
  await ingestHighway(EAST_100_M);
  expect(await marked()).toBe(0);
  await pool.query(`update land_layers set reach_m = '{"highway":120,"normal":30,"local":25,"private":25}'`);
  await ingestHighway(0.9 * EAST_100_M);
  expect(await marked()).toBe(LAYER_BITS.roads);
  await settle(pool, LAND_KERNELS);
  expect((await figures()).feet).toBeCloseTo((SIDE * 111_100) / 0.3048, -1);
  // The other way round, too: what reaches further in the layer beyond does not take less for it.
  await ingestHighway(0.8 * EAST_100_M, { highway: 10, normal: 10, local: 10 });
  expect(await marked()).toBe(LAYER_BITS.roads);
});

test('a layer waits for the merge of another, which may reach further', async () => {
  await putLayer(pool, 'roads', { feed: 'here', coverage: [...AROUND] });
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query(
      `update land_layers set reach_m = '{"highway":120,"normal":30,"local":25,"private":25}'`,
    );
    const merging = ingestHighway(EAST_100_M);
    await expect.poll(() => lockWaits({ pool })).toBe(1);
    await other.query('commit');
    expect((await merging).status).toBe('merged');
  } finally {
    other.release();
  }
  expect(await marked()).toBe(LAYER_BITS.roads);
});
