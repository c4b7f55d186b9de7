import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { all, ingestRoll, lot } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();

let feeds = 0;

describe("a roll's own deed information decides", () => {
  const columns = { apn: 'PIN', acres: 'ACRES', last_sale_price: 'PRICE', last_sale_date: 'SOLD' };
  const gates = { max_key_drop_percent: 100, max_row_drop_percent: 100, empty_columns: false };

  function roll(sales: Record<string, unknown>, date?: string) {
    const name = `deeds-${++feeds}`;
    // Of no other feed, whose sales would be these.
    const price = 9_000 + feeds;
    const dated = { ...columns, ...(date && { last_sale_date: { column: 'SOLD', date } }) };
    return {
      run: (rows: Record<string, unknown>[]) => {
        const given = { SOLD: '2024-05-01', PRICE: price, ACRES: 1, BOOK: null, MANY: null, SELLER: 'SMITH' };
        const features = rows.map((row, n) => ({ properties: { ...given, ...row }, geometry: lot(n) }));
        return ingestRoll(pool, folder, name, features, {
          columns: dated,
          sales: { label: name, ...sales },
          gates,
        });
      },
      comps: async () =>
        (
          await all<{ text: string }>(
            pool,
            "select concat(source_id, ' ', status) as text from listings where source = $1 order by source_id",
            [name],
          )
        ).map(({ text }) => text.replace('33019/', '')),
    };
  }

  test('one book and page is one deed, whatever the prices; equal prices alone are not', async () => {
    const { run, comps } = roll({ book: 'BOOK' });
    await run([
      { PIN: 'A', BOOK: '1/7', PRICE: 5_000 },
      { PIN: 'B', BOOK: '1/7', PRICE: 6_000 },
      { PIN: 'C', BOOK: '1/8' },
      { PIN: 'D', BOOK: '1/9' },
    ]);
    expect(await comps()).toEqual([
      'A/2024-05-01 OFF_MARKET',
      'B/2024-05-01 OFF_MARKET',
      'C/2024-05-01 SOLD',
      'D/2024-05-01 SOLD',
    ]);
    // C is renumbered: its deed is known.
    await run([
      { PIN: 'C2', BOOK: '1/8' },
      { PIN: 'D', BOOK: '1/9' },
    ]);
    expect(await comps()).toEqual([
      'A/2024-05-01 OFF_MARKET',
      'B/2024-05-01 OFF_MARKET',
      'C/2024-05-01 SOLD',
      'C2/2024-05-01 OFF_MARKET',
      'D/2024-05-01 SOLD',
    ]);
  });

  test('sales with the same deed number are one deed, even on two days, but not a year apart', async () => {
    const { run, comps } = roll({ book: 'BOOK' });
    const { counts } = await run([
      { PIN: 'A', BOOK: 2_001, PRICE: 5_000 },
      { PIN: 'B', BOOK: 2_001, PRICE: 5_000, SOLD: '2024-05-20' },
      { PIN: 'C', BOOK: 2_001, PRICE: 5_000, SOLD: '2023-05-01' },
      // What names no deed joins nothing.
      { PIN: 'D', BOOK: '0/0', PRICE: 6_000 },
      { PIN: 'E', BOOK: '0/0', PRICE: 7_000 },
    ]);
    expect(await comps()).toEqual([
      'A/2024-05-01 OFF_MARKET',
      'B/2024-05-20 OFF_MARKET',
      'C/2023-05-01 SOLD',
      'D/2024-05-01 SOLD',
      'E/2024-05-01 SOLD',
    ]);
    expect(counts.sales).toEqual({ comps: 3, multi_parcel: 2, disqualified: 0 });
    // The deed is known when only one of its parcels is left with it.
    await run([{ PIN: 'F', BOOK: 2_001, PRICE: 5_000, SOLD: '2024-06-02' }]);
    expect(await comps()).toContain('F/2024-06-02 OFF_MARKET');
  });

  test('only the code marks sales of several parcels, and nothing is guessed without it', async () => {
    const { run, comps } = roll({ multi_parcel: [{ column: 'MANY', present: true }] });
    const { counts } = await run([{ PIN: 'A', MANY: 'M' }, { PIN: 'B' }, { PIN: 'C' }]);
    expect(await comps()).toEqual(['A/2024-05-01 OFF_MARKET', 'B/2024-05-01 SOLD', 'C/2024-05-01 SOLD']);
    expect(counts.sales).toEqual({ comps: 2, multi_parcel: 1, disqualified: 0 });
  });

  test('similar sales that are dated only by month are not one deed', async () => {
    const { run, comps } = roll({}, 'YYYY-M');
    await run([
      { PIN: 'A', SOLD: '2024-5' },
      { PIN: 'B', SOLD: '2024-5' },
    ]);
    expect(await comps()).toEqual(['A/2024-05-01 SOLD', 'B/2024-05-01 SOLD']);
  });

  test('a sale that another feed already has is not a second comp, even a month and a day apart', async () => {
    const [county, state] = [roll({}), roll({}, 'YYYY-M')];
    await county.run([{ PIN: '20-7', SOLD: '2024-05-23', PRICE: 77_000 }]);
    const rows = [
      { PIN: '20 7', SOLD: '2024-5', PRICE: 77_000 },
      { PIN: '20-8', SOLD: '2024-5', PRICE: 77_000 },
      { PIN: '20-7B', SOLD: '2024-9', PRICE: 77_000 },
    ];
    const { counts } = await state.run(rows);
    expect(counts.sales).toEqual({ comps: 2, multi_parcel: 0, disqualified: 0, repeated: 1 });
    expect(await state.comps()).toEqual(['20-7B/2024-09-01 SOLD', '20-8/2024-05-01 SOLD']);
    expect((await state.run(rows)).status).toBe('unchanged');
  });
});
