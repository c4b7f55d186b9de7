import { expect, test } from 'vitest';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { refresh, storedValuations, valueMarket } from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, COUNTIES, randomComp, type SaleRow, seedParcels } from './valuations-support.ts';

const { pool } = await createTestDatabase();
const folder = testFolder();

const random = createRandom(3);
const listings = listingFeed(pool, folder, { snapshot: false, asOf: AS_OF });
const other = listingFeed(pool, folder, { snapshot: false, asOf: AS_OF });

const shifted = (day: string, by: number) =>
  new Date(Date.parse(day) + by * 86_400_000).toISOString().slice(0, 10);
/** The same sale as another feed tells it, so many days later. */
const again = (sale: SaleRow, days: number): SaleRow => ({
  ...sale,
  source_id: `again ${sale.source_id}`,
  lot_acres: Number((Number(sale.lot_acres) * 1.01).toFixed(4)),
  longitude: Number(sale.longitude) + 0.001,
  sold_date: shifted(String(sale.sold_date), days),
});
const leftOut = async (name: string) =>
  (
    await pool.query<{ source_id: string }>(
      'select l.source_id from valuation_outliers o join listings l on l.id = o.listing_id where l.source = $1 order by 1',
      [name],
    )
  ).rows.map(row => row.source_id);
test('a sale that another feed has told before counts once, from the refresh that follows it on', async () => {
  await seedParcels(pool, random, 200);
  const comps = Array.from({ length: 300 }, (_, i) => randomComp(random, String(i)));
  await listings.run(comps);
  await valueMarket(pool, { asOf: AS_OF });
  const known = await leftOut(listings.name);
  const before = await storedValuations(pool);
  const told = comps
    .filter(
      ({ status, source_id, sold_date }) =>
        status === 'SOLD' && !known.includes(source_id) && String(sold_date) < '2026-06-01',
    )
    .slice(0, 10);
  const second = told.map(sale => again(sale, 12));
  await other.run(second);
  await refresh(pool);
  const ids = second.map(({ source_id }) => source_id).sort();
  expect(await leftOut(other.name)).toEqual(ids);
  expect(await storedValuations(pool)).toEqual(before);

  // One that no other tells counts.
  await other.run([
    { ...second[0]!, source_id: 'another price', sold_price: Number(second[0]!.sold_price) + 500 },
  ]);
  await refresh(pool);
  expect(await leftOut(other.name)).toEqual(ids);
  expect(await storedValuations(pool)).not.toEqual(before);
});

test('of one day the record of the roll stays', async () => {
  const sale: SaleRow = {
    ...{
      source_id: 'both',
      status: 'SOLD',
      state: 'NH',
      fips: String(COUNTIES[0]),
      lot_acres: 3,
      longitude: -72.45,
    },
    ...{ latitude: 43.15, sold_price: 17_000, sold_date: '2026-05-05' },
  };
  await listings.run([sale]);
  await other.run([again(sale, 0)]);
  for (const [roll, feed] of [
    [other, listings],
    [listings, other],
  ] as const) {
    await pool.query("update feeds set kind = case when name = $1 then 'assessor' else 'listings' end", [
      roll.name,
    ]);
    await valueMarket(pool, { asOf: AS_OF });
    const ids = [sale.source_id, `again ${sale.source_id}`];
    expect((await leftOut(feed.name)).filter(id => ids.includes(id))).toHaveLength(1);
    expect((await leftOut(roll.name)).filter(id => ids.includes(id))).toHaveLength(0);
  }
});
