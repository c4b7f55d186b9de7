import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { all, ingest, lot, rollFeed, writeFeatures } from '../support/ingest.ts';
import { runs } from '../support/runs.ts';

const { folder, pool } = await createTestDatabase();

const MIN_PRICE = 1_000;

type Row = { pin: string; day: string; price: number; seller: string; qualified: boolean; acres: number };
type Comp = { sold: boolean; deed: boolean; price: number; acres: number };

/** Few of everything, so that rolls share deeds, and lose and correct them. */
const row = (pin: string): fc.Arbitrary<Row> =>
  fc.record({
    pin: fc.constant(pin),
    day: fc.constantFrom('2023-03-01', '2024-03-01'),
    price: fc.constantFrom(500, 5_000, 9_000),
    seller: fc.constantFrom('SMITH', 'Jones', 'JONES'),
    qualified: fc.boolean(),
    acres: fc.constantFrom(10, 10.4, 11, 20),
  });

const roll = fc
  .tuple(
    ...['A', 'B', 'C', 'D'].map(pin => fc.option(row(pin), { nil: null })),
    // A gate lets no empty roll pass.
    row('E'),
  )
  .map(rows => rows.filter(each => each !== null));

const deedOf = ({ day, price, seller }: Row) => `${day} ${price} ${seller.toUpperCase()}`;

/** What the roll makes of the comps, by the definitions in docs/feed-reference.md and nothing else. */
function readPlainly(comps: Map<string, Comp>, rows: Row[], lastRoll: Row[]): void {
  for (const { pin, day, price, qualified, acres, ...rest } of rows) {
    const deed = deedOf({ pin, day, price, qualified, acres, ...rest });
    const parcels = new Set([...rows, ...lastRoll].filter(r => deedOf(r) === deed).map(r => r.pin));
    const id = `33019/${pin}/${day}`;
    const known = comps.get(id);
    const counts = qualified && price >= MIN_PRICE;
    if (!counts && !known?.sold) continue;
    const several =
      (parcels.size > 1 && price >= MIN_PRICE) || (known?.deed === true && known.price === price);
    const same = known === undefined || Math.abs(acres - known.acres) <= 0.05 * known.acres;
    comps.set(id, {
      sold: counts && !several,
      deed: several,
      price,
      acres: same ? acres : known.acres,
    });
  }
}

let feeds = 0;

test('after any rolls the comps, their prices, and acreages equal those of a simple reading of all rolls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(roll, { minLength: 2, maxLength: 5 }), async rolls => {
      const name = `sales-${++feeds}`;
      const columns = {
        acres: 'acres',
        last_sale_date: 'day',
        last_sale_price: 'price',
        seller_name: 'seller',
      };
      const sales = { label: name, where: [{ column: 'qualified', equals: 'true' }], min_price: MIN_PRICE };
      const feed = rollFeed(folder, name, columns, { key: 'pin', sales });
      const expected = new Map<string, Comp>();
      for (const [year, rows] of rolls.entries()) {
        writeFeatures(
          join(folder, `${name}.ndgeojson`),
          rows.map(properties => ({ properties, geometry: lot(0) })),
        );
        const { counts } = await ingest(pool, feed, { force: true });
        readPlainly(expected, rows, rolls[year - 1] ?? []);
        const sold = [...expected].filter(([, comp]) => comp.sold);
        expect(
          await all(
            pool,
            `select source_id, price::float8 as price, lot_acres as acres from listings
             where source = $1 and status = 'SOLD' order by source_id collate "C"`,
            [name],
          ),
        ).toEqual(
          sold
            .map(([source_id, { price, acres }]) => ({ source_id, price, acres }))
            .sort((a, b) => (a.source_id < b.source_id ? -1 : 1)),
        );
        const shown = new Set(rows.map(({ pin, day }) => `33019/${pin}/${day}`));
        expect((counts.sales as { comps: number }).comps).toBe(sold.filter(([id]) => shown.has(id)).length);
      }
    }),
    { numRuns: runs(6) },
  );
});
