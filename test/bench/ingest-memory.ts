import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { enqueue, getJob } from '../../shared/platform/queue/jobs.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, withBenchDatabase } from './bench.ts';
import { rollFeed, writeFeed } from './generate/feed-files.ts';
import { writeRoll } from './generate/roll.ts';
import { hasEnded, residentMb, startWorker, stopWorker } from './worker.ts';

const PARCELS = 1_000_000;
const QUICK_PARCELS = 10_000;
const STEPS = 5;
const MAX_PEAK_MB = 400;
/**
 * Limit for memory use to count as flat: the most that the peak may grow after the first fifth of the roll.
 */
const MAX_GROWTH = 1.15;
const CHECK_MS = 200;
/** The progress that a run reports when its only file has been read. */
const ALL_READ = 0.6;

type Measured = {
  /** Peak RSS in MB after each fifth of the roll has been read, and at the end of the run. */
  peakAt: number[];
  peak: number;
  seconds: number;
};

/**
 * Measures the memory of a worker process that ingests one large roll and does nothing else. Its resident set
 * is read from outside, so that the measurement does not affect it.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const parcels = options.quick ? QUICK_PARCELS : PARCELS;
  const feeds = join(options.folder, 'feeds');
  mkdirSync(feeds);
  const roll = join(options.folder, 'large-roll.ndgeojson');
  options.note(`  generating a roll of ${parcels} parcels`);
  await writeRoll(roll, { parcels, seed: 2 });
  writeFeed(join(feeds, 'bench-large-roll.yaml'), rollFeed('bench-large-roll', roll));

  const measured = await withBenchDatabase(options, (url, pool) => watchWorker(url, pool, feeds, parcels));
  const { peakAt, peak, seconds } = measured;
  const details = {
    ...Object.fromEntries(
      peakAt.map((mb, i) => [
        `MB at ${(((i + 1) * parcels) / STEPS).toLocaleString('en-US')}`,
        Math.round(mb),
      ]),
    ),
    'MB at the end': Math.round(peak),
    seconds: Math.round(seconds),
  };
  const what = `of a worker that ingests ${parcels.toLocaleString('en-US')} parcels`;
  return [
    judged(
      { name: `peak memory ${what}`, reference: '', value: peak, unit: 'MB', details },
      { most: MAX_PEAK_MB },
    ),
    {
      name: `growth of the peak memory ${what}`,
      reference: `its peak when ${(parcels / STEPS).toLocaleString('en-US')} were read`,
      value: peak / peakAt[0]!,
      unit: 'x',
      reach: `at most ${MAX_GROWTH} x`,
      pass: peak / peakAt[0]! <= MAX_GROWTH,
      details,
    },
  ];
}

async function watchWorker(url: string, pool: TestDb, feeds: string, parcels: number): Promise<Measured> {
  const payload = ingestJob.payload.parse({ feed: 'bench-large-roll', requestedBy: 'bench' });
  const { id } = await enqueue(pool, ingestJob, payload);
  const worker = await startWorker(url, { FEEDS_DIR: feeds });
  const begin = performance.now();
  try {
    const peaks = await watchJob(pool, id, worker, parcels);
    return { ...peaks, seconds: (performance.now() - begin) / 1000 };
  } finally {
    await stopWorker(worker);
  }
}

/**
 * Records the peak until the job is done. The number of rows read so far comes from the job's progress note.
 */
async function watchJob(
  pool: TestDb,
  id: string,
  worker: ChildProcess,
  parcels: number,
): Promise<{ peakAt: number[]; peak: number }> {
  const peakAt: number[] = [];
  let peak = 0;
  for (;;) {
    const job = await getJob(pool, id);
    if (job.status === 'failed' || job.attempts > 1 || hasEnded(worker)) {
      const why = job.error ?? `it was tried ${job.attempts} times and ended with ${worker.exitCode}`;
      throw new PlatError('bench', `The worker did not do the job: ${why}.`);
    }
    peak = Math.max(peak, await residentMb(worker));
    const read = job.progress >= ALL_READ ? parcels : Number(/(\d+) rows/.exec(job.note ?? '')?.[1] ?? 0);
    while (peakAt.length < STEPS && read >= ((peakAt.length + 1) * parcels) / STEPS) peakAt.push(peak);
    if (job.status === 'done') {
      expectMerged(job.result, parcels);
      return { peakAt, peak };
    }
    await sleep(CHECK_MS);
  }
}

function expectMerged(result: unknown, parcels: number): void {
  const { status, counts } = result as { status: string; counts: { new: number } };
  if (status === 'merged' && counts.new === parcels) return;
  throw new PlatError(
    'bench',
    `The run should have merged ${parcels} new parcels, but: ${JSON.stringify(result)}`,
  );
}
