import pg from 'pg';
import { createAccount, createKey } from '../../shared/accounts.ts';
import { ACRE_BUCKETS } from '../../shared/domain/buckets.ts';
import { METRIC_KEYS } from '../../shared/domain/metric-keys.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { load, type Round, withServers } from './load.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const CONNECTIONS = 50;
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
const MIN_RATIO = 0.5;
const MAX_P99_RATIO = 3;

/**
 * Requests a second and p99 of the market-stats endpoint with everything on (authentication, rate limit, metering with a
 * durable commit) against a bare server that sends the same bytes. Rounds alternate, so that a slow minute of the machine
 * hits both; medians count.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  return withBenchDatabase(options, async url => {
    const { key, bytes } = await prepare(url);
    return withServers(url, ['plat', 'bare'], async servers => {
      const rounds: Record<keyof typeof servers, Round[]> = { plat: [], bare: [] };
      const round = (name: keyof typeof servers, seconds: number) =>
        load(servers[name], { path: PATH, key, connections: CONNECTIONS, seconds });
      for (const name of ['plat', 'bare'] as const) await round(name, WARM_UP_SECONDS);
      for (let n = 0; n < (options.quick ? 1 : ROUNDS); n++) {
        for (const name of ['bare', 'plat'] as const) rounds[name].push(await round(name, SECONDS));
      }
      return compare(rounds.plat, rounds.bare, bytes);
    });
  });
}

function compare(plat: Round[], bare: Round[], bytes: number): BenchResult[] {
  const failed = [...plat, ...bare].reduce((sum, round) => sum + round.failed, 0);
  if (failed > 0)
    throw new Error(`${failed} requests of the API bench failed: its figures would mean nothing.`);
  const requests = {
    plat: median(plat.map(round => round.requests)),
    bare: median(bare.map(round => round.requests)),
  };
  const p99 = { plat: median(plat.map(round => round.p99)), bare: median(bare.map(round => round.p99)) };
  const name = `market-stats endpoint at ${CONNECTIONS} connections, authenticated, limited, metered`;
  const reference = 'node:http and pg sending the same stored bytes by primary key';
  return [
    judged(
      {
        name: `${name}: requests a second`,
        reference,
        value: requests.plat / requests.bare,
        unit: 'x',
        details: {
          'requests/s': Math.round(requests.plat),
          'reference requests/s': Math.round(requests.bare),
          'response bytes': bytes,
          rounds: `${plat.length} of ${SECONDS} s each, alternating; medians`,
        },
      },
      { least: MIN_RATIO },
    ),
    judged(
      {
        name: `${name}: p99`,
        reference,
        value: p99.plat / p99.bare,
        unit: 'x',
        details: { 'p99 ms': p99.plat, 'reference p99 ms': p99.bare },
      },
      { most: MAX_P99_RATIO },
    ),
  ];
}

/** A county with every bucket and key filled, and an account that neither limit nor quota stops. */
async function prepare(url: string): Promise<{ key: string; bytes: number }> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const region = {
      id: '5e9b0f3c-6a52-5d0e-9b60-0c9f3a1f7f11',
      type: 'county',
      name: 'Sullivan County',
      state: 'NH',
      county_name: 'Sullivan County',
      fips: '33019',
    };
    const stats = ACRE_BUCKETS.map(({ label }, bucket) => ({
      type: label,
      data: Object.fromEntries(
        METRIC_KEYS.map((name, index) => [name, (bucket * 7_919 + index * 104_729) / 100]),
      ),
    }));
    const body = Buffer.from(JSON.stringify({ ...region, stats }));
    await pool.query(
      "insert into regions (id, type, code, name, state, county_name, fips) values ($1, 'county', '33019', $2, 'NH', $2, 33019)",
      [region.id, region.name],
    );
    await pool.query("insert into region_stats (type, code, body, etag) values ('county', '33019', $1, $2)", [
      body,
      '"bench"',
    ]);
    const account = await createAccount(pool, {
      name: 'bench',
      tier: 'scale',
      tokensIncluded: 1e15,
      ratePerMinute: 1e9,
      rateBurst: 1e9,
    });
    const { key } = await createKey(pool, account.id, { name: 'bench' });
    return { key, bytes: body.length };
  } finally {
    await pool.end();
  }
}
