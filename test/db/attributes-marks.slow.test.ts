import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase, lockWaits } from '../support/database.ts';
import { all, type Feature, ingest, lot, ORIGIN, one, rollFeed, writeFeatures } from '../support/ingest.ts';
import { marksOf, putLayer } from '../support/land.ts';

const { folder, pool } = await createTestDatabase();

/**
 * The lots of `lot` are 0.0005 degrees apart, 41 m from west to east: within the reach of a highway, 60 m, of
 * the next but not of the one after.
 */
const COVERAGE = [ORIGIN[0] - 0.1, ORIGIN[1] - 0.1, ORIGIN[0] + 0.1, ORIGIN[1] + 0.1] as const;

const feed = rollFeed(folder, 'roll', { owner_name: 'OWNER', acres: 'ACRES' });

function run(features: Feature[]) {
  writeFeatures(join(folder, 'roll.ndgeojson'), features);
  return ingest(pool, feed, { force: true });
}

const parcel = (n: number, change: { owner?: string; geometry?: Feature['geometry'] } = {}): Feature => ({
  properties: { PIN: `P${n}`, OWNER: change.owner ?? 'SOMEONE', ACRES: 2 },
  geometry: change.geometry === undefined ? lot(n) : change.geometry,
});
const roll = (...numbers: number[]) => numbers.map(n => parcel(n));

/** The marks by the keys of their parcels. */
async function marks(): Promise<Record<string, number>> {
  const rows = await all<{ key: string; layers: number }>(
    pool,
    `select source_key as key, layers from attributes_dirty join parcels using (fips, property_id) order by 1`,
  );
  return Object.fromEntries(rows.map(({ key, layers }) => [key, layers]));
}

async function settle(): Promise<void> {
  await pool.query('delete from attributes_dirty');
}

test('a merge without layers marks nothing', async () => {
  expect((await run(roll(0, 1, 2, 3, 4, 5, 6))).status).toBe('merged');
  expect(await marks()).toEqual({});
});

test('a merge marks what it makes outdated, and nothing else', async () => {
  await putLayer(pool, 'elevation', { coverage: [...COVERAGE] });

  // Without roads no parcel depends on another.
  await run([...roll(0, 1, 2, 3), parcel(4, { geometry: lot(4, 0.0009) }), ...roll(5, 6)]);
  expect(await marks()).toEqual({ P4: 63 });
  await settle();

  // Unchanged, or only in what the roll says.
  await putLayer(pool, 'roads', { coverage: [...COVERAGE] });
  const unchanged = [...roll(0, 1, 2, 3), parcel(4, { geometry: lot(4, 0.0009) }), ...roll(5, 6)];
  expect((await run(unchanged)).status).toBe('unchanged');
  const renamed = unchanged.map((feature, n) => (n === 2 ? parcel(2, { owner: 'ANOTHER' }) : feature));
  expect((await run(renamed)).status).toBe('merged');
  expect(await marks()).toEqual({});

  // A changed shape: it by every layer, those next to where it was and is by roads.
  await run(roll(0, 1, 2, 3, 4, 5, 6));
  expect(await marks()).toEqual({ P3: 2, P4: 63, P5: 2 });
  await settle();

  // It has moved: its neighbors of before, and those of now.
  await run([parcel(0, { geometry: lot(20) }), ...roll(1, 2, 3, 4, 5, 6)]);
  expect(await marks()).toEqual({ P0: 63, P1: 2 });
  await settle();
  await run(roll(0, 1, 2, 3, 4, 5, 6, 21));
  expect(await marks()).toEqual({ P0: 63, P1: 2, P21: 63 });
  await settle();

  // Retired: nothing is to be computed of it, but its neighbors may face the road now. Back: like a new one.
  await run(roll(0, 1, 2, 4, 5, 6, 21));
  expect(await marks()).toEqual({ P2: 2, P4: 2 });
  await settle();
  await run(roll(0, 1, 2, 3, 4, 5, 6, 21));
  expect(await marks()).toEqual({ P2: 2, P3: 63, P4: 2 });
  await settle();

  // Its geometry is gone: what is known of it has to go, and it stands in nobody's way.
  await run([...roll(0, 1, 2), parcel(3, { geometry: null }), ...roll(4, 5, 6, 21)]);
  expect(await marks()).toEqual({ P2: 2, P3: 63, P4: 2 });
});

