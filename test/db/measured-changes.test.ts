import { beforeEach, expect, test } from 'vitest';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import type { ChangedFields } from '../../shared/model/changes.ts';
import { createTestDatabase } from '../support/database.ts';
import { all } from '../support/ingest.ts';
import { markParcels, putLayer } from '../support/land.ts';
import { square } from '../support/parcels.ts';
import { COUNTY, EVERYWHERE, insertLots, LAT, LON, settle } from './attributes-support.ts';

const { pool } = await createTestDatabase();

beforeEach(async () => {
  await pool.query(
    'truncate parcels, parcel_filters, parcel_attributes, attributes_dirty, land_layers, layer_features, jobs, changes',
  );
  await insertLots(pool, [0, 1, 2]);
});

type Measured = { n: number; fields: ChangedFields };

const measured = () =>
  all<Measured>(
    pool,
    `select (property_id % 100000000 - 1)::int as n, fields from changes where type = 'land.measured' order by seq`,
  );

const versions = async () =>
  (
    await all<{ version: number; filtered: number }>(
      pool,
      `select p.row_version as version, f.row_version as filtered
       from parcels p join parcel_filters f using (fips, property_id) order by p.property_id`,
    )
  ).map(({ version, filtered }) => {
    expect(filtered).toBe(version);
    return version;
  });

/** As if a run had loaded the county with these parcels some days ago. */
async function load(days: number): Promise<void> {
  const [run] = await all<{ id: number }>(
    pool,
    `with feed as (
       insert into feeds (name, kind, definition) values ('roll', 'assessor', '{}')
       on conflict (name) do update set updated_at = now() returning id
     )
     insert into runs (feed_id, requested_by, status, finished_at)
     select id, 'test', 'merged', now() - $1 * interval '1 day' from feed returning id`,
    [days],
  );
  await pool.query('update parcels set created_run = $1', [run!.id]);
  await pool.query(
    `insert into changes (at, type, run_id, fips, fields)
     values (now() - $1 * interval '1 day', 'county.loaded', $2, 33019, '{"parcels": [0, 3]}')`,
    [days, run!.id],
  );
}

async function measure(kind: 'wetlands' | 'flood', n: number): Promise<void> {
  await pool.query('delete from land_layers where kind = $1', [kind]);
  await putLayer(pool, kind, {
    coverage: EVERYWHERE,
    features: [{ class: kind === 'flood' ? 'AE' : 'PEM1', shape: square(LON + 0.0012 * n, LAT) }],
  });
  await markParcels(pool, [kind]);
  await settle(pool, LAND_KERNELS);
}

test('new results of measured figures are one change per parcel', async () => {
  await load(0);
  await measure('wetlands', 0);
  // The first figures of a county that was just loaded are part of loading it.
  expect(await measured()).toEqual([]);
  expect(await versions()).toEqual([0, 0, 0]);

  await measure('flood', 0);
  expect(await measured()).toEqual([]);
  await markParcels(pool, ['wetlands', 'flood']);
  await settle(pool, LAND_KERNELS);
  expect(await measured()).toEqual([]);

  await measure('wetlands', 1);
  const [first, second] = await measured();
  const version = first!.fields.row_version![1] as number;
  expect([first, second]).toEqual([
    { n: 0, fields: { wetlands_percent: [100, 0], row_version: [0, version] } },
    { n: 1, fields: { wetlands_percent: [0, 100], row_version: [0, version] } },
  ]);
  expect(await versions()).toEqual([version, version, 0]);
  const [last] = await all<{ version: number }>(
    pool,
    'select version from row_versions order by n desc limit 1',
  );
  expect(last!.version).toBe(version);
});

test('a layer that arrives later is a change to every parcel that it measures', async () => {
  await load(8);
  await measure('flood', 0);
  expect((await measured()).map(({ n, fields }) => [n, fields.flood_zone_percent])).toEqual([
    [0, [null, 100]],
    [1, [null, 0]],
    [2, [null, 0]],
  ]);
});

test('a parcel that arrived after its county is listed once measured, and so is one that lost its shape', async () => {
  await load(0);
  await pool.query('update parcels set created_run = 0 where property_id = $1', [COUNTY + 2]);
  await measure('flood', 1);
  expect((await measured()).map(({ n, fields }) => [n, fields.flood_zone_percent])).toEqual([
    [1, [null, 100]],
  ]);
  await pool.query('update parcels set boundary = null where property_id = $1', [COUNTY + 1]);
  await markParcels(pool, ['flood']);
  await settle(pool, LAND_KERNELS);
  expect((await measured()).slice(1).map(({ n, fields }) => [n, fields.flood_zone_percent])).toEqual([
    [0, [0, null]],
  ]);
});
