import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { createRandom, pick, type Random } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { geographicKeys, writeTiff } from '../support/geotiff.ts';
import { all, type Feature, feedOf, ingest, ORIGIN, square, writeFeatures } from '../support/ingest.ts';
import { marksOf } from '../support/land.ts';
import { compute, openChunks, plan } from './attributes-support.ts';

// Seven feeds at a time, of four connections each, and two workers.
const { folder, pool } = await createTestDatabase({ DB_POOL_SIZE: '40' });

const ROUNDS = 8;
const SIDE = 10;
const STEP = 0.0003;

const at = (column: number, row: number): Position => [ORIGIN[0] + column * STEP, ORIGIN[1] + row * STEP];
const chance = (random: Random, share: number) => random() < share;

/** A town of lots, of which some are missing, smaller or another's. */
function lots(random: Random): Feature[] {
  const features: Feature[] = [];
  for (let n = 0; n < SIDE * SIDE; n++) {
    if (chance(random, 0.1)) continue;
    const size = chance(random, 0.3) ? 0.7 * STEP : 0.95 * STEP;
    const [west, south] = at(n % SIDE, Math.floor(n / SIDE));
    features.push({
      properties: { PIN: `P${n}`, OWNER: pick(random, ['ONE', 'ANOTHER']) },
      geometry: chance(random, 0.03) ? null : square(west, south, size),
    });
  }
  return features;
}

/** Roads between some rows of lots. */
function roads(random: Random): Feature[] {
  return Array.from({ length: 4 }, () => {
    const row = Math.floor(random() * SIDE) - 0.02;
    return {
      properties: { MTFCC: pick(random, ['S1100', 'S1200', 'S1400']) },
      geometry: { type: 'LineString', coordinates: [at(-1, row), at(random() * SIDE, row)] },
    };
  });
}

function water(random: Random): Feature[] {
  return Array.from({ length: 5 }, () => ({
    properties: { FLD_ZONE: pick(random, ['AE', 'X']), ATTRIBUTE: 'PEM1E', WETLAND_TYPE: 'Pond' },
    geometry: square(...at(random() * SIDE, random() * SIDE), 2 * STEP * random()),
  }));
}

/**
 * Highways south of the town, whose layer does not cover it: 83 to 123 m away, where only the town's
 * own layer reaches.
 */
function beyond(random: Random): Feature[] {
  const row = -2.5 - 1.2 * random();
  return [
    {
      properties: { MTFCC: 'S1100' },
      geometry: { type: 'LineString', coordinates: [at(SIDE * random(), row), at(SIDE + 1, row)] },
    },
  ];
}

const layer = (name: string) => ({ source: `${name}.ndgeojson`, format: 'ndgeojson' });
const coverage = [...at(-1, -1), ...at(SIDE - 1.5, SIDE + 1)];
const SOURCES: Record<string, { feed: object; features(random: Random): Feature[] }> = {
  beyond: {
    feed: { kind: 'roads', layer: layer('beyond'), coverage: [...at(-1, -8), ...at(SIDE + 1, -3)] },
    features: beyond,
  },
  roll: {
    feed: {
      kind: 'assessor',
      fips: '33019',
      roll: { ...layer('roll'), key: 'PIN', columns: { owner_name: 'OWNER' } },
    },
    features: lots,
  },
  // Changes its coverage with its features.
  roads: {
    feed: { kind: 'roads', layer: { ...layer('roads'), reach: { highway: 125 } } },
    features: roads,
  },
  wetlands: { feed: { kind: 'wetlands', layer: layer('wetlands'), coverage }, features: water },
  flood: { feed: { kind: 'flood', layer: layer('flood'), coverage, fips: '33019' }, features: water },
};

/**
 * Cells of a third of a lot's step. Two grids in line: the eastern one begins a little east of lots whose
 * slopes it changes.
 */
const CELL = STEP / 3;
const GRIDS = { west: [-3, 18], east: [18, 33] } as const;

/**
 * Ingests version after version of heights, each a file of its own: workers read the one before
 * until it is merged.
 */
