import { describe, expect, test } from 'vitest';
import { roundAcres } from '../../../shared/model/shown-acres.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, ingestRoll, lot, one } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();

const NOTHING = { APN: null, ACRES: null, ADDRESS: null, CITY: null, ZIP: null };

let feeds = 0;

function rollWithSales() {
  const name = `sales-${++feeds}`;
  const columns = {
    apn: 'APN',
    acres: 'ACRES',
    situs_address: 'ADDRESS',
    situs_city: 'CITY',
    situs_zip: 'ZIP',
    last_sale_date: 'SOLD',
    last_sale_price: 'PRICE',
    seller_name: 'SELLER',
  };
  const where = [{ column: 'QUAL', equals: 'Q' }];
  const more = {
    sales: { label: name, where, min_price: 1_000, sale_type: 'Land, qualified' },
    gates: { max_key_drop_percent: 100, max_row_drop_percent: 100 },
  };
  return {
    name,
    run(rows: Record<string, unknown>[]) {
      const features = rows.map((row, n) => ({
        properties: { ...NOTHING, QUAL: 'Q', SOLD: '2024-05-01', PRICE: 9_000, SELLER: 'SMITH', ...row },
        geometry: row.at === null ? null : lot(n, row.size as number | undefined),
      }));
      return ingestRoll(pool, folder, name, features, { columns, ...more });
    },
    comps: async () =>
      (
        await all<{ text: string }>(
          pool,
          "select concat(source_id, ' ', status, ' ', price::int) as text from listings where source = $1 order by source_id",
          [name],
        )
      ).map(({ text }) => text.replace('33019/', '')),
  };
}

test('a sale becomes a comp with everything that the roll and the boundary say about it', async () => {
  const { run, name } = rollWithSales();
  await run([
    { PIN: 'A', APN: '10-12', ADDRESS: '1 Pond Road', CITY: 'Washington', ZIP: '3280', ACRES: null },
  ]);
  const comp = await one(pool, 'select * from listings where source = $1', [name]);
  const parcel = await one<{ location: unknown; calculated_acres: number }>(
    pool,
    "select location, calculated_acres from parcels where apn = '10-12'",
  );
  expect(comp).toMatchObject({
    source: name,
    source_id: '33019/A/2024-05-01',
    status: 'SOLD',
    price: '9000.00',
    sold_date: '2024-05-01',
    status_date: '2024-05-01',
    address: '1 Pond Road',
    city: 'Washington',
    state: 'NH',
    zip: '03280',
    county: 'Sullivan',
    fips: 33019,
    apn: '10-12',
    location: parcel.location,
    lot_acres: roundAcres(parcel.calculated_acres),
    sale_type: 'Land, qualified',
    days_on_market: null,
    url: '',
    photos: [],
  });
});

test("rows that aren't sales: too cheap, not qualified, without a date or a price", async () => {
  const { run, comps } = rollWithSales();
  const result = await run([
    { PIN: 'A', SELLER: 'A' },
    { PIN: 'B', SELLER: 'B', PRICE: 999 },
    { PIN: 'C', SELLER: 'C', QUAL: 'U' },
    { PIN: 'D', SELLER: 'D', SOLD: null },
    { PIN: 'E', SELLER: 'E', PRICE: null },
    { PIN: 'F', SELLER: 'F', PRICE: 1_000 },
  ]);
  expect(await comps()).toEqual(['A/2024-05-01 SOLD 9000', 'F/2024-05-01 SOLD 1000']);
  expect(result.counts.sales).toEqual({ comps: 2, multi_parcel: 0, disqualified: 0 });
});

test('several parcels with one price, day, and seller are one deed, and yield no comp', async () => {
  const { run, comps } = rollWithSales();
  const result = await run([
    { PIN: 'A' },
    { PIN: 'B', SELLER: ' smith ' },
    { PIN: 'C', PRICE: 9_001 },
    { PIN: 'D', SELLER: 'JONES' },
    { PIN: 'E', SOLD: '2024-05-02' },
    { PIN: 'F', SOLD: '2024-06-01', QUAL: 'U' },
    { PIN: 'G', SOLD: '2024-06-01' },
  ]);
  expect(await comps()).toEqual([
    'A/2024-05-01 OFF_MARKET 9000',
    'B/2024-05-01 OFF_MARKET 9000',
    'C/2024-05-01 SOLD 9001',
    'D/2024-05-01 SOLD 9000',
    'E/2024-05-02 SOLD 9000',
    'G/2024-06-01 OFF_MARKET 9000',
  ]);
  expect(result.counts.sales).toEqual({ comps: 3, multi_parcel: 3, disqualified: 0 });
});

