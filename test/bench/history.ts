import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rootDir } from '../../shared/platform/root.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { HISTORY_MONTHS } from '../../workers/market/restate-history.ts';
import { loadRegions } from '../../workers/regions/load-regions.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, timed, withBenchDatabase } from './bench.ts';
import { storeListings } from './generate/listings.ts';

const LISTINGS = 1_000_000;
const QUICK_LISTINGS = 20_000;
const SEED = 20_260_630;
/** The day the listings are seen. It is one month after the 120 months that are computed first. */
const AS_OF = '2026-06-30';
const BEFORE = '2026-06-01';
const AFTER = '2026-07-01';
/** Sales go back as far as the history, plus one year, because the first month looks back that far. */
const REACH_DAYS = 4_018;
const MAX_OF_MARKET = 0.5;
const MAX_MEGABYTES = 400;
const MAX_MONTH_PERCENT = 100 / 60;
const MAX_BYTES = 1_000;

type Restated = { regions: number; months: number; seconds: number; megabytes: number };

/**
 * Measures computing the history of all counties and ZIPs, with listings that came and went over eleven
 * years: first 120 months, then one more, each in its own process. The time is compared with recomputing the
 * current statistics the same number of times.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const count = options.quick ? QUICK_LISTINGS : Number(process.env.HISTORY_LISTINGS ?? LISTINGS);
  const name = `of ${count.toLocaleString('en')} listings`;
  return withBenchDatabase(options, async (url, pool) => {
    await prepareListings(pool, count);
    await recomputeStats(pool, { all: true }, { asOf: AS_OF });
    const market = (await timed(() => recomputeStats(pool, { all: true }, { asOf: AS_OF }))) / 1000;
    const whole = await restate(url, BEFORE);
    options.note(`  ${JSON.stringify(whole)}, a recompute ${market.toFixed(1)} s`);
    const { rows } = await pool.query<{ rows: number; bytes: number; total: number }>(
      `select count(*)::int as rows, avg(pg_column_size(h.*))::float8 as bytes,
         pg_total_relation_size('market_history')::float8 as total from market_history h`,
    );
    const month = await restate(url, AFTER);
    const again = await restate(url, AFTER);
    const stored = rows[0]!;
    const details = {
      seconds: whole.seconds.toFixed(1),
      'seconds of a recompute': market.toFixed(2),
      'regions and months': `${whole.regions}, ${whole.months}`,
      'rows stored': stored.rows,
    };
    const share = (100 * month.seconds) / whole.seconds;
    return [
      judged(
        {
          name: `${HISTORY_MONTHS} months of all regions, ${name}`,
          reference: `the statistics of all regions, ${HISTORY_MONTHS} times`,
          value: whole.seconds / (HISTORY_MONTHS * market),
          unit: 'x',
          details,
        },
        { most: MAX_OF_MARKET },
      ),
      judged(
        { name: 'the same: largest memory', reference: '', value: whole.megabytes, unit: 'MB', details: {} },
        { most: MAX_MEGABYTES },
      ),
      {
        name: 'one month more',
        reference: `the ${HISTORY_MONTHS} months`,
        value: share,
        unit: '%',
        reach: 'at most 1/60',
        pass: share <= MAX_MONTH_PERCENT,
        details: {
          seconds: month.seconds.toFixed(2),
          'regions and months': `${month.regions}, ${month.months}`,
          'seconds where nothing is new': again.seconds.toFixed(2),
        },
      },
      {
        name: 'bytes of a region and month, with its index',
        reference: '',
        value: stored.total / stored.rows,
        unit: 'B',
        reach: `at most ${MAX_BYTES} B`,
        pass: stored.total / stored.rows <= MAX_BYTES,
        details: { 'bytes of the row': Math.round(stored.bytes) },
      },
    ];
  });
}

async function prepareListings(pool: TestDb, count: number): Promise<void> {
  await loadRegions(pool);
  // Nothing in this benchmark uses these two indexes, and maintaining them would take most of the seeding
  // time.
  await pool.query('drop index listings_location, listings_feed');
  await storeListings(pool, { count, seed: SEED, asOf: AS_OF, reachDays: REACH_DAYS });
  await pool.query("update feeds set created_at = '2014-01-01'");
  await pool.query(readFileSync(join(import.meta.dirname, 'sql', 'listing_events.sql'), 'utf8'));
  await pool.query('vacuum analyze listing_events');
}

async function restate(url: string, today: string): Promise<Restated> {
  const file = join(rootDir, 'test/bench/history-worker.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file, url, today], {
    cwd: rootDir,
  });
  return JSON.parse(stdout);
}
