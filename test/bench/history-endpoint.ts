import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { restateHistory } from '../../workers/market/restate-history.ts';
import { loadRegions } from '../../workers/regions/load-regions.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { storeListings } from './generate/listings.ts';
import { alternate, type Round, withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const FIPS = 33_019;
const LISTINGS = 5_000;
const SEED = 20_260_630;
const AS_OF = '2026-06-30';
const REACH_DAYS = 4_018;
const PATH = `/api/public/v1/markets-stats/${FIPS}`;
const MONTHS = 36;
const CONNECTIONS = 50;
const SECONDS = 3;
const ROUNDS = 5;
const AT_LEAST = 0.5;

/** Measures three years of history with all figures for a county, compared with its current statistics. */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async (url, pool) => {
    await prepare(pool);
    const key = await createCaller(pool, 'bench');
    return withServers(url, ['plat'], async ({ plat }) => {
      const servers = {
        history: `${plat}${PATH}/history/?from=2023-07-01&to=${AS_OF}`,
        stats: `${plat}${PATH}/stats/`,
      };
      const answer = await fetch(servers.history, { headers: { Authorization: `Bearer ${key}` } });
      const body = await answer.text();
      const { dates } = JSON.parse(body) as { dates: { n: number | null }[] };
      if (dates.length !== MONTHS || dates.some(({ n }) => !n))
        throw new Error(`Not ${MONTHS} months: ${body}`);
      const rounds = await alternate(servers, {
        path: '',
        keys: [key],
        connections: CONNECTIONS,
        seconds: SECONDS,
        rounds: options.quick ? 1 : ROUNDS,
        warmUpSeconds: 2,
      });
      const rate = (some: Round[]) => median(some.map(round => round.requests));
      return judged(
        {
          name: `history of ${MONTHS} months at ${CONNECTIONS} connections: requests a second`,
          reference: 'the same county, stats/',
          value: rate(rounds.history) / rate(rounds.stats),
          unit: 'x',
          details: {
            'requests/s': rate(rounds.history).toFixed(1),
            'reference requests/s': rate(rounds.stats).toFixed(1),
            'response bytes': Buffer.byteLength(body),
          },
        },
        { least: AT_LEAST },
      );
    });
  });
}

async function prepare(pool: TestDb): Promise<void> {
  await loadRegions(pool);
  await storeListings(pool, { count: LISTINGS, seed: SEED, asOf: AS_OF, reachDays: REACH_DAYS, fips: FIPS });
  await pool.query("update feeds set created_at = '2014-01-01'");
  await pool.query(readFileSync(join(import.meta.dirname, 'sql', 'listing_events.sql'), 'utf8'));
  const { codes } = await recomputeStats(pool, { fips: FIPS }, { asOf: AS_OF });
  await restateHistory(pool, { codes, today: dayOf('2026-07-01') });
  await pool.query('vacuum analyze');
}