test('the same roll adds none; a later sale adds one and keeps the earlier; a corrected one is taken off the market', async () => {
  const { run, comps, name } = rollWithSales();
  await run([
    { PIN: 'A', SELLER: 'A' },
    { PIN: 'B', SELLER: 'B' },
    { PIN: 'C', SELLER: 'C' },
  ]);
  expect(
    (
      await run([
        { PIN: 'A', SELLER: 'A' },
        { PIN: 'B', SELLER: 'B' },
        { PIN: 'C', SELLER: 'C' },
      ])
    ).status,
  ).toBe('unchanged');
  const year2 = [
    { PIN: 'A', SELLER: 'X', SOLD: '2025-01-01', PRICE: 20_000 },
    { PIN: 'B', SELLER: 'B', QUAL: 'U' },
    { PIN: 'D', SELLER: 'D' },
  ];
  expect((await run(year2)).counts.sales).toEqual({ comps: 2, multi_parcel: 0, disqualified: 1 });
  expect(await comps()).toEqual([
    'A/2024-05-01 SOLD 9000',
    'A/2025-01-01 SOLD 20000',
    'B/2024-05-01 OFF_MARKET 9000',
    // Its parcel left the roll; the sale took place all the same.
    'C/2024-05-01 SOLD 9000',
    'D/2024-05-01 SOLD 9000',
  ]);
  expect((await run(year2)).status).toBe('unchanged');
  await run([year2[0]!, { PIN: 'B', SELLER: 'B' }, { PIN: 'D', SELLER: 'D' }]);
  const statuses = await all(
    pool,
    'select e.status from listing_events e join listings l on l.id = e.listing_id where l.source = $1 and source_id like $2 order by run_id',
    [name, '%/B/%'],
  );
  expect(statuses.map(row => row.status)).toEqual(['SOLD', 'OFF_MARKET', 'SOLD']);
});

describe('a deed over several parcels stays one', () => {
  const A = { PIN: 'A', PRICE: 100_000 };
  const B = { PIN: 'B', PRICE: 100_000 };
  const resold = { PIN: 'B', SOLD: '2025-02-01', PRICE: 30_000, SELLER: 'JONES' };
  const off = 'A/2024-05-01 OFF_MARKET 100000';

  test('when the other parcels are sold again, in that roll and in later ones', async () => {
    const { run, comps, name } = rollWithSales();
    expect((await run([A, B])).counts.sales).toEqual({ comps: 0, multi_parcel: 2, disqualified: 0 });
    expect((await run([A, B])).status).toBe('unchanged');
    const later = [off, 'B/2024-05-01 OFF_MARKET 100000', 'B/2025-02-01 SOLD 30000'];
    expect((await run([A, resold])).counts.sales).toEqual({ comps: 1, multi_parcel: 1, disqualified: 0 });
    expect(await comps()).toEqual(later);
    expect((await run([A, resold])).status).toBe('unchanged');
    const third = await run([A, resold, { PIN: 'C', SELLER: 'C' }]);
    expect(third.counts.sales).toEqual({ comps: 2, multi_parcel: 1, disqualified: 0 });
    expect((await comps()).filter(text => !text.startsWith('C'))).toEqual(later);
    expect(
      await all(
        pool,
        `select distinct l.sale_type, e.status from listings l join listing_events e on e.listing_id = l.id
         where l.source = $1 and l.sold_date = '2024-05-01' and l.source_id not like '%/C/%'`,
        [name],
      ),
    ).toEqual([{ sale_type: 'Deed over several parcels', status: 'OFF_MARKET' }]);
  });

  test('when it was a comp, then one of several, then shown as one again', async () => {
    const { run, comps, name } = rollWithSales();
    await run([A]);
    await run([A, B]);
    await run([A, resold]);
    await run([A, { ...resold, ADDRESS: '2 Pond Road' }]);
    expect((await comps())[0]).toBe(off);
    const statuses = await all(
      pool,
      'select e.status from listing_events e join listings l on l.id = e.listing_id where l.source = $1 and source_id like $2 order by run_id',
      [name, '%/A/%'],
    );
    expect(statuses.map(row => row.status)).toEqual(['SOLD', 'OFF_MARKET']);
  });

  test('in an installation that stored no such sales', async () => {
    const { run, comps, name } = rollWithSales();
    await run([A, B]);
    await pool.query(
      'delete from listing_events e using listings l where l.id = e.listing_id and l.source = $1',
      [name],
    );
    await pool.query('delete from listings where source = $1', [name]);
    expect((await run([A, B])).status).toBe('unchanged');
    expect(await comps()).toEqual([]);
    await run([A, resold]);
    await run([A, { ...resold, ADDRESS: '2 Pond Road' }]);
    expect(await comps()).toEqual([off, 'B/2025-02-01 SOLD 30000']);
  });

  test('other feeds say nothing about it', async () => {
    const [one, other] = [rollWithSales(), rollWithSales()];
    await one.run([B]);
    await other.run([A]);
    expect(await other.comps()).toEqual(['A/2024-05-01 SOLD 100000']);
  });
});

