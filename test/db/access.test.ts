import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, type Feature, ingest, lot, ORIGIN, rollFeed, writeFeatures } from '../support/ingest.ts';
import { marksOf, putLayer } from '../support/land.ts';
import { settle } from './attributes-support.ts';

const { folder, pool } = await createTestDatabase();
const [west, south] = ORIGIN;
const feed = rollFeed(folder, 'roll', {
  owner_name: 'OWNER',
  situs_address: 'ADDRESS',
  structure_count: 'BUILDINGS',
});

type House = readonly [address: string | null, buildings: number | null];

async function load(houses: readonly House[]): Promise<void> {
  const rows = houses.map(
    ([ADDRESS, BUILDINGS], n): Feature => ({
      properties: { PIN: `P${n}`, OWNER: 'SOMEONE', ADDRESS, BUILDINGS },
      geometry: lot(n),
    }),
  );
  writeFeatures(join(folder, 'roll.ndgeojson'), rows);
  expect((await ingest(pool, feed, { force: true })).status).toBe('merged');
}

/** The values that filters use, in the order of the parcels. */
async function found(): Promise<(string | null)[]> {
  const rows = await all<{ access: string | null; landlocked: boolean | null }>(
    pool,
    `select f.access, f.landlocked from parcel_filters f join parcels using (fips, property_id)
     order by substr(source_key, 2)::int`,
  );
  for (const { access, landlocked } of rows)
    expect(landlocked).toBe(access === null ? null : access === 'none');
  return rows.map(({ access }) => access);
}

const HOUSES: readonly (readonly [...House, access: string])[] = [
  ['12 Lake Shore Dr', 1, 'unmapped'],
  ['000012 LAKE SHORE DR', 2, 'unmapped'],
  ['12A MAIN ST', 1, 'unmapped'],
  ['12-14 MAIN ST', 1, 'unmapped'],
  ['N6215 COUNTY ROAD K', 1, 'unmapped'],
  // No building, no number, or no address.
  ['12 MAIN ST', 0, 'none'],
  ['12 MAIN ST', null, 'none'],
  ['0 MAIN ST', 1, 'none'],
  ['MAIN ST', 1, 'none'],
  ['1ST AVE', 1, 'none'],
  [null, 1, 'none'],
];

test('a house that no road reaches is unmapped, and land without a house is landlocked', async () => {
  await putLayer(pool, 'roads', { coverage: [west - 0.1, south - 0.1, west + 0.1, south + 0.1] });
  await load(HOUSES.map(([address, buildings]) => [address, buildings]));
  expect(new Set(await found())).toEqual(new Set([null]));
  await settle(pool, LAND_KERNELS);
  expect(await found()).toEqual(HOUSES.map(([, , access]) => access));
});

test('a roll that adds or removes a house changes the access, and nothing is measured again', async () => {
  const changed = HOUSES.map(([address, buildings], n): House => {
    if (n === 0) return [address, 0];
    return n === 5 ? [address, 1] : [address, buildings];
  });
  await load(changed);
  expect(await marksOf(pool)).toEqual([]);
  const [first, , , , , sixth] = await found();
  expect([first, sixth]).toEqual(['none', 'unmapped']);
});

test('parcels that an earlier version measured keep landlocked, and their access is unknown', async () => {
  await pool.query('update parcel_attributes set access = null');
  await pool.query('update parcel_filters set access = null');
  await load(HOUSES.map(([, buildings]) => ['1 ELM ST', buildings]));
  const rows = await all(pool, 'select distinct access, landlocked from parcel_filters');
  expect(rows).toEqual([{ access: null, landlocked: true }]);
});
