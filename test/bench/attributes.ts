import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, loadConfig } from '../../shared/config.ts';
import { createPool, type Pool } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { enqueue, waitForJob } from '../../shared/jobs.ts';
import { createLogger, type Logger } from '../../shared/log.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { rootDir } from '../../shared/root.ts';
import { attributesPlan } from '../../workers/attributes/jobs.ts';
import { deliverFromHere } from '../../workers/cli/session.ts';
import type { Feed } from '../../workers/feeds/feed.ts';
import { runFeed } from '../../workers/ingest/run.ts';
import { feedOf } from '../support/ingest.ts';
import { type BenchOptions, type BenchResult, judged, withBenchDatabase } from './bench.ts';
import { writeText } from './generate/chunks.ts';
import { rollFeed } from './generate/feed-files.ts';
import { generateLand, writeHeights } from './generate/land.ts';
import { DEFAULT_COUNTY, writeRoll } from './generate/roll.ts';
import { cpuSeconds, familyCpuSeconds, residentMb } from './process-figures.ts';

const PARCELS = 200_000;
const QUICK_PARCELS = 5_000;
const SEED = 7;
const AT_LEAST = 1.7;
const MAX_PEAK_MB = 600;
const LOOK_MS = 100;

type Measured = {
  seconds: number;
  planSeconds: number;
  /** Of each worker, from the request on. */
  peaks: number[];
  cpuSeconds: number[];
  /** Of all the server's processes. */
  serverCpuSeconds: number;
};

/**
 * Land attributes of a whole county that has none, by four generated layers, from the request to the last parcel: by two
 * worker processes against one. The server is on the same machine and takes its share of the cores.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const parcels = options.quick ? QUICK_PARCELS : PARCELS;
  return withBenchDatabase(options, async url => {
    const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'warn' });
    const log = createLogger(config, 'bench');
    const pool = createPool(config, log, { applicationName: 'plat bench', max: 12 });
    try {
      options.note(`  generating ${parcels} parcels and four layers, and ingesting them`);
      const kept = await prepare(pool, log, options.folder, parcels);
      const byWorkers: Measured[] = [];
      for (const workers of [1, 2]) {
        await forget(pool);
        const measured = await measure({ ...config, DATABASE_URL: url }, pool, log, workers);
        await expectComputed(pool, parcels);
        options.note(`  ${workers} worker(s): ${measured.seconds.toFixed(1)} s`);
        byWorkers.push(measured);
      }
      return results(byWorkers as [Measured, Measured], parcels, kept);
    } finally {
      await pool.end();
    }
  });
}

function results(
  [one, two]: [Measured, Measured],
  parcels: number,
  layers: Record<string, number>,
): BenchResult[] {
  const county = `${parcels.toLocaleString('en-US')} parcels`;
  const details = {
    'seconds, 1 worker': Number(one.seconds.toFixed(1)),
    'seconds, 2 workers': Number(two.seconds.toFixed(1)),
    'parcels a second, 2 workers': Math.round(parcels / two.seconds),
    'CPU seconds of the 1 worker': Math.round(one.cpuSeconds[0]!),
    'CPU seconds of the 2 workers': two.cpuSeconds.map(Math.round).join(' + '),
    'CPU seconds of the server, 1 and 2 workers': `${one.serverCpuSeconds.toFixed(1)}, ${two.serverCpuSeconds.toFixed(1)}`,
    'seconds of the plan, 1 and 2 workers': `${one.planSeconds.toFixed(1)}, ${two.planSeconds.toFixed(1)}`,
    'MB at their peak': [...one.peaks, ...two.peaks].map(Math.round).join(', '),
    ...layers,
  };
  return [
    judged(
      {
        name: `land attributes of ${county}, 2 workers`,
        reference: '1 worker',
        value: one.seconds / two.seconds,
        unit: 'x',
        details,
      },
      { least: AT_LEAST },
    ),
    judged(
      {
        name: `peak memory of a worker that computes land attributes of ${county}`,
        reference: '',
        value: Math.max(...one.peaks, ...two.peaks),
        unit: 'MB',
        details,
      },
      { most: MAX_PEAK_MB },
    ),
  ];
}

/** Brings the parcels, then the layers. @returns how much the layers hold */
async function prepare(
  pool: Pool,
  log: Logger,
  folder: string,
  parcels: number,
): Promise<Record<string, number>> {
  const roll = join(folder, 'attributes-roll.ndgeojson');
  await writeRoll(roll, 'ndgeojson', { parcels, seed: SEED });
  await ingest(pool, log, feedOf(folder, { ...rollFeed('bench-roll', roll) }));

  const land = generateLand({ parcels, seed: SEED, fips: DEFAULT_COUNTY });
  const vectors = {
    roads: land.roads.map(({ class: CLASS, line }) => ({ CLASS, type: 'LineString', coordinates: line })),
    wetlands: land.wetlands.map(coordinates => ({ CLASS: 'PEM1A', type: 'MultiPolygon', coordinates })),
    flood: land.flood.map(coordinates => ({ CLASS: 'AE', type: 'MultiPolygon', coordinates })),
  };
  const columns = {
    roads: { class: { column: 'CLASS', values: { highway: 'highway', normal: 'normal', local: 'local' } } },
    wetlands: { attribute: 'CLASS' },
    flood: { zone: 'CLASS' },
  };
  for (const kind of ['roads', 'wetlands', 'flood'] as const) {
    const source = join(folder, `${kind}.ndgeojson`);
    await writeText(
      source,
      vectors[kind].map(
        ({ CLASS, ...geometry }) =>
          `${JSON.stringify({ type: 'Feature', properties: { CLASS }, geometry })}\n`,
      ),
    );
    const layer = { source, format: 'ndgeojson', columns: columns[kind] };
    await ingest(
      pool,
      log,
      feedOf(folder, { name: `bench-${kind}`, kind, fips: fiveDigits(DEFAULT_COUNTY), layer }),
    );
  }
  const source = join(folder, 'heights.tif');
  const cells = writeHeights(source, land.extent);
  await ingest(
    pool,
    log,
    feedOf(folder, { name: 'bench-elevation', kind: 'elevation', elevation: { source } }),
  );
  await pool.query('vacuum analyze');
  return {
    roads: land.roads.length,
    wetlands: land.wetlands.length,
    'flood zones': land.flood.length,
    'million cells of height': Math.round(cells / 1e5) / 10,
  };
}