describe('the land of a known sale', () => {
  const C = { PIN: 'C', SOLD: '2019-05-01', PRICE: 90_000, ACRES: 50, size: 0.001 };
  const split = { ...C, ACRES: 20, size: 0.0006 };

  type Land = { source_id: string; status: string; lot_acres: number; location: { x: number; y: number } };
  const lands = (name: string) =>
    all<Land>(
      pool,
      'select source_id, status, lot_acres, location from listings where source = $1 order by source_id',
      [name],
    );

  test('is that of the day it was sold, after a split or a merger of the parcel', async () => {
    const { run, name } = rollWithSales();
    const D = { PIN: 'D', SELLER: 'D', ACRES: 10, size: 0.0006 };
    await run([C, D]);
    const before = await lands(name);
    expect(before.map(sale => sale.lot_acres)).toEqual([50, 10]);
    const later = [split, { ...D, ACRES: 10.6, size: 0.001 }];
    await run(later);
    expect(await lands(name)).toEqual(before);
    expect((await run(later)).status).toBe('unchanged');
  });

  test('follows corrections of at most 5 %, including its location', async () => {
    const { run, name } = rollWithSales();
    await run([C]);
    const [before] = await lands(name);
    await run([{ ...C, ACRES: 47.5, size: 0.0009 }]);
    const [after] = await lands(name);
    expect(after!.lot_acres).toBe(47.5);
    expect(after!.location).not.toEqual(before!.location);
    await run([{ ...C, ACRES: 47.6 }]);
    expect((await lands(name))[0]).toEqual({ ...before, lot_acres: 47.6 });
  });

  test('is set once the roll has it, and stays when the roll no longer does', async () => {
    const { run, name } = rollWithSales();
    const untold = { ...C, ACRES: null, at: null };
    // Without it the gate would find columns that have turned empty.
    const other = { PIN: 'D', SELLER: 'D', ACRES: 10 };
    await run([untold, other]);
    expect((await lands(name))[0]).toMatchObject({ lot_acres: null, location: null });
    await run([C, other]);
    const told = await lands(name);
    expect(told[0]).toMatchObject({ lot_acres: 50, location: { x: expect.any(Number) } });
    expect((await run([untold, other])).status).toBe('merged');
    expect(await lands(name)).toEqual(told);
  });

  test('is kept for a sale that was off the market, whose price may be corrected', async () => {
    const { run, name } = rollWithSales();
    await run([C]);
    const [before] = await lands(name);
    await run([{ ...C, QUAL: 'U' }]);
    await run([{ ...split, PRICE: 95_000 }]);
    expect((await lands(name))[0]).toEqual(before);
    expect(await one(pool, 'select price from listings where source = $1', [name])).toEqual({
      price: '95000.00',
    });
  });
});
