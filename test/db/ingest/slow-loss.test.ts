import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { type Feature, ingestRoll, lot, newName } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();

const parcels = (count: number, geometry: (n: number) => Feature['geometry'] = lot): Feature[] =>
  Array.from({ length: count }, (_, n) => ({ properties: { PIN: `P${n}` }, geometry: geometry(n) }));

function roll() {
  const name = newName();
  const run = async (features: Feature[], force = false) => {
    const { status, blocked } = await ingestRoll(pool, folder, name, features, {
      columns: { apn: 'PIN' },
      force,
    });
    return [status, blocked.map(({ gate }) => gate)];
  };
  const age = (days: number) =>
    pool.query(
      "update runs r set finished_at = r.finished_at - $2 * interval '1 day' from feeds f where f.id = r.feed_id and f.name = $1",
      [name, days],
    );
  return { run, age };
}

test('a loss that is small from run to run is blocked by the best run of the last 12 months', async () => {
  const { run, age } = roll();
  expect(await run(parcels(100))).toEqual(['merged', []]);
  await age(300);
  expect(await run(parcels(95))).toEqual(['merged', []]);
  expect(await run(parcels(90))).toEqual(['merged', []]);
  expect(await run(parcels(86))).toEqual(['blocked', ['rows', 'matched_keys']]);
  // An operator says that it is right: from there on the roll is compared with what was accepted.
  expect(await run(parcels(86), true)).toEqual(['merged', ['rows', 'matched_keys']]);
  expect(await run(parcels(82))).toEqual(['merged', []]);
  expect(await run(parcels(77))).toEqual(['blocked', ['rows', 'matched_keys']]);
  await age(366);
  expect(await run(parcels(75))).toEqual(['merged', []]);
});

test('a first run is blocked if its shapes are unusable, and not for a few of them', async () => {
  // In degrees of another system a lot is less than the grid on which boundaries are stored.
  const tiny = (n: number) => lot(n, 1e-9);
  expect(await roll().run(parcels(30, tiny))).toEqual(['blocked', ['shapes']]);
  expect(await roll().run(parcels(30, n => (n < 16 ? tiny(n) : lot(n))))).toEqual(['blocked', ['shapes']]);
  expect(await roll().run(parcels(30, n => (n < 5 ? tiny(n) : lot(n))))).toEqual(['merged', []]);
  expect(await roll().run(parcels(30, () => null))).toEqual(['merged', []]);
});

test('a first run is blocked if most of its parcels lie outside the county', async () => {
  const far = (n: number) => ({ type: 'Point' as const, coordinates: [-90 + n / 1e4, 44] });
  expect(await roll().run(parcels(30, n => (n < 20 ? far(n) : lot(n))))).toEqual(['blocked', ['extent']]);
});