async function ingest(pool: Pool, log: Logger, feed: Feed): Promise<void> {
  const signal = new AbortController().signal;
  const { status, blocked } = await runFeed(
    { pool, log, signal, env: {}, progress() {} },
    { feed, jobId: null, requestedBy: 'bench', force: true, sources: {} },
  );
  if (status !== 'merged')
    throw new PlatError(
      'bench',
      `${feed.name} should have been merged, but: ${JSON.stringify({ status, blocked })}`,
    );
}

/** The county as it was before anything was computed of it. */
async function forget(pool: Pool): Promise<void> {
  await pool.query('truncate parcel_attributes, attributes_dirty, jobs');
  await pool.query(
    `update parcel_filters
     set landlocked = null, wetlands_percent = null, flood_zone_percent = null, highway_frontage_ft = null,
       road_frontage_ft = null, local_frontage_ft = null, steeper_percent = null
     where steeper_percent is not null or landlocked is not null`,
  );
  await pool.query('vacuum full analyze parcel_filters');
  await pool.query('checkpoint');
}

async function measure(
  config: Config & { DATABASE_URL: string },
  pool: Pool,
  log: Logger,
  count: number,
): Promise<Measured> {
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(config.DATABASE_URL)));
  const client = await pool.connect();
  try {
    const { rows: backends } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const serverCpu = () => familyCpuSeconds(backends[0]!.pid);
    const serverBefore = serverCpu();
    const workersBefore = workers.map(worker => cpuSeconds(worker.pid!));
    const begin = performance.now();
    const { id } = await enqueue(pool, attributesPlan, { scope: { fips: DEFAULT_COUNTY } });
    await deliverFromHere({ config, pool, log }, [id]);
    await waitForJob(pool, id);
    for (let open = true; open; await sleep(LOOK_MS)) {
      const { rows } = await pool.query<{ open: boolean }>(
        "select exists (select from jobs where status in ('queued', 'running')) as open",
      );
      open = rows[0]!.open;
    }
    const seconds = (performance.now() - begin) / 1000;
    const { rows: plans } = await pool.query<{ seconds: number }>(
      'select extract(epoch from finished_at - started_at)::float8 as seconds from jobs where id = $1',
      [id],
    );
    return {
      seconds,
      planSeconds: plans[0]!.seconds,
      peaks: await Promise.all(workers.map(worker => residentMb(worker.pid!))),
      cpuSeconds: workers.map((worker, i) => cpuSeconds(worker.pid!) - workersBefore[i]!),
      serverCpuSeconds: serverCpu() - serverBefore,
    };
  } finally {
    client.release();
    for (const worker of workers) {
      if (worker.exitCode !== null || worker.signalCode !== null) continue;
      worker.kill('SIGTERM');
      await once(worker, 'exit');
    }
  }
}

/** A worker as in production; resolves when it takes jobs. */
async function startWorker(url: string): Promise<ChildProcess> {
  const worker = spawn(process.execPath, ['--import', 'tsx', 'workers/main.ts'], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, DATABASE_URL: url, SAMPLE_FEEDS: '0', LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    worker.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('worker ready')) resolve();
    });
    worker.once('exit', code => reject(new PlatError('bench', `The worker ended with ${code}.`)));
  });
  return worker;
}

async function expectComputed(pool: Pool, parcels: number): Promise<void> {
  const { rows } = await pool.query<Record<string, number>>(
    `select
       (select count(*)::int from parcel_attributes where elevation_runs is not null and roads_runs is not null
          and wetlands_runs is not null and flood_runs is not null and steeper_percent is not null) as computed,
       (select count(*)::int from parcel_filters where landlocked is not null and flood_zone_percent is not null) as filters,
       (select count(*)::int from attributes_dirty) as due,
       (select count(*)::int from jobs where status = 'failed' or attempts > 1) as failed`,
  );
  const { computed, filters, due, failed } = rows[0]!;
  if (computed === parcels && filters === parcels && due === 0 && failed === 0) return;
  throw new PlatError(
    'bench',
    `Not all of the ${parcels} parcels were computed at once: ${JSON.stringify(rows[0])}`,
  );
}
