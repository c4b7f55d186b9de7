import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { enqueueAndNotify, waitForJob } from '../../shared/platform/queue/jobs.ts';
import { build } from '../../tools/build.mjs';
import { readInput } from '../../workers/formats/read-format.ts';
import { withBenchDatabase } from '../bench/bench.ts';
import { writeFeed } from '../bench/generate/feed-files.ts';
import { hasEnded, startWorker } from '../bench/worker.ts';
import { startTestServer } from '../support/server.ts';
import type { TestDb } from '../support/test-db.ts';
import { mutated, type Seed, seedFiles } from './mutations.ts';

/*
 * npm run mutate [-- FILES [FORMAT …]]: runs 200 damaged files of every format, each as a job for a real
 * worker. Every job must end with rows or with a feed error (`feed_…`). At the end, the same worker reads the
 * undamaged files, and SIGTERM must stop it while it reads a file that hangs.
 */

const [files = '200', ...only] = process.argv.slice(2);
const STOP_MS = 10_000;
const AT_ONCE = '4';

type Tally = { format: string; rows: number; words: number; other: string[] };

await build();
const folder = mkdtempSync(join(tmpdir(), 'plat-mutate-'));
// When run as root, the server runs as another user, who needs access to the folder.
chmodSync(folder, 0o755);
const feeds = join(folder, 'feeds');
mkdirSync(feeds);
const seeds = Object.entries(seedFiles()).filter(([format]) => only.length === 0 || only.includes(format));
for (const [format, seed] of seeds) await writeSeed(format, seed);
const server = await startTestServer(folder);
try {
  const options = { quick: true, serverUrl: server.url, folder, note: say };
  process.exitCode = await withBenchDatabase(options, mutateAll);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Writes the undamaged file and a feed whose key is its first column. */
async function writeSeed(format: string, { name, bytes, spec }: Seed): Promise<void> {
  const roll = join(folder, `${format}-${name}`);
  writeFileSync(roll, bytes);
  const input = { source: roll, format, ...spec } as Parameters<typeof readInput>[0];
  const signal = new AbortController().signal;
  const { value } = await readInput(input, { baseDir: folder, tmpDir: folder, signal, env: {} }).next();
  const key = Object.keys(value!.rows[0]!.values)[0];
  const gates = { max_key_drop_percent: 100, max_row_drop_percent: 100, max_reject_percent: 100 };
  writeFeed(join(feeds, `${nameOf(format)}.yaml`), {
    name: nameOf(format),
    kind: 'assessor',
    fips: '33019',
    gates,
    roll: { ...input, key, columns: { apn: key } },
  });
}

function nameOf(format: string): string {
  return `mutate-${format.replace('_', '-')}`;
}

async function mutateAll(url: string, pool: TestDb): Promise<number> {
  const worker = await startWorker(url, { FEEDS_DIR: feeds, WORKER_CONCURRENCY: AT_ONCE, LOG_LEVEL: 'info' });
  worker.stderr!.resume();
  const tallies = await Promise.all(seeds.map(([format, seed]) => mutateFormat(pool, format, seed)));
  for (const tally of tallies) {
    say(summaryOf(tally));
    for (const line of tally.other) say(`  ${line}`);
  }
  const whole = await Promise.all(seeds.map(([format]) => read(pool, format, undefined)));
  const goesOn = !hasEnded(worker) && whole.every(({ status }) => status === 'done');
  say(
    `the worker ${goesOn ? 'goes on, and reads the whole files' : `does not go on: ${whole.map(one => one.error)}`}`,
  );

  const bad = join(folder, 'hangs.fgb');
  copyFileSync(new URL('../fixtures/feeds/formats/damaged/flatgeobuf-22.fgb', import.meta.url), bad);
  await writeSeed('flatgeobuf', seedFiles().flatgeobuf);
  await enqueueRead(pool, 'flatgeobuf', bad);
  while (!isReading(worker.pid!)) await sleep(50);
  const begin = performance.now();
  worker.kill('SIGTERM');
  const [code] = await once(worker, 'exit');
  const stopMs = performance.now() - begin;
  say(`SIGTERM ended it with ${code} after ${(stopMs / 1000).toFixed(1)} s, while it read a file that hangs`);
  const isWell =
    goesOn && code === 0 && stopMs <= STOP_MS && tallies.every(({ other }) => other.length === 0);
  return isWell ? 0 : 1;
}

async function mutateFormat(pool: TestDb, format: string, { name, bytes }: Seed): Promise<Tally> {
  const tally: Tally = { format, rows: 0, words: 0, other: [] };
  for (let seed = 1; seed <= Number(files); seed++) {
    const file = join(folder, `${format}-${seed}-${name}`);
    writeFileSync(file, mutated(bytes, seed));
    const { status, error } = await read(pool, format, file);
    if (status === 'done') tally.rows++;
    else if (error !== null && (await codeOf(pool, file)).startsWith('feed_')) tally.words++;
    else tally.other.push(`${seed}: ${error}`);
    rmSync(file);
    if (seed % 20 === 0) say(summaryOf(tally));
  }
  return tally;
}

function summaryOf({ format, rows, words, other }: Tally): string {
  return `${format.padEnd(12)} ${rows} in rows, ${words} in words, ${other.length} otherwise`;
}

async function codeOf(pool: TestDb, file: string): Promise<string> {
  const { rows } = await pool.query<{ code: string | null }>(
    "select error_code as code from jobs where payload -> 'sources' ->> 'roll' = $1",
    [file],
  );
  return rows[0]?.code ?? '';
}

async function enqueueRead(pool: TestDb, format: string, file: string | undefined): Promise<string> {
  const sources = file === undefined ? {} : { roll: file };
  const payload = { feed: nameOf(format), force: true, sources, requestedBy: 'mutate' };
  return enqueueAndNotify(pool, ingestJob, ingestJob.payload.parse(payload));
}

async function read(pool: TestDb, format: string, file: string | undefined) {
  return waitForJob(pool, await enqueueRead(pool, format, file));
}

function isReading(worker: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'args=', '--ppid', String(worker)]).includes('reader-child');
  } catch {
    return false;
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