async function raise(name: keyof typeof GRIDS, seed: number, rounds = ROUNDS): Promise<void> {
  const random = createRandom(seed);
  const [first, end] = GRIDS[name];
  for (let round = 0; round < rounds; round++) {
    const source = `${name}-${seed}-${round}.tif`;
    writeTiff(join(folder, source), {
      width: end - first,
      height: 3 * SIDE + 6,
      at: () => 200 + 3 * random(),
      keys: geographicKeys(4269),
      grid: { originX: ORIGIN[0] + first * CELL, originY: at(0, SIDE + 1)[1], stepX: CELL, stepY: -CELL },
    });
    const feed = feedOf(folder, { name, kind: 'elevation', elevation: { source } });
    expect((await ingest(pool, feed, { force: true })).status).toBe('merged');
    await sleep(20 * random());
  }
}

/** Ingests version after version of a source. */
async function change(name: string, seed: number, rounds = ROUNDS): Promise<void> {
  const random = createRandom(seed);
  const { feed, features } = SOURCES[name]!;
  const parsed = feedOf(folder, { name, ...feed });
  for (let round = 0; round < rounds; round++) {
    writeFeatures(join(folder, `${name}.ndgeojson`), features(random));
    expect(['merged', 'unchanged']).toContain((await ingest(pool, parsed, { force: true })).status);
    await sleep(20 * random());
  }
}

/**
 * A worker that plans and computes all the time; now and then it counts another's job as lost,
 * and works beside it.
 */
async function work(until: () => boolean): Promise<void> {
  while (!until()) {
    await plan(pool, { scope: { dirty: true } }, 15);
    for (const chunk of await openChunks(pool)) {
      await compute(pool, chunk, LAND_KERNELS);
      await pool.query("update jobs set status = 'done' where name = 'attributes.chunk' and payload = $1", [
        chunk,
      ]);
    }
  }
}

const snapshot = () =>
  all(
    pool,
    `select p.source_key, p.shape_hash is null as shapeless, a.shape_hash = p.shape_hash as of_this_shape, a.elevation_runs,
       a.mean_elevation_m, a.mean_slope_percent, a.steeper_percent, a.roads_runs, a.wetlands_runs, a.flood_runs, a.wetlands_percent, a.flood_zone_percent, a.landlocked, a.highway_frontage_ft,
       a.road_frontage_ft, a.local_frontage_ft,
       (f.landlocked, f.wetlands_percent, f.flood_zone_percent, f.highway_frontage_ft, f.road_frontage_ft,
         f.local_frontage_ft) is not distinct from (a.landlocked, a.wetlands_percent, a.flood_zone_percent,
         a.highway_frontage_ft, a.road_frontage_ft, a.local_frontage_ft) as filters_agree
     from parcels p
     join parcel_filters f using (fips, property_id)
     left join parcel_attributes a using (fips, property_id)
     where p.retired_at is null
     order by 1`,
  );

test('whatever is merged while parcels are computed, the result is the same as computing once at the end', async () => {
  let merging = true;
  const workers = [work(() => !merging), work(() => !merging)];
  await Promise.all([
    ...Object.keys(SOURCES).map((name, i) => change(name, 100 + i)),
    raise('west', 200),
    raise('east', 201),
  ]);
  // Once all of that is computed, what changes parcels that it does not lie over: nothing else
  // computes them anew.
  while ((await marksOf(pool)).length > 0) await sleep(20);
  await raise('east', 300, 1);
  await change('beyond', 301, 1);
  merging = false;
  await Promise.all(workers);
  await pool.query("update jobs set status = 'done' where name = 'attributes.chunk'");
  let finished = false;
  await work(() => {
    const now = finished;
    finished = true;
    return now;
  });
  expect(await marksOf(pool)).toEqual([]);
  const found = await snapshot();
  expect(found.length).toBeGreaterThan(50);
  expect(found.every(row => row.filters_agree)).toBe(true);

  await pool.query('delete from parcel_attributes');
  await plan(pool, { scope: { all: true } });
  for (const chunk of await openChunks(pool)) await compute(pool, chunk, LAND_KERNELS);
  expect(found).toEqual(await snapshot());
});
