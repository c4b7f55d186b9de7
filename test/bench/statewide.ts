import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { enqueue, getJob } from '../../shared/platform/queue/jobs.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { rollFeed, writeFeed } from './generate/feed-files.ts';
import { writeRoll, writeStateRoll } from './generate/roll.ts';
import { hasEnded, residentMb, startWorker, stopWorker } from './worker.ts';

/**
 * A parcel takes 190 bytes in the compressed file and about 2 kB in the database during the merge, so 10
 * million parcels take 25 GB of disk space.
 */
const PARCELS = Number(process.env.STATEWIDE_PARCELS ?? 10_000_000);
const QUICK_PARCELS = 20_000;
const STATE = 'IA';
/** A county in another state, whose feed runs throughout. */
const BESIDE = { parcels: 3_000, fips: 55025 };
const MAX_GROWTH = 1.2;
const MAX_WAIT = 6;
const CHECK_MS = 200;
/** The progress that a run reports when its only file has been read. The worker is killed at half of this. */
const ALL_READ = 0.6;

/**
 * Ingests a statewide roll through one feed. The worker is killed (SIGKILL) when half of the roll is read,
 * and another one takes over. In the meantime, the feed of a small county runs repeatedly. Run it by hand,
 * because it takes hours. STATEWIDE_PARCELS sets another size.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const { folder, note } = options;
  const feeds = join(folder, 'feeds');
  mkdirSync(feeds);
  const roll = join(folder, 'state.ndgeojson.gz');
  note('  generating the rolls');
  const parcels = await writeStateRoll(roll, STATE, {
    parcels: options.quick ? QUICK_PARCELS : PARCELS,
    seed: 1,
  });
  writeFeed(join(feeds, 'bench-state.yaml'), rollFeed('bench-state', roll, null));
  const rolls = [1, 2].map(seed => join(folder, `county-${seed}.ndgeojson`));
  for (const [i, file] of rolls.entries()) await writeRoll(file, { ...BESIDE, seed: i + 1 });
  writeFeed(join(feeds, 'bench-county.yaml'), rollFeed('bench-county', rolls[0]!, BESIDE.fips));

  return withBenchDatabase(options, async (url, pool) => {
    const start = () => startWorker(url, { FEEDS_DIR: feeds });
    let run = 0;
    // Alternates between two versions of the roll, so that every run merges.
    const runBeside = () =>
      ingest(pool, 'bench-county', { force: true, sources: { roll: rolls[run++ % 2]! } });
    const first = await start();
    await runBeside();
    const alone = median([await runBeside(), await runBeside(), await runBeside()]);
    const beside: number[] = [];
    const big = ingest(pool, 'bench-state', {}, parcels);
    const besides = keepRunning(big, async () => void beside.push(await runBeside()));
    note(
      `  reading ${parcels} parcels of ${Math.round(statSync(roll).size / 1e6)} MB; the county alone takes ${Math.round(alone)} ms`,
    );
    const killed = await watch(pool, first, ALL_READ / 2);
    first.kill('SIGKILL');
    await once(first, 'exit');
    note(`  killed at ${Math.round(killed.peak)} MB`);
    const second = await start();
    const { peak, early } = await watch(pool, second, 1);
    const ms = await big.finally(() => besides);
    await stopWorker(second);
    const details = {
      parcels,
      'seconds, kill included': Math.round(ms / 1000),
      'MB when killed': Math.round(killed.peak),
      'MB at a fifth, second worker': Math.round(early),
      'MB at the end': Math.round(peak),
      'county alone, ms': Math.round(alone),
      'county beside, ms, median': Math.round(median(beside)),
      'county beside, ms, longest': Math.round(Math.max(...beside)),
      'runs of the county beside': beside.length,
    };
    const what = `${parcels.toLocaleString('en-US')} parcels of a state, killed and continued`;
    return [
      judged(
        {
          name: `growth of a worker's memory, ${what}`,
          reference: 'at a fifth of the file',
          value: peak / early,
          unit: 'x',
          details,
        },
        { most: MAX_GROWTH },
      ),
      judged(
        {
          name: `a county's run beside it, ${what}`,
          reference: 'the same run alone',
          value: median(beside) / alone,
          unit: 'x',
          details,
        },
        { most: MAX_WAIT },
      ),
    ];
  });
}

/** Enqueues a feed and waits until it is done. @returns elapsed milliseconds */
async function ingest(pool: TestDb, feed: string, payload: object, parcels?: number): Promise<number> {
  const { id } = await enqueue(pool, ingestJob, ingestJob.payload.parse({ feed, ...payload }));
  return timed(async () => {
    for (;;) {
      const { status, error, result } = await getJob(pool, id);
      if (status === 'failed') throw new PlatError('bench', `Feed ${feed} failed: ${error}`);
      if (status === 'done') return expectMerged(result, parcels);
      await sleep(CHECK_MS);
    }
  });
}

function expectMerged(result: unknown, parcels: number | undefined): void {
  const { status, counts } = result as { status: string; counts: { new: number } };
  if (status === 'merged' && (parcels === undefined || counts.new === parcels)) return;
  throw new PlatError(
    'bench',
    `The run should have merged ${parcels} new parcels, but: ${JSON.stringify(result)}`,
  );
}

async function keepRunning(until: Promise<unknown>, work: () => Promise<void>): Promise<void> {
  let ended = false;
  until.then(
    () => (ended = true),
    () => (ended = true),
  );
  while (!ended) await work();
}

/**
 * Watches the state's run until it reaches a share of its progress.
 * @returns the worker's peaks in MB: `early` for the first fifth of the file, `peak` overall
 */
async function watch(
  pool: TestDb,
  worker: ChildProcess,
  share: number,
): Promise<{ peak: number; early: number }> {
  let early = 0;
  let peak = 0;
  for (;;) {
    if (hasEnded(worker)) throw new PlatError('bench', `The worker ended with ${worker.exitCode}.`);
    const { rows } = await pool.query<{ progress: number; status: string }>(
      `select progress, status from jobs where name = $1 and payload ->> 'feed' = 'bench-state'`,
      [ingestJob.name],
    );
    const { progress, status } = rows[0]!;
    peak = Math.max(peak, await residentMb(worker));
    if (status === 'running' && progress < ALL_READ / 5) early = peak;
    if (status === 'done' || status === 'failed' || (status === 'running' && progress >= share))
      return { peak, early };
    await sleep(CHECK_MS);
  }
}
