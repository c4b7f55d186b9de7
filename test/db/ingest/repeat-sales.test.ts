import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { all } from '../../support/ingest.ts';
import { listingFeed, row } from './listing-support.ts';

const { folder, pool } = await createTestDatabase();

test("sales that share an id, such as a parcel's, are separate sales and stay the same ones", async () => {
  const { name, run } = listingFeed(pool, folder);
  const sale = (day: string, price: number) =>
    row('P', { status: 'SOLD', sold_price: price, sold_date: day, status_date: day });
  const stored = () =>
    all<{ id: string; text: string }>(
      pool,
      "select id, concat(source_id, ' ', price::int) as text from listings where source = $1 order by sold_date, price",
      [name],
    );
  const texts = async () => (await stored()).map(({ text }) => text);
  expect((await run([sale('2019-05-01', 10_000)])).counts).toMatchObject({ new: 1 });
  const [first] = await stored();
  const three = [sale('2019-05-01', 10_000), sale('2021-06-01', 20_000), sale('2021-06-01', 30_000)];
  const { counts } = await run([...three, three[1]!]);
  expect(counts).toMatchObject({ new: 2, unchanged: 1, identical: 1, rejected: {} });
  expect(await texts()).toEqual(['P 10000', 'P/2021-06-01/20000.00 20000', 'P/2021-06-01/30000.00 30000']);
  expect((await stored())[0]).toEqual(first);
  // The same in another order, and one of them alone.
  expect((await run(three.toReversed())).counts).toMatchObject({ new: 0, changed: 0, unchanged: 3 });
  expect((await run([three[2]!])).counts).toMatchObject({ new: 0, changed: 0, unchanged: 1 });
  expect(await texts()).toHaveLength(3);
});
