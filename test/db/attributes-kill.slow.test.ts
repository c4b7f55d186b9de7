import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { type ChildOrder, startChild, work } from '../support/children.ts';
import { createTestDatabase } from '../support/database.ts';
import { geographicKeys, writeTiff } from '../support/geotiff.ts';
import { all } from '../support/ingest.ts';
import { marksOf, putLayer, putTile } from '../support/land.ts';
import { overlayOf } from '../support/overlays.ts';
import { square } from '../support/parcels.ts';
import {
  compute,
  EVERYWHERE,
  endJobs,
  FIPS,
  insertLots,
  LAT,
  LON,
  openChunks,
  plan,
} from './attributes-support.ts';

const { folder, pool, url } = await createTestDatabase();

const LOTS = 900;
const CHUNK_PARCELS = 30;
const at = (column: number, row: number): Position => [LON + 0.0012 * column, LAT + 0.0012 * row];

beforeAll(async () => {
  await insertLots(
    pool,
    Array.from({ length: LOTS }, (_, n) => n),
  );
  const rows = [0, 1, 2, 3, 4];
  await putLayer(pool, 'roads', {
    coverage: EVERYWHERE,
    features: rows.map(n => ({
      class: n === 2 ? 'highway' : 'local',
      line: [at(-1, 2 * n - 0.08), at(100 - 17 * n, 2 * n - 0.08)],
    })),
  });
  const ponds = (size: number) =>
    Array.from({ length: 40 }, (_, n) => ({
      class: 'AE',
      shape: square(...at((n * 37) % 100, (n * 7) % 9), size),
    }));
  await putLayer(pool, 'wetlands', { coverage: EVERYWHERE, features: ponds(0.0007) });
  await putLayer(pool, 'flood', { coverage: EVERYWHERE, features: ponds(0.0023) });
  await putLayer(pool, 'overlay', {
    coverage: EVERYWHERE,
    features: ponds(0.0017).map((pond, n) => ({ ...pond, class: n % 3 === 0 ? 'shop' : 'house' })),
  });
  await pool.query(
    `update layer_features set overlays = jsonb_build_object('zoning', class)
     where feed_id = (select id from feeds where kind = 'overlay')`,
  );
  await pool.query("update land_layers set overlays = $1 where kind = 'overlay'", [
    JSON.stringify([overlayOf('zoning', ['house', 'shop'], 300)]),
  ]);
  await putHeights();
});

async function putHeights(): Promise<void> {
  const source = join(folder, 'heights.tif');
  writeTiff(source, {
    width: 1300,
    height: 140,
    at: (column, row) => 300 + 90 * Math.sin(column / 40) * Math.cos(row / 17),
    grid: { originX: LON - 0.001, originY: LAT + 0.0125, stepX: 0.0001, stepY: -0.0001 },
    keys: geographicKeys(4326),
  });
  await putTile(pool, source, EVERYWHERE);
}

/** Every parcel's row, but for when it was computed, and whether the filters say the same. */
const snapshot = () =>
  all(
    pool,
    `select to_jsonb(a) - 'computed_at' as attributes,
       (select jsonb_agg(o) from parcel_overlays o where o.fips = a.fips and o.property_id = a.property_id) as overlays,
       (f.landlocked, f.wetlands_percent, f.flood_zone_percent, f.highway_frontage_ft, f.road_frontage_ft,
         f.local_frontage_ft, f.steeper_percent, f.buildable_acres, f.buildable_percent, f.buildable_patch_acres)
         is not distinct from (a.landlocked, a.wetlands_percent, a.flood_zone_percent, a.highway_frontage_ft,
         a.road_frontage_ft, a.local_frontage_ft, a.steeper_percent, a.buildable_acres, a.buildable_percent,
         a.buildable_patch_acres) as filters_agree
     from parcel_attributes a
     join parcel_filters f using (fips, property_id)
     order by property_id`,
  );

test('when workers are killed in the middle of chunks, the next one finishes their work', async () => {
  const scope = { fips: FIPS };
  expect(await plan(pool, { scope }, CHUNK_PARCELS)).toMatchObject({ parcels: LOTS, chunks: 30 });
  for (const chunk of await openChunks(pool)) await compute(pool, chunk, LAND_KERNELS);
  await endJobs(pool);
  const wanted = await snapshot();
  expect(wanted).toHaveLength(LOTS);
  expect(wanted.every(row => row.filters_agree)).toBe(true);
  const shares = wanted.map(({ overlays, attributes }) => [
    overlays?.[0]?.percent > 0,
    attributes.buildable_percent > 0 && attributes.buildable_percent < 100,
  ]);
  for (const at of [0, 1]) expect(shares.filter(share => share[at]).length).toBeGreaterThan(100);

  await pool.query('truncate parcel_attributes, parcel_overlays');
  await pool.query(
    `update parcel_filters set landlocked = null, wetlands_percent = null, flood_zone_percent = null,
       highway_frontage_ft = null, road_frontage_ft = null, local_frontage_ft = null, steeper_percent = null,
       buildable_acres = null, buildable_percent = null, buildable_patch_acres = null`,
  );
  await plan(pool, { scope }, CHUNK_PARCELS);
  // A chunk takes some 20 statements, from where it is written on 6: holding its marks, storing, taking the
  // marks back, commit.
  const random = (most: number) => Math.floor(most * Math.random());
  const dying = [
    { dieAt: 1 + random(20) },
    ...[1, 2, 3].map(() => ({ dieAt: 2 + random(5), inWriting: true })),
  ];
  const orders: ChildOrder[] = [...dying, {}].map((order, i) => ({
    job: 'attributes.chunk',
    name: `child ${i}`,
    ...order,
  }));
  const [last, ...children] = await Promise.all(
    [{ ...orders.at(-1)!, name: 'last' }, ...orders].map(order => startChild(url, order)),
  );
  const ends: string[] = [];
  for (const [i, child] of children.entries()) {
    const { name, dieAt, inWriting = false } = orders[i]!;
    const killAfterMs = dieAt === undefined ? random(150) : undefined;
    const before = (await marksOf(pool)).length;
    expect(await work(child, killAfterMs)).toBe('SIGKILL');
    // What a dead worker's connection still holds is let go as soon as the server has noticed.
    await expect
      .poll(() => all(pool, 'select from pg_stat_activity where application_name = $1', [name]))
      .toEqual([]);
    const done = before - (await marksOf(pool)).length;
    ends.push(JSON.stringify({ dieAt, inWriting, killAfterMs, done }));
    // All of a chunk, or nothing of it.
    expect([ends, done % CHUNK_PARCELS]).toEqual([ends, 0]);
    // Five deaths in one job would be its end.
    await pool.query('update jobs set deaths = 0');
  }
  expect([ends, (await marksOf(pool)).length]).not.toEqual([ends, 0]);

  expect(await work(last!)).toBe(null);
  expect([ends, await marksOf(pool)]).toEqual([ends, []]);
  expect([ends, await snapshot()]).toEqual([ends, wanted]);
  expect(await openChunks(pool)).toEqual([]);
});
