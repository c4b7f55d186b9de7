import { afterAll, expect, test } from 'vitest';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { tempFolder } from '../support/ingest.ts';
import { insertParcels } from '../support/parcels.ts';
import {
  refresh,
  storedValuations,
  valuationMarks,
  valueCounties,
  valueMarket,
} from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import {
  AS_OF,
  COUNTIES,
  clearMarket,
  parcelAt,
  randomComp,
  type SaleRow,
  saleAt,
  seedParcels,
} from './valuations-support.ts';

const { pool } = await createTestDatabase();
const folder = tempFolder();
afterAll(folder.remove);

const PARCELS = 400;

/** A new market, fitted and valued. */
async function market(seed: number, count: number) {
  await clearMarket(pool);
  const random = createRandom(seed);
  await seedParcels(pool, random, PARCELS);
  const feed = listingFeed(pool, folder.path, { snapshot: false, asOf: AS_OF });
  const comps = new Map<string, SaleRow>();
  for (let i = 0; i < count; i++) comps.set(String(i), randomComp(random, String(i)));
  await feed.run([...comps.values()]);
  await valueMarket(pool, { asOf: AS_OF });
  return { random, comps, feed };
}

const differing = (a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>) =>
  [...new Set([...a.keys(), ...b.keys()])].filter(id => a.get(id) !== b.get(id));

test.each([
  { seed: 1, count: 400 },
  { seed: 2, count: 400 },
  { seed: 4, count: 2_500 },
  { seed: 5, count: 2_500 },
])(
  'after new, changed and withdrawn comps a refresh leaves what valuing every county anew leaves ($count comps, seed $seed)',
  async ({ seed, count }) => {
    const { random, comps, feed } = await market(seed, count);
    for (let round = 0; round < 3; round++) {
      const before = await storedValuations(pool);
      const ids = [...comps.keys()];
      const some = () => ids[Math.floor(random() * ids.length)]!;
      const fresh = randomComp(random, `new ${round}`);
      const changed = randomComp(random, some());
      const withdrawn: SaleRow = { ...comps.get(some())!, status: 'OFF_MARKET', list_price: 1 };
      for (const comp of [fresh, changed, withdrawn]) comps.set(comp.source_id, comp);
      await feed.run([fresh, changed, withdrawn]);
      const { parcels, jobs } = await refresh(pool);
      const refreshed = await storedValuations(pool);
      expect(jobs).toEqual([]);
      expect(await valuationMarks(pool)).toEqual([]);

      await valueCounties(pool);
      const anew = await storedValuations(pool);
      expect(differing(refreshed, anew)).toEqual([]);
      // It was not for nothing, and not for all.
      expect(parcels).toBeGreaterThanOrEqual(differing(before, anew).length);
    }
  },
  60_000,
);

/** A town of its own with many sales, far from a ring of others, in a county that has enough so that few marks are few. */
async function town() {
  await clearMarket(pool);
  const random = createRandom(9);
  const fips = COUNTIES[0];
  const around = (metres: number) =>
    [-72.3 + (metres / 81_000) * random(), 43.1 + (metres / 111_000) * random()] as const;
  const sale = (id: string, at: readonly [number, number]) =>
    saleAt(id, fips, ...at, 2 + random(), 30_000 + 9_000 * random());
  const inTown = Array.from({ length: 40 }, (_, i) => sale(`town ${i}`, around(600)));
  const ring = Array.from({ length: 60 }, (_, i) => {
    const angle = (i * Math.PI) / 30;
    return sale(`ring ${i}`, [-72.3 + 0.06 * Math.cos(angle), 43.1 + 0.045 * Math.sin(angle)]);
  });
  const others = Array.from({ length: 700 }, (_, i) =>
    sale(`other ${i}`, [-72.9 + 0.3 * random(), 43.1 + 0.3 * random()]),
  );
  await insertParcels(
    pool,
    Array.from({ length: 30 }, (_, i) => parcelAt(fips, i + 1, ...around(600), 2.5)),
  );
  await pool.query('insert into county_serials (fips, last_serial) values ($1, 1000)', [fips]);
  const feed = listingFeed(pool, folder.path, { snapshot: false, asOf: AS_OF });
  await feed.run([...inTown, ...ring, ...others]);
  await valueMarket(pool, { asOf: AS_OF });
  return { feed, inTown, fips };
}

test('valuations that reach farther than before, as most comps near them went, are by the comps that are farther away', async () => {
  const { feed, inTown } = await town();
  const farthest = async () =>
    (await pool.query('select max(greatest(reach_m, level_reach_m)) as m from valuations')).rows[0].m;
  const before = await farthest();
  await feed.run(inTown.slice(0, 34).map(row => ({ ...row, status: 'OFF_MARKET', list_price: 1 })));
  expect(await refresh(pool)).toEqual({ parcels: 30, jobs: [] });
  const refreshed = await storedValuations(pool);
  const after = await farthest();
  expect(after).toBeGreaterThan(1.5 * before);
  await valueCounties(pool);
  expect(differing(refreshed, await storedValuations(pool))).toEqual([]);
});

test('a county without cells, as one that an earlier version valued, is refreshed like any other', async () => {
  const { feed, inTown } = await town();
  await pool.query('update valuation_counties set reaches = float4send(reach_m::real)');
  // A parcel among as many sales of its size and day as it is valued by: nothing is divided by how far they are.
  await pool.query('update valuations set reach_m = 0, reach_log_acres = 0 where property_id % 2 = 0');
  await feed.run([{ ...inTown[0]!, sold_price: 61_000 }]);
  expect(await refresh(pool)).toEqual({ parcels: 30, jobs: [] });
  const refreshed = await storedValuations(pool);
  await valueCounties(pool);
  expect(differing(refreshed, await storedValuations(pool))).toEqual([]);
});

test('comps that came where valuations reach farther since a refresh are seen by the next', async () => {
  const { feed, inTown } = await town();
  await feed.run(inTown.slice(0, 34).map(row => ({ ...row, status: 'OFF_MARKET', list_price: 1 })));
  await refresh(pool);
  await feed.run([saleAt('far', COUNTIES[0], -72.35, 43.13, 2.5, 38_000)]);
  expect((await refresh(pool)).parcels).toBeGreaterThan(0);
  const refreshed = await storedValuations(pool);
  await valueCounties(pool);
  expect(differing(refreshed, await storedValuations(pool))).toEqual([]);
});

test('a model of another version makes the market be fitted anew', async () => {
  const { feed, inTown } = await town();
  await pool.query(`update valuation_model set parameters = '{"version": "0"}'`);
  await feed.run([{ ...inTown[0]!, sold_price: 61_000 }]);
  const { jobs } = await refresh(pool);
  const { rows } = await pool.query('select name from jobs where id = any ($1)', [jobs]);
  expect(rows).toEqual([{ name: 'valuation.fit' }]);
  await valueMarket(pool, { asOf: AS_OF });
  expect(await valuationMarks(pool)).toEqual([]);
});
