import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ENVIRONMENT } from '../../cli/up/supervisor.ts';
import { programPath, rootDir } from '../../shared/platform/root.ts';
import { type BenchOptions, type BenchResult, judged, median } from './bench.ts';

/**
 * One round of load: requests per second, p99 in milliseconds, and number of requests without a 2xx response.
 */
export type Round = { requests: number; p99: number; failed: number };

export type Load = {
  path: string;
  /** Each connection uses one key. Keys are assigned to connections in turn. */
  keys: readonly string[];
  connections: number;
  /** Length of a round in seconds. */
  seconds: number;
  rounds: number;
  warmUpSeconds: number;
};

/**
 * Starts servers of api-servers.ts on one database, each in its own process, and stops them when the work is
 * done.
 * @param names as in api-servers.ts
 */
export async function withServers<Name extends string, T>(
  databaseUrl: string,
  names: readonly Name[],
  work: (urls: Record<Name, string>, processes: Record<Name, ChildProcess>) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const children: ChildProcess[] = [];
  try {
    const urls = {} as Record<Name, string>;
    const processes = {} as Record<Name, ChildProcess>;
    for (const name of names) {
      urls[name] = await startServer(name, databaseUrl, children, env);
      processes[name] = children.at(-1)!;
    }
    return await work(urls, processes);
  } finally {
    for (const child of children) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}

async function startServer(
  name: string,
  databaseUrl: string,
  children: ChildProcess[],
  more: Record<string, string>,
): Promise<string> {
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', programPath('test/bench/api-servers.ts'), name],
    {
      cwd: rootDir,
      env: {
        ...ENVIRONMENT,
        PATH: process.env.PATH,
        PLAT_BUILD: process.env.PLAT_BUILD,
        DATABASE_URL: databaseUrl,
        PORT: '0',
        LOG_LEVEL: 'warn',
        ...more,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error(`The ${name} server did not start.`);
}

/**
 * Runs rounds of load on every server in turn, so that a slow minute on the machine affects all of them.
 * Warms up each server first. The load comes from its own process (load-rounds.ts), so that it shares no
 * event loop.
 * @throws Error if a request fails, because the figures would then be meaningless
 */
export async function alternate<Name extends string>(
  servers: Record<Name, string>,
  { path, ...load }: Load,
): Promise<Record<Name, Round[]>> {
  const urls = Object.fromEntries(Object.entries<string>(servers).map(([name, url]) => [name, url + path]));
  const args = [
    '--import',
    'tsx',
    join(rootDir, 'test/bench/load-rounds.ts'),
    JSON.stringify({ urls, ...load }),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: rootDir });
  const results = JSON.parse(stdout) as Record<Name, Round[]>;
  const failed = Object.values<Round[]>(results)
    .flat()
    .reduce((sum, round) => sum + round.failed, 0);
  if (failed > 0) throw new Error(`${failed} requests of the bench failed: its figures would mean nothing.`);
  return results;
}

type RateBench = {
  /** The part of the result's name that precedes ': requests a second'. */
  name: string;
  path: string;
  key: string;
  connections: number;
  /** The server in api-servers.ts to compare with, and its description. */
  bare: string;
  reference: string;
  least: number;
};

const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;

/**
 * Measures requests per second for a path with everything on (authentication, rate limit, validation, durable
 * charge), compared with a bare server.
 */
export function compareRates(options: BenchOptions, url: string, of: RateBench): Promise<BenchResult> {
  return withServers(url, [of.bare, 'plat'], async servers => {
    const response = await fetch(servers.plat + of.path, { headers: { Authorization: `Bearer ${of.key}` } });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`The endpoint answers ${response.status}: ${body}`);
    const rounds = await alternate(servers, {
      path: of.path,
      keys: [of.key],
      connections: of.connections,
      seconds: SECONDS,
      rounds: options.quick ? 1 : ROUNDS,
      warmUpSeconds: WARM_UP_SECONDS,
    });
    const [plat, bare] = [rounds.plat!, rounds[of.bare]!];
    const rate = (some: Round[]) => median(some.map(round => round.requests));
    const p99 = (some: Round[]) => median(some.map(round => round.p99));
    return judged(
      {
        name: `${of.name}: requests a second`,
        reference: of.reference,
        value: rate(plat) / rate(bare),
        unit: 'x',
        details: {
          'requests/s': rate(plat).toFixed(1),
          'reference requests/s': rate(bare).toFixed(1),
          'p99 ms': p99(plat),
          'reference p99 ms': p99(bare),
          'response bytes': Buffer.byteLength(body),
          rounds: `${plat.length} of ${SECONDS} s each, alternating; medians`,
        },
      },
      { least: of.least },
    );
  });
}
