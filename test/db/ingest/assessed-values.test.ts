import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { all, type Feature, ingest, lot, rollFeed, writeFeatures } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();

const feed = rollFeed(
  folder,
  'editions',
  { assessed_land_value: 'LAND', owner_name: 'OWNER' },
  { fips: '33019', gates: { max_row_drop_percent: 100, max_key_drop_percent: 100 } },
);

/** An edition by the values of its parcels, null where a roll says none. */
function edition(asOf: string | null, values: Record<string, number | null>, owner = 'SMITH JOHN') {
  const rows = Object.entries(values).map(([pin, LAND], n): Feature => {
    return { properties: { PIN: pin, OWNER: owner, LAND }, geometry: lot(n) };
  });
  writeFeatures(join(folder, 'editions.ndgeojson'), rows);
  return ingest(pool, { ...feed, asOf });
}

const kept = async () =>
  (
    await all<{ pin: string; day: string; value: number }>(
      pool,
      `select p.source_key as pin, a.as_of::text as day, a.value
       from assessed_land_values a join parcels p on p.fips = a.fips and p.property_id = a.property_id order by 1, 2`,
    )
  ).map(({ pin, day, value }) => `${pin} ${day} ${value}`);

test('an assessed land value is stored with the date of the roll that first stated it', async () => {
  await edition('2023-01-01', { A: 100, B: 200, C: null, D: 0 });
  const first = ['A 2023-01-01 100', 'B 2023-01-01 200'];
  expect(await kept()).toEqual(first);

  const { status } = await edition('2024-01-01', { A: 100, B: 200, C: null, D: 0 });
  expect(status).toBe('unchanged');
  // Other rows changed, these values did not.
  await edition('2024-06-01', { A: 100, B: 200, C: null, D: 0 }, 'DOE JANE');
  expect(await kept()).toEqual(first);

  await edition('2025-01-01', { A: 150, B: 200, C: 300, D: 0 });
  const second = ['A 2023-01-01 100', 'A 2025-01-01 150', 'B 2023-01-01 200', 'C 2025-01-01 300'];
  expect(await kept()).toEqual(second);

  // The same edition, put right.
  await edition('2025-01-01', { A: 160, B: 200, C: 300, D: 0 });
  expect(await kept()).toEqual(second.map(row => row.replace('150', '160')));
  // What went back to what it was is another value since then.
  await edition('2026-01-01', { A: 100, B: 200, C: 300, D: 0 });
  expect((await kept()).slice(0, 3)).toEqual(['A 2023-01-01 100', 'A 2025-01-01 160', 'A 2026-01-01 100']);
});

test('a roll without a day holds from today on', async () => {
  const today = new Date().toISOString().slice(0, 10);
  await edition(null, { A: 100, B: 200, C: 300, E: 400 });
  expect([today, new Date().toISOString().slice(0, 10)].map(day => `E ${day} 400`)).toContain(
    (await kept()).at(-1),
  );
});
