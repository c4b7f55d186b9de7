import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { fitMarket } from '../../workers/valuation/fit.ts';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { feedOf, ingest, lot, tempFolder, writeFeatures } from '../support/ingest.ts';
import { insertParcels } from '../support/parcels.ts';
import {
  refresh,
  storedValuations,
  valuationMarks,
  valueCounties,
  valueMarket,
} from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, clearMarket, parcelAt, randomComp, saleAt } from './valuations-support.ts';

const { pool } = await createTestDatabase();
const folder = tempFolder();
afterAll(folder.remove);
beforeEach(() => clearMarket(pool));

const listings = () => listingFeed(pool, folder.path, { snapshot: false, asOf: AS_OF });
const FIPS = 33_005;
const [WEST, SOUTH] = [-72.5, 43];

/** One county of many sales of like price, fitted and valued. */
async function dense(comps = 1_200, parcels = 600) {
  const random = createRandom(11);
  const at = () => [WEST + 0.6 * random(), SOUTH + 0.6 * random()] as const;
  await insertParcels(
    pool,
    Array.from({ length: parcels }, (_, i) => parcelAt(FIPS, i + 1, ...at(), 2 + 4 * random())),
  );
  await pool.query('insert into county_serials values ($1, 1000000)', [FIPS]);
  const feed = listings();
  const sales = Array.from({ length: comps }, (_, i) =>
    saleAt(`s${i}`, FIPS, ...at(), 2 + 4 * random(), 30_000 + 20_000 * random()),
  );
  await feed.run(sales);
  expect(await valuationMarks(pool)).toEqual(['market']);
  await valueMarket(pool, { asOf: AS_OF });
  expect(await valuationMarks(pool)).toEqual([]);
  return { feed, sales, middle: [WEST + 0.3, SOUTH + 0.3] as const };
}

const today = () => new Date().toISOString().slice(0, 10);

const changed = (a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>) =>
  [...b].filter(([id, row]) => a.get(id) !== row).length;

const jobsOf = async (ids: readonly string[]) =>
  (await pool.query('select name, payload from jobs where id = any ($1) order by id', [ids])).rows;

describe('marks', () => {
  test('of a new sale make a refresh value the few parcels around it', async () => {
    const { feed, middle } = await dense();
    const before = await storedValuations(pool);
    await feed.run([saleAt('new', FIPS, ...middle, 3, 60_000)]);
    expect(await valuationMarks(pool)).toEqual(['place']);
    const { parcels, jobs } = await refresh(pool);
    expect(jobs).toEqual([]);
    expect(await valuationMarks(pool)).toEqual([]);
    const moved = changed(before, await storedValuations(pool));
    expect(moved).toBeGreaterThan(0);
    expect(parcels).toBeGreaterThanOrEqual(moved);
    expect(parcels).toBeLessThan(before.size / 5);
  });

  test('are made for what valuations look at alone', async () => {
    const { feed, sales } = await dense(200, 20);
    await feed.run([
      { ...sales[0]!, days_on_market: 12, url: 'https://example.com/1', address: '1 Main St' },
    ]);
    expect(await valuationMarks(pool)).toEqual([]);
    await feed.run([{ ...sales[0]!, sold_price: 1_000 }]);
    expect(await valuationMarks(pool)).toEqual(['place', 'place']);
  });

  test('of many comps make the market be fitted anew, and every county be marked until it is valued', async () => {
    const { feed } = await dense(200, 20);
    const random = createRandom(5);
    await feed.run(Array.from({ length: 30 }, (_, i) => randomComp(random, `more ${i}`)));
    expect(await valuationMarks(pool)).toEqual(['market']);
    const { jobs } = await refresh(pool);
    expect(await jobsOf(jobs)).toEqual([{ name: 'valuation.fit', payload: {} }]);
    // Nothing is done yet.
    expect(await valuationMarks(pool)).toEqual(['market']);
    const fitted = await fitMarket(pool, {});
    expect(await jobsOf(fitted.jobs)).toEqual([{ name: 'valuation.county', payload: { fips: FIPS } }]);
    expect(await valuationMarks(pool)).toEqual([`county ${FIPS}`]);
    await valueCounties(pool);
    expect(await valuationMarks(pool)).toEqual([]);
  });

  test('of a roll make its county be valued as a whole', async () => {
    await dense(200, 20);
    const roll = feedOf(folder.path, {
      ...{ name: 'roll', kind: 'assessor', fips: '33019' },
      roll: { source: 'roll.ndjson', format: 'ndgeojson', key: 'PIN', columns: { owner_name: 'OWNER' } },
    });
    const features = Array.from({ length: 10 }, (_, n) => ({
      properties: { PIN: `P${n}`, OWNER: 'A' },
      geometry: lot(n),
    }));
    writeFeatures(join(folder.path, 'roll.ndjson'), features);
    await ingest(pool, roll);
    expect(await valuationMarks(pool)).toEqual(['county 33019']);
    const { jobs } = await refresh(pool);
    expect(await jobsOf(jobs)).toEqual([{ name: 'valuation.county', payload: { fips: 33_019 } }]);
    expect(await valueCounties(pool, [33_019])).toEqual({ parcels: 10, valued: 10 });
    expect(await valuationMarks(pool)).toEqual([]);
    // The same roll again changes nothing.
    await ingest(pool, roll);
    expect(await valuationMarks(pool)).toEqual([]);
  });

  test('stay when a refresh is stopped, and the next one does their work', async () => {
    const { feed, middle } = await dense(300, 50);
    await feed.run([saleAt('new', FIPS, ...middle, 3, 60_000)]);
    const before = await storedValuations(pool);
    const stopping = new AbortController();
    stopping.abort(new Error('the worker stops'));
    await expect(refresh(pool, stopping.signal)).rejects.toThrow('the worker stops');
    expect(await valuationMarks(pool)).toEqual(['place']);
    expect(await storedValuations(pool)).toEqual(before);
    await refresh(pool);
    expect(await valuationMarks(pool)).toEqual([]);
    expect(changed(before, await storedValuations(pool))).toBeGreaterThan(0);
  });

  test('are dealt with by two workers at once, beside one that values the county', async () => {
    const { feed, middle } = await dense(300, 200);
    for (const n of [1, 2, 3]) {
      const sale = saleAt(`new ${n}`, FIPS, middle[0] + 0.1 * n - 0.2, middle[1], 3, 60_000);
      await Promise.all([refresh(pool), valueCounties(pool, [FIPS]), feed.run([sale]), refresh(pool)]);
    }
    await refresh(pool);
    expect(await valuationMarks(pool)).toEqual([]);
    const refreshed = await storedValuations(pool);
    await valueCounties(pool);
    expect(await storedValuations(pool)).toEqual(refreshed);
  });

  test('before the first fit make the market be fitted', async () => {
    await pool.query('insert into valuations_dirty (fips) values ($1)', [FIPS]);
    expect(await jobsOf((await refresh(pool)).jobs)).toEqual([{ name: 'valuation.fit', payload: {} }]);
    expect(await fitMarket(pool, {})).toMatchObject({ sales: 0, counties: 0, jobs: [] });
    expect(await valuationMarks(pool)).toEqual([]);
  });
});

