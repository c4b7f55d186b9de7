import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { uuidText } from '../../shared/model/uuid.ts';
import { unpackComps } from '../../shared/model/valuation-comps-codec.ts';
import { ensurePartitions } from '../../workers/ingest/kinds/assessor/partitions.ts';
import { readComps } from '../../workers/valuation/valuation-comps.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertParcels } from '../support/parcels.ts';
import { valueMarket } from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, clearMarket, parcelAt } from './valuations-support.ts';

const { folder, pool } = await createTestDatabase({}, { regions: true });
const COUNTY = 33_005;
const [LON, LAT] = [-72.4, 43.1];
const RATIO = 0.92;

beforeAll(() => ensurePartitions(pool, [COUNTY]));
beforeEach(() => clearMarket(pool));

/** A listing of one place; `n` tells listings apart. */
const listing = (n: number, more: Record<string, unknown>) => ({
  source_id: `L${n}`,
  status: 'ACTIVE',
  state: 'NH',
  fips: String(COUNTY),
  lot_acres: 3 + (n % 5) / 10,
  longitude: LON + (n % 10) / 1000,
  latitude: LAT + Math.floor(n / 10) / 1000,
  ...more,
});
const sold = (price: number, day = '2026-03-01') => ({
  status: 'SOLD',
  sold_price: price,
  sold_date: day,
});

/** What was asked for each sale, by source_id. */
async function askedBySale(): Promise<Record<string, number>> {
  const comps = await pool.transaction(client => readComps(client));
  const { rows } = await pool.query<{ id: string; source_id: string }>('select id, source_id from listings');
  const names = new Map(rows.map(({ id, source_id }) => [id, source_id]));
  return Object.fromEntries(
    Array.from(comps.asked!, (asked, i) => [
      names.get(uuidText(Buffer.from(comps.ids.buffer, comps.ids.byteOffset + 16 * i, 16).toString('hex')))!,
      asked,
    ]),
  );
}

async function discount(): Promise<number> {
  const { rows } = await pool.query<{ comps: Buffer }>('select comps from valuations');
  return Math.log1p(unpackComps(rows[0]!.comps)[0]!.askingPercent / 100);
}

describe('the last asking price before a sale', () => {
  test("is read from the listing's history", async () => {
    const feed = listingFeed(pool, folder);
    await feed.run([0, 1, 2, 3].map(n => listing(n, { list_price: 50_000 })));
    // One is cheaper now, one under contract, one has left the feed, one sells at once.
    await feed.run([
      listing(0, { list_price: 45_000 }),
      listing(1, { status: 'PENDING', list_price: 48_000 }),
      listing(3, sold(47_000)),
    ]);
    await feed.run([
      listing(0, sold(44_000)),
      listing(1, sold(44_000)),
      listing(2, sold(40_000)),
      listing(3, sold(46_000)),
    ]);
    await feed.run([
      listing(0, sold(44_000)),
      listing(1, sold(44_000)),
      listing(2, sold(40_000)),
      listing(3, sold(46_000)),
      // No more is known of these than that they were sold, or are for sale.
      listing(4, sold(30_000)),
      listing(5, { list_price: 60_000 }),
    ]);
    expect(await askedBySale()).toEqual({
      L0: 45_000,
      L1: 48_000,
      L2: 50_000,
      L3: 50_000,
      L4: Number.NaN,
      L5: Number.NaN,
    });
  });

  test('is what the source says of a closed listing, rather than the history', async () => {
    const feed = listingFeed(pool, folder);
    await feed.run([listing(0, { list_price: 50_000 })]);
    const closed = listing(0, { ...sold(44_000), list_price: 46_000 });
    await feed.run([
      closed,
      listing(1, { ...sold(44_000), list_price: 47_500 }),
      listing(2, { ...sold(1), list_price: 0 }),
    ]);
    expect(await askedBySale()).toEqual({ L0: 46_000, L1: 47_500, L2: Number.NaN });
    // The price is the sale's still, and a price that the source corrects is taken over.
    expect(await feed.stored('L0')).toMatchObject({ price: '44000.00', asked_price: '46000.00' });
    expect((await feed.run([{ ...closed, list_price: 45_500 }])).counts).toMatchObject({ changed: 1 });
    expect((await askedBySale()).L0).toBe(45_500);
  });
});

test("a county's listings for sale are moved by what its earlier ones sold for, later sales unknown", async () => {
  const feed = listingFeed(pool, folder);
  const many = Array.from({ length: 60 }, (_, n) => n);
  const price = (n: number) => 30_000 + 500 * ((n * 7) % 11);
  await feed.run(many.map(n => listing(n, { list_price: price(n) / RATIO })));
  // Far from every sale three are still for sale, and by them lies a parcel.
  const open = [100, 101, 102].map(n => ({ ...listing(n, { list_price: 40_000 }), longitude: LON + 3 }));
  await feed.run([...many.map(n => listing(n, sold(price(n)))), ...open]);
  await insertParcels(pool, [parcelAt(COUNTY, 1, LON + 3, LAT + 0.01, 3)]);
  await pool.query('insert into county_serials (fips, last_serial) values ($1, 1)', [COUNTY]);
  expect(await valueMarket(pool, { asOf: AS_OF })).toEqual({ parcels: 1, valued: 1 });
  const found = await discount();
  expect(Math.abs(Math.exp(found) - RATIO)).toBeLessThan(0.015);
  const { rows } = await pool.query<{ comps: Buffer }>('select comps from valuations');
  const used = unpackComps(rows[0]!.comps);
  expect(used).toHaveLength(3);
  for (const { askingPercent } of used) expect(askingPercent).toBeCloseTo(100 * (Math.exp(found) - 1), 1);

  // Sold after the day, far below what was asked.
  const later = Array.from({ length: 90 }, (_, n) =>
    listing(200 + n, { ...sold(31_000, '2026-07-01'), list_price: 40_000 }),
  );
  await feed.run([...many.map(n => listing(n, sold(price(n)))), ...open, ...later]);
  await valueMarket(pool, { asOf: AS_OF });
  expect(await discount()).toBe(found);
  await valueMarket(pool, { asOf: '2026-07-02' });
  expect(await discount()).toBeLessThan(found - 0.05);
});
