import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { createAccount, createKey } from '../../shared/accounts.ts';
import { ACRE_BUCKETS } from '../../shared/domain/buckets.ts';
import { METRIC_KEYS } from '../../shared/domain/metric-keys.ts';
import { rootDir } from '../../shared/root.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const CONNECTIONS = 50;
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
const MIN_RATIO = 0.5;
const MAX_P99_RATIO = 3;

type Round = { requests: number; p99: number; failed: number };

/**
 * Requests a second and p99 of the market-stats endpoint with everything on (authentication, rate limit, metering with a
 * durable commit) against a bare server that sends the same bytes. Rounds alternate, so that a slow minute of the machine
 * hits both; medians count.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  return withBenchDatabase(options, async url => {
    const children: ChildProcess[] = [];
    try {
      const { key, bytes } = await prepare(url);
      const servers = {
        plat: await startServer('plat', url, children),
        bare: await startServer('bare', url, children),
      };
      const rounds: Record<keyof typeof servers, Round[]> = { plat: [], bare: [] };
      for (const name of ['plat', 'bare'] as const) await load(servers[name], key, WARM_UP_SECONDS);
      for (let round = 0; round < (options.quick ? 1 : ROUNDS); round++) {
        for (const name of ['bare', 'plat'] as const)
          rounds[name].push(await load(servers[name], key, SECONDS));
      }
      return compare(rounds.plat, rounds.bare, bytes);
    } finally {
      for (const child of children) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
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

async function startServer(name: string, databaseUrl: string, children: ChildProcess[]): Promise<string> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(rootDir, 'test/bench/api-servers.ts'), name],
    {
      cwd: rootDir,
      env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error(`The ${name} server did not start.`);
}

/** One round of autocannon, in its own process so that it does not share an event loop with anything. */
async function load(url: string, key: string, seconds: number): Promise<Round> {
  const autocannon = join(rootDir, 'node_modules/autocannon/autocannon.js');
  const args = [
    autocannon,
    '--json',
    '--no-progress',
    '-c',
    String(CONNECTIONS),
    '-d',
    String(seconds),
    '-H',
    `Authorization: Bearer ${key}`,
    url + PATH,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e7 });
  const result = JSON.parse(stdout) as {
    requests: { average: number };
    latency: { p99: number };
    non2xx: number;
    errors: number;
  };
  return {
    requests: result.requests.average,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  };
}
