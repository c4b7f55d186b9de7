import type { TestDb } from '../support/test-db.ts';
import type { BenchOptions } from './bench.ts';
import { benchCounty } from './filter.ts';

/**
 * Measures the parcel filter by assemblage over HTTP, as the `filter` bench does with figures of parcels. Two
 * in five parcels are in an assemblage of two to nine lots.
 */
export const bench = (options: BenchOptions) =>
  benchCounty(
    options,
    {
      name: 'acres and lots of an assemblage',
      filters: { assemblage_acres_min: 40, assemblage_parcels_min: 3 },
    },
    seedAssemblages,
  );

async function seedAssemblages(pool: TestDb, fips: number): Promise<void> {
  // Hashes of the id give the same figures in every run.
  await pool.query(
    `insert into assemblages
       (fips, property_id, assemblage_id, counties, parcels, acres, touching_parcels, touching_acres)
     select fips, property_id, property_id - property_id % 5, array[fips], lots, acres, 2, acres * 2 / lots
     from parcel_filters,
       lateral (select hashint8(property_id - property_id % 5) & 1048575) h (u),
       lateral (select 2 + u % 8, (u / 8) % 1000 / 10.0) s (lots, acres)
     where fips = $1::int and property_id % 5 < 2`,
    [fips],
  );
  await pool.query('vacuum analyze assemblages');
}
