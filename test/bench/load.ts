import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { rootDir } from '../../shared/root.ts';

/** One round of load: requests a second, p99 in milliseconds, requests without an answer of 2xx. */
export type Round = { requests: number; p99: number; failed: number };

export type Load = { path: string; key: string; connections: number; seconds: number };

/**
 * Starts the servers of api-servers.ts, each in a process of its own, on one database; they are gone when the work is done.
 * @param names what api-servers.ts calls them
 */
export async function withServers<Name extends string, T>(
  databaseUrl: string,
  names: readonly Name[],
  work: (urls: Record<Name, string>) => Promise<T>,
): Promise<T> {
  const children: ChildProcess[] = [];
  try {
    const urls = {} as Record<Name, string>;
    for (const name of names) urls[name] = await startServer(name, databaseUrl, children);
    return await work(urls);
  } finally {
    for (const child of children) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
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
export async function load(url: string, { path, key, connections, seconds }: Load): Promise<Round> {
  const autocannon = join(rootDir, 'node_modules/autocannon/autocannon.js');
  const args = [
    ...[autocannon, '--json', '--no-progress', '-c', String(connections), '-d', String(seconds)],
    ...['-H', `Authorization: Bearer ${key}`, url + path],
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