test('a mark on top of another has the kinds of both, counts as new, and belongs to no chunk', async () => {
  await settle();
  const { property_id: id } = await one<{ property_id: number }>(
    pool,
    "select property_id from parcels where source_key = 'P5'",
  );
  await pool.query(
    'insert into attributes_dirty (fips, property_id, layers, chunk) values (33019, $1, 4, 1)',
    [id],
  );
  const [before] = await marksOf(pool);
  await run([...roll(0, 1, 2), parcel(3, { geometry: null }), ...roll(4, 5, 21)]);
  expect(await marks()).toEqual({ P5: 6 });
  const [after] = await marksOf(pool);
  expect(after!.mark).toBeGreaterThan(before!.mark);
  expect(after!.chunk).toBeNull();
});

test('a parcel whose shape stays keeps the terrain for filters; a new shape loses it', async () => {
  const rows = await all<{ property_id: number; shape_hash: string }>(
    pool,
    "select property_id, shape_hash from parcels where source_key in ('P1', 'P2') order by source_key",
  );
  for (const { property_id, shape_hash } of rows) {
    await pool.query(
      `insert into parcel_attributes (fips, property_id, shape_hash, landlocked, wetlands_percent, flood_zone_percent,
         highway_frontage_ft, road_frontage_ft, local_frontage_ft, steeper_percent)
       values (33019, $1, $2, true, 12.5, 3, 10, 20, 30, $3)`,
      [property_id, shape_hash, new Array(11).fill(7)],
    );
  }
  await run([
    parcel(0),
    parcel(1, { owner: 'ANOTHER' }),
    parcel(2, { geometry: lot(2, 0.0008) }),
    ...roll(4, 5, 21),
  ]);
  const filters = await all(
    pool,
    `select p.source_key as key, f.landlocked, f.wetlands_percent, f.flood_zone_percent, f.highway_frontage_ft,
       f.road_frontage_ft, f.local_frontage_ft, f.steeper_percent[1] as steeper
     from parcel_filters f join parcels p using (fips, property_id) where p.source_key in ('P1', 'P2') order by 1`,
  );
  expect(filters).toEqual([
    {
      key: 'P1',
      landlocked: true,
      wetlands_percent: 12.5,
      flood_zone_percent: 3,
      highway_frontage_ft: 10,
      road_frontage_ft: 20,
      local_frontage_ft: 30,
      steeper: 7,
    },
    {
      key: 'P2',
      landlocked: null,
      wetlands_percent: null,
      flood_zone_percent: null,
      highway_frontage_ft: null,
      road_frontage_ft: null,
      local_frontage_ft: null,
      steeper: null,
    },
  ]);
});

test('parcels that arrive while a first layer is being merged are marked by one of the two merges', async () => {
  await settle();
  await pool.query('truncate land_layers');
  const layer = await pool.connect();
  try {
    // As far as the layer's merge has come when the parcels' begins: its row is written,
    // nothing is committed.
    await layer.query('begin');
    const { rows } = await layer.query<{ id: number; run: number }>(
      "select f.id, max(r.id) as run from feeds f join runs r on r.feed_id = f.id where f.name = 'elevation' group by f.id",
    );
    await layer.query(
      `insert into land_layers (feed_id, kind, run_id, coverage) values ($1, 'elevation', $2, '(0,0),(1,1)')`,
      [rows[0]!.id, rows[0]!.run],
    );
    const merging = run([...roll(0, 1, 2, 4, 5, 21), parcel(30)]);
    await expect.poll(() => lockWaits({ pool })).toBe(1);
    await layer.query('commit');
    await merging;
  } finally {
    layer.release();
  }
  expect(await marks()).toMatchObject({ P30: 63 });
});