describe('a sale that comes after the fit', () => {
  test('moves nothing when its price has nothing to do with its market, until that is put right', async () => {
    const { feed, middle } = await dense();
    const before = await storedValuations(pool);
    await feed.run([saleAt('odd', FIPS, ...middle, 3, 90_000_000)]);
    expect((await refresh(pool)).parcels).toBeGreaterThan(0);
    expect(await storedValuations(pool)).toEqual(before);
    await feed.run([saleAt('odd', FIPS, ...middle, 3, 45_000)]);
    await refresh(pool);
    const right = await storedValuations(pool);
    expect(changed(before, right)).toBeGreaterThan(0);
    await feed.run([saleAt('odd', FIPS, ...middle, 3, 90_000_000)]);
    await refresh(pool);
    expect(await storedValuations(pool)).toEqual(before);
  });

  test('as the third of its neighbourhood gives parcels there their first valuation', async () => {
    const { feed } = await dense(300, 20);
    const [lon, lat] = [WEST + 8, SOUTH + 1];
    await insertParcels(pool, [parcelAt(FIPS, 900, lon, lat, 3)]);
    await feed.run([1, 2].map(n => saleAt(`far ${n}`, FIPS, lon + 0.001 * n, lat, 3, 40_000)));
    await valueMarket(pool, { asOf: AS_OF });
    const of = async () => (await storedValuations(pool)).get(FIPS * 1e8 + 900);
    expect(await of()).toBeUndefined();
    await feed.run([saleAt('far 3', FIPS, lon, lat + 0.001, 3, 40_000)]);
    expect(await refresh(pool)).toMatchObject({ parcels: 1 });
    expect(await of()).toBeDefined();
  });

  test('and after the day for which is valued moves nothing, however the market is fitted', async () => {
    const { feed, middle } = await dense(300, 100);
    const before = await storedValuations(pool);
    await feed.run([saleAt('future', FIPS, ...middle, 3, 60_000, '2026-07-01')]);
    await refresh(pool);
    expect(await storedValuations(pool)).toEqual(before);
    await valueMarket(pool, { asOf: AS_OF });
    expect(await storedValuations(pool)).toEqual(before);
    await valueMarket(pool, { asOf: '2026-07-01' });
    expect(changed(before, await storedValuations(pool))).toBeGreaterThan(0);
  });
});

