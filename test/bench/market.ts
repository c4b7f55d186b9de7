import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ACRE_BUCKETS } from '../../shared/model/buckets.ts';
import { METRIC_KEYS } from '../../shared/model/market-metrics.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { type RecomputeResult, recomputeStats } from '../../workers/market/recompute-stats.ts';
import { loadRegions } from '../../workers/regions/load-regions.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, withBenchDatabase } from './bench.ts';
import { storeListings } from './generate/listings.ts';

const AS_OF = '2026-06-30';
const LISTINGS = 1_000_000;
const QUICK_LISTINGS = 20_000;
const SEED = 20_260_630;
const AT_LEAST = 4;

/**
 * Measures computing the statistics of all counties and ZIPs, compared with one SQL statement that computes
 * the same figures on the same server into a temporary table. Compares every figure. The ratio uses a
 * recompute that changes no response, so that neither side stores any. The details include the first
 * recompute, which stores all of them.
 */
export function bench(options: BenchOptions): Promise<BenchResult> {
  const count = options.quick ? QUICK_LISTINGS : LISTINGS;
  return withBenchDatabase(options, async (url, pool) => {
    const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC -c jit=off' });
    await client.connect();
    await loadRegions(pool);
    // Neither side uses these two indexes, and maintaining them would take most of the seeding time.
    await pool.query('drop index listings_location, listings_feed');
    await storeListings(pool, { count, seed: SEED, asOf: AS_OF });
    const reference = await runReference(client);
    const first = await timedRecompute(pool);
    const again = await timedRecompute(pool);
    const compared = await compare(pool, await reference.rows());
    await client.end();
    const value = reference.seconds / again.seconds;
    return {
      name: `statistics of ${count.toLocaleString('en')} listings, all counties and ZIPs`,
      reference: 'one SQL statement that computes the same keys in the same server, every figure compared',
      value,
      unit: 'x',
      reach: `at least ${AT_LEAST} x faster`,
      pass: value >= AT_LEAST && compared.different === 0 && first.failed.length + again.failed.length === 0,
      details: {
        'reference seconds': Number(reference.seconds.toFixed(2)),
        seconds: Number(again.seconds.toFixed(2)),
        'seconds, every response stored anew': Number(first.seconds.toFixed(2)),
        'times faster, every response stored anew': Number((reference.seconds / first.seconds).toFixed(2)),
        'listings counted': first.listings,
        regions: first.regions,
        'responses stored, first and second time': `${first.changed}, ${again.changed}`,
        'figures compared': compared.figures,
        'figures that differ': compared.different,
        ...(compared.first === undefined ? {} : { 'first difference': compared.first }),
      },
    };
  });
}

async function timedRecompute(pool: TestDb): Promise<RecomputeResult & { seconds: number }> {
  const begin = performance.now();
  const result = await recomputeStats(pool, { all: true }, { asOf: AS_OF });
  return { ...result, seconds: (performance.now() - begin) / 1000 };
}

type ReferenceRow = { region: number; bucket: number } & Record<string, string | number | null>;

/**
 * Runs the statement with 1 GB of memory for sorts and both cores: two parallel workers and the leader. Its
 * 30 million figures are fetched at the end, so that they do not fill this process's heap while Plat is
 * measured.
 */
async function runReference(
  client: pg.Client,
): Promise<{ seconds: number; rows(): Promise<ReferenceRow[]> }> {
  const text = readFileSync(join(import.meta.dirname, 'sql', 'market_reference.sql'), 'utf8');
  await client.query("set work_mem = '1GB'");
  await client.query('set max_parallel_workers_per_gather = 2');
  await client.query("select set_config('bench.as_of', $1, false)", [AS_OF]);
  const begin = performance.now();
  await client.query(text);
  const seconds = (performance.now() - begin) / 1000;
  return {
    seconds,
    async rows() {
      const { rows } = await client.query<ReferenceRow>('select * from market_reference');
      return rows;
    },
  };
}

type Compared = { figures: number; different: number; first?: string };

/** Compares every figure of every bucket of every region, including figures that only one side has. */
async function compare(pool: TestDb, reference: ReferenceRow[]): Promise<Compared> {
  const expected = new Map<number, Map<string, ReferenceRow>>();
  for (const row of reference) {
    const buckets = expected.get(row.region) ?? new Map<string, ReferenceRow>();
    expected.set(row.region, buckets.set(ACRE_BUCKETS[row.bucket]!.label, row));
  }
  const compared: Compared = { figures: 0, different: 0 };
  const differs = (what: string) => {
    compared.different++;
    compared.first ??= what;
  };
  const codes = await pool.query<{ type: string; code: string }>('select type, code from region_stats');
  for (let from = 0; from < codes.rows.length; from += 1_000) {
    const some = codes.rows.slice(from, from + 1_000);
    const { rows } = await pool.query<{ type: string; code: string; body: Buffer }>(
      'select type, code, body from region_stats where (type, code) in (select * from unnest($1::text[], $2::text[]))',
      [some.map(row => row.type), some.map(row => row.code)],
    );
    for (const { type, code, body } of rows) {
      const region = Number(code) + (type === 'zip' ? 100_000 : 0);
      const buckets = expected.get(region) ?? new Map<string, ReferenceRow>();
      expected.delete(region);
      const stats: { type: string; data: Record<string, number | null> }[] = JSON.parse(
        body.toString(),
      ).stats;
      if (stats.length !== buckets.size)
        differs(`${type} ${code}: ${stats.length} buckets, not ${buckets.size}`);
      for (const { type: label, data } of stats) {
        const row = buckets.get(label);
        for (const key of METRIC_KEYS) {
          const wanted = row?.[key];
          compared.figures++;
          if (data[key] === (wanted === null || wanted === undefined ? null : Number(wanted))) continue;
          differs(`${type} ${code}, ${label}, ${key}: ${data[key]}, not ${wanted}`);
        }
      }
    }
  }
  for (const region of expected.keys()) differs(`region ${fiveDigits(region)} is missing`);
  return compared;
}
