import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, withBenchDatabase } from './bench.ts';
import { asker, compareCount } from './filter.ts';
import { type County, seedCounties } from './filter-county.ts';
import { withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const SIZES = { full: { parcels: 500_000, rounds: 100 }, quick: { parcels: 20_000, rounds: 3 } };

/**
 * Measures the parcel filter by assemblage over HTTP, as the `filter` bench does with figures of parcels. Two
 * in five parcels are in an assemblage of two to nine lots.
 */
export function bench(options: BenchOptions): Promise<BenchResult> {
  const { parcels, rounds } = options.quick ? SIZES.quick : SIZES.full;
  const county: County = { fips: 19_153, parcels, west: -940_000_000 };
  return withBenchDatabase(options, async (url, pool) => {
    options.note(`  writing a county of ${parcels} parcels`);
    await seedCounties(pool, [county]);
    await seedAssemblages(pool, county);
    const key = await createCaller(pool, 'bench');
    return await withServers(url, ['plat'], ({ plat }) =>
      compareCount(asker(plat, key), pool, county, rounds, {
        name: 'acres and lots of an assemblage',
        filters: { assemblage_acres_min: 40, assemblage_parcels_min: 3 },
      }),
    );
  });
}

async function seedAssemblages(pool: TestDb, { fips }: County): Promise<void> {
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
