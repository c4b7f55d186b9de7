import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { enqueueValuations } from '../../workers/valuation/enqueue-valuations.ts';
import { defaultValuationDay } from '../../workers/valuation/value-county.ts';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { feedOf, ingest, lot, writeFeatures } from '../support/ingest.ts';
import { insertParcels } from '../support/parcels.ts';
import { refresh, storedValuations, valuationMarks, valueMarket } from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, clearMarket, parcelAt, randomComp, type SaleRow, saleAt } from './valuations-support.ts';

const { folder, pool } = await createTestDatabase();
beforeEach(() => clearMarket(pool));

const listings = () => listingFeed(pool, folder, { snapshot: false, asOf: AS_OF });
const FIPS = 33_005;
const [WEST, SOUTH] = [-72.5, 43];

/** A county of many sales of like price, fitted and valued. */
async function dense(comps = 300, parcels = 40, fips = FIPS, west = WEST) {
  const random = createRandom(11);
  const at = () => [west + 0.6 * random(), SOUTH + 0.6 * random()] as const;
  await insertParcels(
    pool,
    Array.from({ length: parcels }, (_, i) => parcelAt(fips, i + 1, ...at(), 2 + 4 * random())),
  );
  await pool.query('insert into county_serials values ($1, 1000000)', [fips]);
  const feed = listings();
  const sales = Array.from({ length: comps }, (_, i) =>
    saleAt(`s${fips} ${i}`, fips, ...at(), 2 + 4 * random(), 30_000 + 20_000 * random()),
  );
  await feed.run(sales);
  expect(await valuationMarks(pool)).toContain(fips);
  await valueMarket(pool, { asOf: AS_OF });
  expect(await valuationMarks(pool)).toEqual([]);
  return { feed, sales, middle: [west + 0.3, SOUTH + 0.3] as const };
}

const today = () => new Date().toISOString().slice(0, 10);

const changed = (a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>) =>
  [...b].filter(([id, row]) => a.get(id) !== row).length;

describe('a county is marked', () => {
  test('when one of its comps is added, changed, or removed, and so are the counties near it', async () => {
    await dense(200, 20, 33_019, WEST + 0.7);
    await dense(200, 20, 23_019, WEST + 6);
    const { feed, sales, middle } = await dense(200, 20);
    const changes: SaleRow[] = [
      saleAt('new', FIPS, ...middle, 3, 60_000),
      { ...sales[0]!, sold_price: 1_000 },
      { ...sales[1]!, status: 'OFF_MARKET', list_price: 1 },
    ];
    for (const change of changes) {
      const before = await storedValuations(pool);
      await feed.run([change]);
      expect(await valuationMarks(pool)).toEqual([FIPS, 33_019]);
      expect(await refresh(pool)).toEqual([FIPS, 33_019]);
      expect(await valuationMarks(pool)).toEqual([]);
      expect(changed(before, await storedValuations(pool))).toBeGreaterThan(0);
    }
    // What valuations do not look at marks nothing.
    await feed.run([
      { ...sales[2]!, days_on_market: 12, url: 'https://example.com/1', address: '1 Main St' },
    ]);
    expect(await valuationMarks(pool)).toEqual([]);
  });

  test('when its roll changes', async () => {
    const { feed, middle } = await dense(200, 20);
    // Without a sale of its own and beside one county it would not be valued.
    await feed.run([saleAt('own', 33_019, ...middle, 3, 40_000)]);
    await refresh(pool);
    const roll = feedOf(folder, {
      name: 'roll',
      kind: 'assessor',
      fips: '33019',
      roll: { source: 'roll.ndjson', format: 'ndgeojson', key: 'PIN', columns: { owner_name: 'OWNER' } },
    });
    const features = Array.from({ length: 10 }, (_, n) => ({
      properties: { PIN: `P${n}`, OWNER: 'A' },
      geometry: lot(n),
    }));
    writeFeatures(join(folder, 'roll.ndjson'), features);
    await ingest(pool, roll);
    expect(await refresh(pool)).toEqual([33_019]);
    const { rows } = await pool.query('select from valuations where fips = 33019');
    expect(rows).toHaveLength(10);
    // The same roll again changes nothing.
    await ingest(pool, roll);
    expect(await valuationMarks(pool)).toEqual([]);
  });
});

