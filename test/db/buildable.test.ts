import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { LAND_KERNELS, type LandKernels } from '../../shared/land/compute-land.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { createTestDatabase } from '../support/database.ts';
import { all } from '../support/ingest.ts';
import { markParcels, marksOf, putLayer, putTile } from '../support/land.ts';
import { boxRing, insertParcels } from '../support/parcels.ts';
import { fromUtm, STEEP, writePlane } from '../support/steep.ts';
import { settle } from './attributes-support.ts';

const { folder, pool } = await createTestDatabase();
const FIPS = 23_019;

// A lot of about 300 m x 300 m on a plane that is steep in the east.
const [west, south] = fromUtm(STEEP.x + 300, STEEP.y + 300);
const [east, north] = fromUtm(STEEP.x + 600, STEEP.y + 600);
const COVERAGE: [number, number, number, number] = [west - 0.1, south - 0.1, east + 0.1, north + 0.1];
const everywhere: MultiPolygon = [[boxRing(...COVERAGE)]];
/** The lot from one share of its width to another. */
const strip = (from: number, to: number): MultiPolygon => [
  [boxRing(west + from * (east - west), south, west + to * (east - west), north)],
];

const put = (kind: 'wetlands' | 'flood' | 'water', ...shapes: MultiPolygon[]) =>
  putLayer(pool, kind, {
    coverage: COVERAGE,
    features: shapes.map(shape => ({ class: kind === 'water' ? 'lake' : 'A', shape })),
  });

type Row = Record<'acres' | 'percent' | 'piece' | 'filtered', number | null> & {
  reasons: Record<string, number> | null;
};

async function stored(): Promise<Row> {
  const [row] = await all<Row>(
    pool,
    `select a.buildable_acres as acres, a.buildable_percent as percent, a.buildable_patch_acres as piece,
       f.buildable_acres as filtered,
       (select jsonb_object_agg(u ->> 'reason', u -> 'acres') from jsonb_array_elements(a.unbuildable) u) as reasons
     from parcel_filters f join parcel_attributes a using (fips, property_id)`,
  );
  return row!;
}

const ALL = ['elevation', 'wetlands', 'flood', 'water'] as const;
const NONE = { acres: null, percent: null, piece: null, filtered: null, reasons: null };

async function compute(kinds: readonly (typeof ALL)[number][] = ALL, kernels: LandKernels = LAND_KERNELS) {
  await markParcels(pool, kinds);
  await settle(pool, kernels);
  return stored();
}

const path = join(folder, 'plane.tif');

beforeAll(() => {
  // Flat up to column 45, in the middle of the lot, then rising by 3 m in each cell of 10 m.
  writePlane(path, 0, { at: column => 100 + Math.max(0, column - 45) * 3 });
});

beforeEach(async () => {
  for (const table of [
    'attributes_dirty',
    'parcel_attributes',
    'elevation_tiles',
    'layer_features',
    'land_layers',
  ])
    await pool.query(`delete from ${table}`);
  await pool.query('delete from parcel_filters');
  await pool.query('delete from parcels');
  await insertParcels(pool, [
    { property_id: FIPS * 1e8 + 1, boundary: strip(0, 1), shape_hash: '0'.repeat(32) },
  ]);
});

