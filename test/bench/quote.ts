import { filterSchema } from '../../shared/parcels/filter/filter-schema.ts';
import { selectionOf } from '../../shared/parcels/filter/filter-selection.ts';
import { bindValues } from '../../shared/platform/named-parameters.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, withBenchDatabase } from './bench.ts';
import { alternate, figure, inMs } from './filter.ts';
import { type County, seedCounties } from './filter-county.ts';
import { withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const SIZES = { full: { parcels: 500_000, rounds: 100 }, quick: { parcels: 20_000, rounds: 3 } };

const MAX_RATIO = 1.5;

/**
 * Measures a filter quote over HTTP with everything on, one request at a time, compared with `count(*)` with
 * the same predicates on a connection with the same settings. Measures one county, and then two.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  const { parcels, rounds } = options.quick ? SIZES.quick : SIZES.full;
  const counties: County[] = [
    { fips: 19_153, parcels, west: -940_000_000 },
    { fips: 19_155, parcels: parcels / 10, west: -960_000_000 },
  ];
  return withBenchDatabase(options, async (url, pool) => {
    options.note(`  writing counties of ${counties.map(county => county.parcels).join(' and ')} parcels`);
    await seedCounties(pool, counties);
    const key = await createCaller(pool, 'bench');
    return await withServers(url, ['plat'], async ({ plat }) => {
      const results: BenchResult[] = [];
      for (const some of [counties.slice(0, 1), counties])
        results.push(await compare(pool, plat, key, some, rounds));
      return results;
    });
  });
}

async function compare(
  pool: TestDb,
  origin: string,
  key: string,
  counties: readonly County[],
  rounds: number,
): Promise<BenchResult> {
  const body = {
    counties: counties.map(({ fips }) => String(fips)),
    acres_min: 1,
    acres_max: 10,
    vacant_only: true,
    out_of_state_owner: true,
  };
  const { from, where, values } = selectionOf(filterSchema.parse(body), { asOf: new Date() });
  const reference = bindValues(`select count(*) from ${from} where ${where}`, values);
  const quote = async () => {
    const response = await fetch(`${origin}/api/public/v1/properties/filter/quote/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`The quote answers ${response.status}: ${text}`);
    return JSON.parse(text) as { count: number };
  };
  const { count } = await quote();
  const { rows } = await pool.query<{ count: number }>(reference);
  if (count === null || rows[0]!.count !== count)
    throw new Error(`The quote counts ${count}, the reference ${rows[0]!.count}: times mean nothing.`);
  const ms = await alternate(quote, () => pool.query(reference), rounds);
  const parcels = counties.reduce((sum, county) => sum + county.parcels, 0);
  return judged(
    {
      name: `quote of a filter by acres, vacant and out-of-state owner in ${figure(parcels)} parcels, counties: ${counties.length}`,
      reference: 'select count(*) with the same predicates',
      value: ms.work / ms.reference,
      unit: 'x',
      details: { ...inMs(ms), found: count, rounds },
    },
    { most: MAX_RATIO },
  );
}
