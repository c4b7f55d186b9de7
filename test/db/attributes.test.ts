import { beforeEach, describe, expect, test } from 'vitest';
import type { LandKernels } from '../../shared/land/compute-land.ts';
import { LOCKS } from '../../shared/platform/locks.ts';
import { statement } from '../../shared/platform/statements.ts';
import { createTestDatabase, lockAsks } from '../support/database.ts';
import { COUNTING_KERNELS, markParcels, marksOf, putLayer } from '../support/land.ts';
import { square } from '../support/parcels.ts';
import {
  attributesOf,
  COUNTY,
  compute,
  EVERYWHERE,
  endJobs,
  insertLots,
  LAT,
  LON,
  lotOf,
  openChunks,
  plan,
  settle,
} from './attributes-support.ts';

const { pool } = await createTestDatabase();
beforeEach(async () => {
  await pool.query(
    'truncate parcels, parcel_filters, parcel_attributes, attributes_dirty, land_layers, layer_features, jobs',
  );
});

const holdCounty = statement('land/lock_counties', { lock: LOCKS.countyAttributes, counties: [33_019] });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** Kernels whose first look at elevation lets something happen in between. */
function interrupted(happens: () => Promise<unknown>): LandKernels {
  let first = true;
  return {
    ...COUNTING_KERNELS,
    openElevation: (tiles, options) => {
      const open = COUNTING_KERNELS.openElevation(tiles, options);
      return {
        ...open,
        async terrainOf(shape) {
          if (first) {
            first = false;
            await happens();
          }
          return open.terrainOf(shape);
        },
      };
    },
  };
}