describe('a mark', () => {
  test('stays when its job dies, and the next change has the county valued', async () => {
    const { feed, middle } = await dense();
    await feed.run([saleAt('new', FIPS, ...middle, 3, 60_000)]);
    const jobs = await enqueueValuations(pool);
    expect(await enqueueValuations(pool)).toEqual(jobs);
    await pool.query("update jobs set status = 'failed' where id = any ($1)", [jobs]);
    expect(await valuationMarks(pool)).toEqual([FIPS]);
    expect(await refresh(pool)).toEqual([FIPS]);
    expect(await valuationMarks(pool)).toEqual([]);
  });

  test('is taken by two workers at once, beside merges, and leaves what valuing all anew leaves', async () => {
    const { feed, middle } = await dense();
    for (const n of [1, 2, 3]) {
      const sale = saleAt(`new ${n}`, FIPS, middle[0] + 0.1 * n - 0.2, middle[1], 3, 60_000);
      await Promise.all([refresh(pool), valueMarket(pool, { fips: FIPS }), feed.run([sale]), refresh(pool)]);
    }
    await refresh(pool);
    expect(await valuationMarks(pool)).toEqual([]);
    const refreshed = await storedValuations(pool);
    await valueMarket(pool);
    expect(await storedValuations(pool)).toEqual(refreshed);
  });
});

describe('a new sale', () => {
  test('moves nothing when its price has nothing to do with its market, until that is put right', async () => {
    const { feed, middle } = await dense();
    const before = await storedValuations(pool);
    const estimates = async () =>
      (await pool.query('select property_id, mean_adjusted_price from valuations order by 1')).rows;
    const untouched = await estimates();
    await feed.run([saleAt('odd', FIPS, ...middle, 3, 90_000_000)]);
    await refresh(pool);
    // Its error counts for the interval.
    expect(await estimates()).toEqual(untouched);
    await feed.run([saleAt('odd', FIPS, ...middle, 3, 45_000)]);
    await refresh(pool);
    expect(changed(before, await storedValuations(pool))).toBeGreaterThan(0);
  });

  test('gives parcels their first valuation if it is the third in their neighborhood', async () => {
    const { feed } = await dense();
    const [lon, lat] = [WEST + 8, SOUTH + 1];
    await insertParcels(pool, [parcelAt(FIPS, 900, lon, lat, 3)]);
    await feed.run([1, 2].map(n => saleAt(`far ${n}`, FIPS, lon + 0.001 * n, lat, 3, 40_000)));
    await valueMarket(pool, { asOf: AS_OF });
    const of = async () => (await storedValuations(pool)).get(FIPS * 1e8 + 900);
    expect(await of()).toBeUndefined();
    await feed.run([saleAt('far 3', FIPS, lon, lat + 0.001, 3, 40_000)]);
    await refresh(pool);
    expect(await of()).toBeDefined();
  });

  test('changes nothing if another feed has already reported it', async () => {
    const { sales } = await dense();
    const before = await storedValuations(pool);
    const told = sales
      .slice(0, 20)
      .map(sale => ({ ...sale, source_id: `again ${sale.source_id}`, sold_date: '2026-01-27' }));
    await listings().run(told);
    expect(await refresh(pool)).toEqual([FIPS]);
    expect(await storedValuations(pool)).toEqual(before);
  });

  test('after the valuation date changes nothing', async () => {
    const { feed, middle } = await dense();
    const before = await storedValuations(pool);
    await feed.run([saleAt('future', FIPS, ...middle, 3, 60_000, '2026-07-01')]);
    await refresh(pool);
    expect(await storedValuations(pool)).toEqual(before);
    await valueMarket(pool, { asOf: '2026-07-01' });
    expect(changed(before, await storedValuations(pool))).toBeGreaterThan(0);
  });
});

test('the day for which is valued is that of the latest snapshot when all comps are of snapshots, else today', async () => {
  const asOf = () => defaultValuationDay(pool);
  expect(await asOf()).toBe(today());
  const random = createRandom(1);
  const live = () => listingFeed(pool, folder, { snapshot: false });
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