describe('the day for which is valued', () => {
  const asOf = async () => (await fitMarket(pool, {})).asOf;

  test('is that of the latest snapshot when all comps are of snapshots, else today', async () => {
    expect(await asOf()).toBe(today());
    const random = createRandom(1);
    const live = () => listingFeed(pool, folder.path, { snapshot: false });
    const [one, two] = [live(), live()];
    await one.run([randomComp(random, 'a')]);
    expect(await asOf()).toBe(today());
    await pool.query("update feeds set as_of = '2025-03-01' where name = $1", [one.name]);
    expect(await asOf()).toBe('2025-03-01');
    await two.run([randomComp(random, 'b')]);
    expect(await asOf()).toBe(today());
    await pool.query("update feeds set as_of = '2025-09-28' where name = $1", [two.name]);
    expect(await asOf()).toBe('2025-09-28');
  });
});

describe('comps of days after that of the model make the market be fitted anew', () => {
  const fit = [{ name: 'valuation.fit', payload: {} }];
  const asOf = async () => (await pool.query('select as_of from valuation_model')).rows[0].as_of;
  const estimateOf = async (serial: number) => (await storedValuations(pool)).get(FIPS * 1e8 + serial);
  const live = () => listingFeed(pool, folder.path, { snapshot: false });
  const far = [WEST + 8, SOUTH + 1] as const;

  /** What a merge has followed, to its end. */
  async function follow(): Promise<unknown> {
    const { jobs } = await refresh(pool);
    const names = await jobsOf(jobs);
    if (jobs.length > 0) await valueMarket(pool);
    expect(await valuationMarks(pool)).toEqual([]);
    return names;
  }

  test('where all were of a snapshot, and sales of a source that is none come', async () => {
    await dense(300, 20);
    await insertParcels(pool, [parcelAt(FIPS, 900, ...far, 3)]);
    await valueMarket(pool);
    expect(await asOf()).toBe(AS_OF);
    const feed = live();
    const sales = [1, 2, 3, 4].map(n => saleAt(`${n}`, FIPS, far[0] + n / 1000, far[1], 3, 40_000, today()));
    await feed.run(sales);
    expect(await valuationMarks(pool)).toEqual(['place', 'place', 'place', 'place']);
    expect(await follow()).toEqual(fit);
    expect(await asOf()).toBe(today());
    expect(JSON.parse((await estimateOf(900))!)).toMatchObject({ as_of: today() });
    // The day has not passed: the next one is looked at by itself.
    const before = await estimateOf(900);
    await feed.run([saleAt('5', FIPS, far[0], far[1], 3, 50_000, today())]);
    expect(await follow()).toEqual([]);
    expect(await estimateOf(900)).not.toBe(before);
  });

  test('and asks without a date that are no snapshot’s, so that a sale among them counts', async () => {
    await dense(300, 20);
    await insertParcels(pool, [parcelAt(FIPS, 900, ...far, 3)]);
    const ask = (n: number) => {
      const { sold_price, sold_date, ...place } = saleAt(`${n}`, FIPS, far[0] + n / 1000, far[1], 3, 0);
      return { ...place, status: 'ACTIVE', list_price: 50_000 };
    };
    await live().run([ask(1), ask(2), ask(3), saleAt('4', FIPS, ...far, 3, 40_000, today())]);
    expect(await follow()).toEqual(fit);
    const { as_of, mean_price } = JSON.parse((await estimateOf(900))!);
    expect({ as_of, mean_price }).toEqual({ as_of: today(), mean_price: 47_500 });
  });

  test('or those of a later snapshot; not those of an earlier one', async () => {
    await dense(300, 20);
    const snapshot = (day: string) => listingFeed(pool, folder.path, { snapshot: false, asOf: day });
    const sale = (id: string, day: string) => saleAt(id, FIPS, WEST + 0.3, SOUTH + 0.3, 3, 60_000, day);
    await snapshot('2026-05-31').run([sale('earlier', '2026-05-01')]);
    expect(await follow()).toEqual([]);
    expect(await asOf()).toBe(AS_OF);
    await snapshot('2026-07-31').run([sale('later', '2026-07-01')]);
    expect(await follow()).toEqual(fit);
    expect(await asOf()).toBe('2026-07-31');
  });

  test('once a day: the first of a day that began after the fit, whatever their own days', async () => {
    await dense(300, 20);
    const feed = live();
    const sale = (id: string) => saleAt(id, FIPS, WEST + 0.3, SOUTH + 0.3, 3 + id.length / 10, 60_000);
    await feed.run([sale('before')]);
    expect(await follow()).toEqual(fit);
    await pool.query('update valuation_model set as_of = as_of - 1');
    await feed.run([sale('first')]);
    expect(await follow()).toEqual(fit);
    await feed.run([sale('the second')]);
    expect(await follow()).toEqual([]);
    // What went is of no day.
    await pool.query('update valuation_model set as_of = as_of - 1');
    await feed.run([{ ...sale('the second'), status: 'OFF_MARKET', list_price: 1 }]);
    expect(await follow()).toEqual([]);
  });
});
