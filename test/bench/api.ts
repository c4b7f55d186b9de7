import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { createAccount, createKey } from '../../shared/accounts.ts';
import { ACRE_BUCKETS } from '../../shared/domain/buckets.ts';
import { METRIC_KEYS } from '../../shared/domain/metric-keys.ts';
import { migrate } from '../../shared/migrate.ts';
import { startEmbedded } from '../../shared/postgres/embedded.ts';
import { rootDir } from '../../shared/root.ts';

export type BenchResult = {
  name: string;
  reference: string;
  value: number;
  unit: 'x';
  reach: string;
  pass: boolean;
  details: Record<string, number | string>;
};

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const CONNECTIONS = 50;
const ROUNDS = 5;
const SECONDS = 3;
const MIN_RATIO = 0.5;
const MAX_P99_RATIO = 3;

type Round = { requests: number; p99: number; failed: number };

/**
 * Requests a second of the market-stats endpoint with everything on (authentication, rate limit, metering with a durable commit)
 * against a bare server that sends the same bytes. Rounds alternate, so that a slow minute of the machine hits both; medians count.
 * The PostgreSQL is a default one, fsync included.
 */
export async function bench(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'plat-bench-api-'));
  chmodSync(folder, 0o755);
  const server = await startEmbedded(join(folder, 'postgres'));
  const children: ChildProcess[] = [];
  try {
    await migrate(server.url, { queue: true });
    const { key, bytes } = await prepare(server.url);
    const servers = {
      plat: await startServer('plat', server.url, children),
      bare: await startServer('bare', server.url, children),
    };
    const rounds: Record<keyof typeof servers, Round[]> = { plat: [], bare: [] };
    for (const name of ['plat', 'bare'] as const) await load(servers[name], key, 2);
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of ['bare', 'plat'] as const)
        rounds[name].push(await load(servers[name], key, SECONDS));
    }
    return compare(rounds.plat, rounds.bare, bytes);
  } finally {
    for (const child of children) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function compare(plat: Round[], bare: Round[], bytes: number): BenchResult {
  const ratio = median(plat.map(round => round.requests)) / median(bare.map(round => round.requests));
  const p99Ratio = median(plat.map(round => round.p99)) / median(bare.map(round => round.p99));
  const failed = [...plat, ...bare].reduce((sum, round) => sum + round.failed, 0);
  return {
    name: `market-stats endpoint, ${CONNECTIONS} connections, authenticated, limited, metered: requests a second`,
    reference: 'node:http and pg sending the same stored bytes by primary key',
    value: ratio,
    unit: 'x',
    reach: `at least ${MIN_RATIO} x, p99 at most ${MAX_P99_RATIO} x, no failed request`,
    pass: ratio >= MIN_RATIO && p99Ratio <= MAX_P99_RATIO && failed === 0,
    details: {
      'p99 ratio': round(p99Ratio),
      'plat requests/s': Math.round(median(plat.map(each => each.requests))),
      'bare requests/s': Math.round(median(bare.map(each => each.requests))),
      'plat p99 ms': round(median(plat.map(each => each.p99))),
      'bare p99 ms': round(median(bare.map(each => each.p99))),
      'failed requests': failed,
      'response bytes': bytes,
      rounds: `${ROUNDS} x ${SECONDS} s each, alternating; medians`,
      cores: cpus().length,
    },
  };
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

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
