import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { listingFeed, row } from './listing-support.ts';

const { folder, pool } = await createTestDatabase();
const listings = () => listingFeed(pool, folder);

test('list prices that the source overwrites with the sale prices are dropped and counted', async () => {
  const { run, stored } = listings();
  const sale = (n: number, list_price: number) =>
    row(`S${n}`, { status: 'SOLD', sold_price: 50_000 + n, list_price, sold_date: '2025-03-02' });
  const five = [0, 1, 2, 3, 4];
  const { counts } = await run(five.map(n => sale(n, 50_000 + n)));
  expect(counts.dropped).toEqual({ list_price: 5 });
  expect(await stored('S0')).toMatchObject({ price: '50000.00', asked_price: null });
  // One that differs shows that the source tells both.
  const other = listings();
  const told = await other.run(five.map(n => sale(n, n === 0 ? 60_000 : 50_000 + n)));
  expect(told.counts.dropped).toEqual({});
  expect(await other.stored('S1')).toMatchObject({ asked_price: '50001.00' });
});
