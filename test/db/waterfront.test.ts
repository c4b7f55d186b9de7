import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, type Feature, ingest, lot, ORIGIN, rollFeed, writeFeatures } from '../support/ingest.ts';
import { marksOf, putLayer } from '../support/land.ts';
import { boxRing } from '../support/parcels.ts';
import { settle } from './attributes-support.ts';

const { folder, pool } = await createTestDatabase();
const [west, south] = ORIGIN;
const COVERAGE: [number, number, number, number] = [west - 0.1, south - 0.1, west + 0.1, south + 0.1];
const feed = rollFeed(folder, 'roll', { owner_name: 'OWNER', land_use_code: 'USE' });

async function load(uses: readonly (string | null)[]): Promise<void> {
  const rows = uses.map(
    (USE, n): Feature => ({ properties: { PIN: `P${n}`, OWNER: 'SOMEONE', USE }, geometry: lot(n) }),
  );
  writeFeatures(join(folder, 'roll.ndgeojson'), rows);
  expect((await ingest(pool, feed, { force: true })).status).toBe('merged');
}

/** The values that filters use, and the name of the water, in the order of the parcels. */
const found = () =>
  all<{ waterfront: boolean | null; feet: number | null; name: string | null }>(
    pool,
    `select f.waterfront, f.waterfront_ft as feet, a.water_name as name
     from parcel_filters f
     join parcels p using (fips, property_id)
     left join parcel_attributes a using (fips, property_id)
     order by p.source_key`,
  );

/** A lake south of a parcel. @param gap distance from the parcel in degrees */
async function lakeBelow(n: number, gap: number): Promise<MultiPolygon> {
  const [box] = await all<{ west: number; south: number; east: number }>(
    pool,
    `select (extent[1])[0] / 1e7 as west, (extent[1])[1] / 1e7 as south, (extent[0])[0] / 1e7 as east
     from parcels where source_key = 'P${n}'`,
  );
  const top = box!.south - gap;
  return [[boxRing(box!.west, top - 0.0001, box!.east, top)]];
}

const UNKNOWN = { waterfront: null, feet: null, name: null };
const DRY = { waterfront: false, feet: 0, name: null };

test('without a water layer, only the land use on the roll says whether a parcel is on water', async () => {
  await load(['1F RES WTRFRNT', '1F RES WTR ACS', 'Lake Front', 'FRONTAGE LAKE', null]);
  expect(await found()).toEqual([
    { ...UNKNOWN, waterfront: true },
    UNKNOWN,
    { ...UNKNOWN, waterfront: true },
    UNKNOWN,
    UNKNOWN,
  ]);
});

test('a named lake is measured, but an unnamed pond only if it is large', async () => {
  await putLayer(pool, 'water', {
    coverage: COVERAGE,
    features: [
      { class: 'lake', name: 'Mill Pond', shape: await lakeBelow(1, 0.00002) },
      { class: 'lake', shape: await lakeBelow(3, 0.00002) },
      // 11 m away.
      { class: 'lake', name: 'Far Pond', shape: await lakeBelow(4, 0.0001) },
    ],
  });
  await pool.query(
    'insert into attributes_dirty (fips, property_id, layers) select fips, property_id, 16 from parcels',
  );
  await settle(pool, LAND_KERNELS);
  const [byRoll, onPond, lakefront, ...others] = await found();
  expect(byRoll).toEqual({ waterfront: true, feet: 0, name: null });
  expect(lakefront).toEqual({ waterfront: true, feet: 0, name: null });
  expect(onPond).toEqual({ waterfront: true, feet: expect.any(Number), name: 'Mill Pond' });
  expect(onPond!.feet).toBeGreaterThan(50);
  expect(others).toEqual([DRY, DRY]);
});

test('a new roll keeps what was measured, and its land use counts immediately', async () => {
  await load(['1F RES', '1F RES WTR ACS', 'Lake Front', 'RIVERFRONT', null]);
  expect(await marksOf(pool)).toEqual([]);
  expect((await found()).map(({ waterfront }) => waterfront)).toEqual([false, true, true, true, false]);
});