describe('a chunk', () => {
  test('stores what the layers say, with their versions, and updates the filters', async () => {
    await insertLots(pool, range(0, 3));
    const roads = await putLayer(pool, 'roads', {
      coverage: EVERYWHERE,
      features: [
        {
          class: 'highway',
          line: [
            [LON - 0.01, LAT - 0.0006],
            [LON + 0.01, LAT - 0.0006],
          ],
        },
      ],
    });
    const wetlands = await putLayer(pool, 'wetlands', {
      coverage: EVERYWHERE,
      features: [{ class: 'PEM1', shape: square(LON, LAT) }],
    });
    await markParcels(pool, ['elevation', 'roads', 'wetlands', 'flood']);
    await settle(pool);
    expect(await marksOf(pool)).toEqual([]);
    expect(await attributesOf(pool, 1)).toMatchObject({
      roads_runs: [roads],
      wetlands_runs: [wetlands],
      // No layer of these kinds: unknown.
      elevation_runs: null,
      flood_runs: null,
      mean_elevation_m: null,
      flood_zone_percent: null,
      highway_frontage_ft: 1,
      local_frontage_ft: 2,
      landlocked: false,
      wetlands_percent: 1,
    });
    const { rows } = await pool.query('select * from parcel_filters where property_id = $1', [COUNTY + 2]);
    expect(rows[0]).toMatchObject({
      landlocked: false,
      highway_frontage_ft: 1,
      road_frontage_ft: 0,
      local_frontage_ft: 2,
      wetlands_percent: 1,
      flood_zone_percent: null,
      steeper_percent: null,
    });
  });

  test('knows nothing where no layer covers the parcel, by place or as a county', async () => {
    await insertLots(pool, [0, 50]);
    const west = [LON - 0.01, LAT - 0.01, LON + 0.01, LAT + 0.01] as [number, number, number, number];
    const run = await putLayer(pool, 'flood', {
      coverage: west,
      features: [{ class: 'AE', shape: square(LON, LAT, 1) }],
    });
    await markParcels(pool, ['flood']);
    await settle(pool);
    expect(await attributesOf(pool, 0)).toMatchObject({ flood_runs: [run], flood_zone_percent: 1 });
    expect(await attributesOf(pool, 50)).toMatchObject({ flood_runs: null, flood_zone_percent: null });

    const whole = await putLayer(pool, 'flood', { coverage: west, fips: 33_019 });
    await markParcels(pool, ['flood']);
    await settle(pool);
    expect(await attributesOf(pool, 50)).toMatchObject({ flood_runs: [whole], flood_zone_percent: 0 });
  });

  test('a parcel on the edge of a coverage counts at its location: all of it is covered, or nothing is known', async () => {
    await insertLots(pool, [0]);
    const flood = async (east: number) => {
      await putLayer(pool, 'flood', { coverage: [LON - 0.01, LAT - 0.01, east, LAT + 0.01] });
      await markParcels(pool, ['flood']);
      await settle(pool);
      return (await attributesOf(pool, 0))!.flood_zone_percent;
    };
    // The lot goes from LON - 0.0005 to LON + 0.0005.
    expect(await flood(LON - 0.0001)).toBeNull();
    expect(await flood(LON + 0.0001)).toBe(0);
  });

  test('computes the marked kinds; the others keep their figures and versions', async () => {
    await insertLots(pool, [0]);
    const first = await putLayer(pool, 'roads', { coverage: EVERYWHERE });
    await putLayer(pool, 'flood', { coverage: EVERYWHERE });
    await markParcels(pool, ['roads', 'flood']);
    await settle(pool);
    await putLayer(pool, 'roads', { coverage: EVERYWHERE });
    const flood = await putLayer(pool, 'flood', {
      coverage: EVERYWHERE,
      features: [{ class: 'AE', shape: square(LON, LAT) }],
    });
    await markParcels(pool, ['flood']);
    await settle(pool);
    expect(await attributesOf(pool, 0)).toMatchObject({
      roads_runs: [first],
      flood_runs: [flood],
      flood_zone_percent: 1,
    });
  });

  test('measures again all layers that buildable land depends on, if one of them is marked', async () => {
    await insertLots(pool, [0]);
    for (const kind of ['wetlands', 'flood'] as const) await putLayer(pool, kind, { coverage: EVERYWHERE });
    await markParcels(pool, ['wetlands', 'flood']);
    await settle(pool);
    const features = [{ class: 'PEM1', shape: square(LON, LAT) }];
    const run = await putLayer(pool, 'wetlands', { coverage: EVERYWHERE, features });
    await markParcels(pool, ['flood']);
    await settle(pool);
    expect(await attributesOf(pool, 0)).toMatchObject({ wetlands_runs: [run], wetlands_percent: 1 });
  });

  test('computes every kind if the shape differs from that of the stored figures', async () => {
    await insertLots(pool, [0]);
    await putLayer(pool, 'wetlands', { coverage: EVERYWHERE });
    await markParcels(pool, ['wetlands']);
    await settle(pool);
    await pool.query('update parcels set shape_hash = gen_random_uuid()');
    const run = await putLayer(pool, 'wetlands', {
      coverage: EVERYWHERE,
      features: [{ class: 'PEM1', shape: square(LON, LAT) }],
    });
    await markParcels(pool, ['roads']);
    await settle(pool);
    expect(await attributesOf(pool, 0)).toMatchObject({ wetlands_runs: [run], wetlands_percent: 1 });
  });

  test('features of several feeds of a kind count together', async () => {
    await insertLots(pool, [0]);
    const features = [{ class: 'PEM1', shape: square(LON, LAT) }];
    const runs = [
      await putLayer(pool, 'wetlands', { feed: 'one', coverage: EVERYWHERE, features }),
      await putLayer(pool, 'wetlands', { feed: 'two', coverage: EVERYWHERE, features }),
    ];
    await markParcels(pool, ['wetlands']);
    await settle(pool);
    expect(await attributesOf(pool, 0)).toMatchObject({ wetlands_runs: runs, wetlands_percent: 2 });
  });

  test('reads the parcels and features around its own, and not those between', async () => {
    await insertLots(pool, range(0, 100));
    await putLayer(pool, 'roads', { coverage: EVERYWHERE });
    await putLayer(pool, 'wetlands', {
      coverage: EVERYWHERE,
      features: range(0, 100).map(n => ({ class: 'PEM1', shape: lotOf(n) })),
    });
    await markParcels(pool, ['roads', 'wetlands'], [COUNTY + 1, COUNTY + 100]);
    await settle(pool);
    // Each end has one lot beside it; the other end is in the chunk too.
    expect(await attributesOf(pool, 0)).toMatchObject({ local_frontage_ft: 3, wetlands_percent: 2 });
    expect(await attributesOf(pool, 99)).toMatchObject({ local_frontage_ft: 3, wetlands_percent: 2 });
  });

  test('nothing is known about a parcel without geometry', async () => {
    await insertLots(pool, [0]);
    await putLayer(pool, 'flood', { coverage: EVERYWHERE, fips: 33_019 });
    await markParcels(pool, ['flood']);
    await settle(pool);
    await pool.query('update parcels set boundary = null, location = null, extent = null, shape_hash = null');
    await pool.query('update parcel_filters set location = null, extent = null');
    await markParcels(pool, ['roads', 'flood']);
    await settle(pool);
    expect(await attributesOf(pool, 0)).toBeUndefined();
    expect(await marksOf(pool)).toEqual([]);
    const { rows } = await pool.query('select flood_zone_percent from parcel_filters');
    expect(rows).toEqual([{ flood_zone_percent: null }]);
  });

  test('a parcel that is marked again while it is computed stays unchanged, and is planned again', async () => {
    await insertLots(pool, [0, 1]);
    await putLayer(pool, 'elevation', { coverage: EVERYWHERE });
    const old = await putLayer(pool, 'flood', { coverage: EVERYWHERE });
    await markParcels(pool, ['elevation', 'flood']);
    await plan(pool);
    const [chunk] = await openChunks(pool);
    let replaced = 0;
    const written = await compute(
      pool,
      chunk!,
      interrupted(async () => {
        replaced = await putLayer(pool, 'flood', {
          coverage: EVERYWHERE,
          features: [{ class: 'AE', shape: square(LON, LAT) }],
        });
        await markParcels(pool, ['flood'], [COUNTY + 1]);
      }),
    );
    expect(written).toMatchObject({ parcels: 1 });
    expect(await attributesOf(pool, 0)).toBeUndefined();
    // The version that was read, not the one that is there by now.
    expect(await attributesOf(pool, 1)).toMatchObject({ flood_runs: [old], flood_zone_percent: 0 });
    expect(await marksOf(pool)).toMatchObject([{ property_id: COUNTY + 1, layers: 9, chunk: null }]);
    await endJobs(pool);
    await settle(pool);
    expect(await attributesOf(pool, 0)).toMatchObject({ flood_runs: [replaced], flood_zone_percent: 1 });
  });

  test('killed before writing, it leaves everything unchanged, and the next attempt completes it', async () => {
    await insertLots(pool, range(0, 5));
    await putLayer(pool, 'elevation', { coverage: EVERYWHERE });
    const run = await putLayer(pool, 'flood', { coverage: EVERYWHERE });
    await markParcels(pool, ['elevation', 'flood']);
    await plan(pool);
    const [chunk] = await openChunks(pool);
    const marks = await marksOf(pool);
    // The connection dies with the process: in the middle of the write.
    const dying = interrupted(async () => {
      await pool.query(`create function die() returns trigger language plpgsql as
        $$begin perform pg_terminate_backend(pg_backend_pid()); return null; end$$`);
      await pool.query('create trigger die after update on parcel_filters execute function die()');
    });
    await expect(compute(pool, chunk!, dying)).rejects.toThrow();
    await pool.query('drop function die() cascade');
    expect(await marksOf(pool)).toEqual(marks);
    expect(await attributesOf(pool, 0)).toBeUndefined();

    expect(await compute(pool, chunk!)).toMatchObject({ parcels: 5, changed: 5 });
    expect(await attributesOf(pool, 4)).toMatchObject({ flood_runs: [run], flood_zone_percent: 0 });
    // Delivered once more after it was done.
    expect(await compute(pool, chunk!)).toMatchObject({ parcels: 0, changed: 0 });
  });

  test('two workers on one chunk: it is written once', async () => {
    await insertLots(pool, range(0, 50));
    await putLayer(pool, 'flood', { coverage: EVERYWHERE });
    await markParcels(pool, ['flood']);
    await plan(pool);
    const [chunk] = await openChunks(pool);
    const results = await Promise.all([compute(pool, chunk!), compute(pool, chunk!)]);
    expect(results.map(result => result.parcels).sort()).toEqual([0, 50]);
    expect(await marksOf(pool)).toEqual([]);
  });

  test('a kind that fails keeps its mark; the others are stored', async () => {
    await insertLots(pool, [0]);
    await putLayer(pool, 'elevation', { coverage: EVERYWHERE });
    const run = await putLayer(pool, 'flood', { coverage: EVERYWHERE });
    await markParcels(pool, ['elevation', 'flood']);
    await plan(pool);
    const [chunk] = await openChunks(pool);
    const broken = interrupted(() => Promise.reject(new Error('the tile is gone')));
    await expect(compute(pool, chunk!, broken)).rejects.toThrow(
      new RegExp(`elevation .*\\b${COUNTY + 1}\\b.*the tile is gone`),
    );
    expect(await marksOf(pool)).toMatchObject([{ layers: 1, chunk: chunk!.chunk }]);
    expect(await attributesOf(pool, 0)).toMatchObject({
      flood_runs: [run],
      flood_zone_percent: 0,
      elevation_runs: null,
    });
    // As the job's next attempt finds it.
    await compute(pool, chunk!);
    expect(await marksOf(pool)).toEqual([]);
    expect((await attributesOf(pool, 0))?.elevation_runs).not.toBeNull();
  });

  test('a parcel that fails keeps its mark; the others are stored', async () => {
    await insertLots(pool, range(0, 5));
    await putLayer(pool, 'roads', { coverage: EVERYWHERE });
    await putLayer(pool, 'flood', { coverage: EVERYWHERE });
    await markParcels(pool, ['roads', 'flood']);
    await plan(pool);
    const [chunk] = await openChunks(pool);
    const picky: LandKernels = {
      ...COUNTING_KERNELS,
      prepareFrontage: (...given) => ({
        of(id) {
          if (id === COUNTY + 3) throw new RangeError('it has no shape');
          return COUNTING_KERNELS.prepareFrontage(...given).of(id);
        },
      }),
    };
    await expect(compute(pool, chunk!, picky)).rejects.toThrow(
      new RegExp(`roads .*\\b${COUNTY + 3}\\b.*it has no shape`),
    );
    expect(await marksOf(pool)).toMatchObject([{ property_id: COUNTY + 3, layers: 2 }]);
    expect(await attributesOf(pool, 2)).toMatchObject({
      landlocked: null,
      roads_runs: null,
      flood_zone_percent: 0,
    });
    expect(await attributesOf(pool, 4)).toMatchObject({ landlocked: true, flood_zone_percent: 0 });
  });

  test('waits for a merge of its county, whose new rows then get its figures', async () => {
    await insertLots(pool, [0]);
    const run = await putLayer(pool, 'flood', { coverage: EVERYWHERE });
    await markParcels(pool, ['flood']);
    await plan(pool);
    const [chunk] = await openChunks(pool);
    let computing: Promise<unknown> = Promise.resolve();
    await pool.transaction(async merge => {
      await merge.query(holdCounty);
      computing = compute(pool, chunk!);
      // What a merge does to the rows of a parcel whose roll changed.
      await merge.query('create temporary table kept on commit drop as select * from parcel_filters');
      await merge.query('delete from parcel_filters');
      await merge.query('insert into parcel_filters select * from kept');
      await expect.poll(() => lockAsks({ pool })).toBe(1);
    });
    await computing;
    expect(await attributesOf(pool, 0)).toMatchObject({ flood_runs: [run] });
    expect((await pool.query('select flood_zone_percent from parcel_filters')).rows).toEqual([
      { flood_zone_percent: 0 },
    ]);
  });
});