describe('buildable land', () => {
  test('is what wetlands, flood zones, water, and steep ground leave', async () => {
    await putTile(pool, path, COVERAGE);
    // A tenth in both.
    await put('wetlands', strip(-1, 0.2), strip(-0.5, 0.2));
    await put('flood', strip(0.1, 0.3));
    await put('water', strip(0.3, 0.35));
    const { acres, percent, piece, filtered, reasons } = await compute();
    expect(percent).toBeCloseTo(18.3, -0.5);
    expect(acres).toBeCloseTo((percent! / 100) * 22.2, 0);
    expect([piece! <= acres!, filtered]).toEqual([true, acres]);
    expect(piece).toBeGreaterThan(0.9 * acres!);
    const shares = Object.entries(reasons!).map(([reason, size]) => [reason, Math.round(size / 2.22)]);
    expect(Object.fromEntries(shares)).toEqual({ wetlands: 2, flood_zone: 2, water: 1, steep: 5 });
  });

  test('is null until slope, wetlands, and flood zones are known', async () => {
    await put('wetlands');
    await put('flood');
    expect(await compute()).toEqual(NONE);
    await putTile(pool, path, COVERAGE);
    const { percent, reasons } = await compute(['elevation']);
    expect(percent).toBeCloseTo(50, -1);
    // No water layer covers the parcel.
    expect(Object.keys(reasons!).sort()).toEqual(['flood_zone', 'steep', 'wetlands']);
    await pool.query("delete from land_layers where kind = 'flood'");
    expect(await compute(['flood'])).toEqual(NONE);
  });

  test.each([
    // A cell without data leaves nine cells without a slope, of the lot's 900. Three of these are in the lot.
    ['at the edge', 38, 39, true],
    ['inside', 50, 51, false],
  ])('%s of the lot, cells without a slope', async (_where, top, bottom, isKnown) => {
    const holed = join(folder, `holed-${top}.tif`);
    const isHole = (column: number, row: number) =>
      column >= 40 && column <= 41 && row >= top && row <= bottom;
    writePlane(holed, 0, { nodata: '-9999', at: (column, row) => (isHole(column, row) ? -9999 : 100) });
    await putTile(pool, holed, COVERAGE);
    await put('wetlands');
    await put('flood');
    const { percent, acres, filtered } = await compute();
    expect(await all(pool, 'select mean_slope_percent as slope from parcel_attributes')).toEqual([
      { slope: 0 },
    ]);
    expect([percent, acres === null, filtered === null]).toEqual(
      isKnown ? [100, false, false] : [null, true, true],
    );
  });

  test('counts a pond without a name, which has no shore', async () => {
    await putTile(pool, path, COVERAGE);
    await put('wetlands');
    await put('flood');
    await put('water', strip(0.1, 0.2));
    const { reasons } = await compute();
    expect(reasons!.water).toBeCloseTo(2.2, 0);
    expect(await all(pool, 'select waterfront_ft as feet from parcel_filters')).toEqual([{ feet: 0 }]);
  });

  test('is nothing where a parcel is in the water', async () => {
    await putTile(pool, path, COVERAGE);
    await put('wetlands');
    await put('flood');
    await put('water', everywhere);
    expect(await compute()).toMatchObject({ acres: 0, percent: 0, piece: 0 });
  });

  test.each(ALL)('follows the layer of %s alone', async kind => {
    await putTile(pool, path, COVERAGE);
    for (const each of ['wetlands', 'flood', 'water'] as const) await put(each);
    const before = await compute();
    if (kind === 'elevation') {
      const flat = join(folder, 'flat.tif');
      writePlane(flat, 0);
      await pool.query('delete from elevation_tiles');
      await putTile(pool, flat, COVERAGE);
    } else await put(kind, strip(0, 0.2));
    const after = await compute([kind]);
    expect(after.acres! > before.acres!).toBe(kind === 'elevation');
    expect(after.acres).not.toBe(before.acres);
  });

  test('waits for an elevation file that cannot be read, and keeps the other figures', async () => {
    await putTile(pool, path, COVERAGE);
    await put('wetlands');
    await put('flood');
    const before = await compute();
    await put('wetlands', strip(0, 0.2));
    const away: LandKernels = {
      ...LAND_KERNELS,
      openElevation: () => ({
        terrainOf: () => Promise.reject(new PlatError('feed_source', 'no answer', { retryable: true })),
        close: async () => {},
      }),
    };
    await expect(compute(['wetlands'], away)).rejects.toMatchObject({ code: 'attributes' });
    expect(await stored()).toEqual(before);
    expect(await all(pool, 'select round(wetlands_percent) as percent from parcel_filters')).toEqual([
      { percent: 20 },
    ]);
    expect((await marksOf(pool)).map(mark => mark.layers)).toEqual([1]);
    await pool.query('update attributes_dirty set chunk = null');
    await settle(pool, LAND_KERNELS);
    expect((await stored()).acres).toBeLessThan(before.acres!);
    expect(await marksOf(pool)).toEqual([]);
  });
});
