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
import { type AttributesScope, attributesPlan } from '../../workers/attributes/jobs.ts';
import { deliverFromHere } from '../../workers/cli/common/session.ts';
import { programOf, RUNTIMES } from '../../workers/cli/up/supervisor.ts';
import type { Feed } from '../../workers/feeds/feed.ts';
import { runFeed } from '../../workers/ingest/run.ts';
import { feedOf } from '../support/ingest.ts';
import { type BenchOptions, type BenchResult, judged, withBenchDatabase } from './bench.ts';
import { writeText } from './generate/chunks.ts';
import { rollFeed } from './generate/feed-files.ts';
import { generateLand, writeHeights } from './generate/land.ts';
import { DEFAULT_COUNTY, writeRoll } from './generate/roll.ts';
import { cpuSeconds, familyCpuSeconds, machineCpuSeconds, residentMb } from './process-figures.ts';

const PARCELS = 200_000;
const QUICK_PARCELS = 5_000;
const SEED = 7;
const AT_LEAST = 1.7;
const MAX_PEAK_MB = 600;
const LOOK_MS = 100;
/** Drifts of the machine's speed fall to both: minutes apart, the same work of two workers took 22 and 27 seconds. */
const ORDER = [1, 2, 2, 1, 1, 2, 2, 1];
/**
 * Parcels that each worker computes before it is measured. A worker runs for weeks; compiling its code costs a fresh one the same
 * however much it then does, on threads that one worker has a free core for and two have not: with 60,000 parcels all threads
 * but the main one took 2.6 seconds of processor time in one process and 2.4 in each of two that shared the parcels.
 */
const WARM_UP_PARCELS = 20_000;

type Measured = {
  workers: number;
  seconds: number;
  planSeconds: number;
  /** Of each worker. */
  peaks: number[];
  /** Of all workers. */
  cpuSeconds: number;
  /** Of all the server's processes. */
  serverCpuSeconds: number;
  /** Of what has nothing to do with it: the more, the less two workers can gain, for one leaves a core to others. */
  othersCpuSeconds: number;
};

/**
 * Land attributes of a whole county that has none, by four generated layers, from the request to the last parcel: by two
 * worker processes against one, both warm. The server is on the same machine and takes its share of the cores.
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
      const measured: Measured[] = [];
      for (const workers of ORDER) {
        const one = await measure({ ...config, DATABASE_URL: url }, pool, log, workers, parcels);
        await expectComputed(pool, parcels);
        options.note(`  ${workers} worker(s): ${one.seconds.toFixed(1)} s`);
        measured.push(one);
      }
      return results(measured, parcels, kept);
    } finally {
      await pool.end();
    }
  });
}

function results(all: Measured[], parcels: number, layers: Record<string, number>): BenchResult[] {
  const county = `${parcels.toLocaleString('en-US')} parcels`;
  const one = all.filter(({ workers }) => workers === 1);
  const two = all.filter(({ workers }) => workers === 2);
  const seconds = (of: Measured[]) => of.reduce((sum, run) => sum + run.seconds, 0) / of.length;
  const each = (of: Measured[], figure: (run: Measured) => number, digits: number) =>
    of.map(run => figure(run).toFixed(digits)).join(', ');
  const details = {
    'seconds, 1 worker': each(one, run => run.seconds, 1),
    'seconds, 2 workers': each(two, run => run.seconds, 1),
    'parcels a second, 2 workers': Math.round(parcels / seconds(two)),
    'CPU seconds of the 1 worker': each(one, run => run.cpuSeconds, 1),
    'CPU seconds of the 2 workers': each(two, run => run.cpuSeconds, 1),
    'CPU seconds of the server, 1 worker': each(one, run => run.serverCpuSeconds, 1),
    'CPU seconds of the server, 2 workers': each(two, run => run.serverCpuSeconds, 1),
    'CPU seconds of other processes': each(all, run => run.othersCpuSeconds, 1),
    'seconds of the plan': each(all, run => run.planSeconds, 1),
    'MB at their peak': all.flatMap(({ peaks }) => peaks.map(Math.round)).join(', '),
    ...layers,
  };
  return [
    judged(
      {
        name: `land attributes of ${county}, 2 workers`,
        reference: '1 worker',
        value: seconds(one) / seconds(two),
        unit: 'x',
        details,
      },
      { least: AT_LEAST },
    ),
    judged(
      {
        name: `peak memory of a worker that computes land attributes of ${county}`,
        reference: '',
        value: Math.max(...all.flatMap(({ peaks }) => peaks)),
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
  await writeRoll(roll, { parcels, seed: SEED });
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
  parcels: number,
): Promise<Measured> {
  await forget(pool);
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(config.DATABASE_URL)));
  const client = await pool.connect();
  /** @returns the job's id */
  const plan = async (scope: AttributesScope) => {
    const { id } = await enqueue(pool, attributesPlan, { scope });
    await deliverFromHere({ config, pool, log }, [id]);
    await waitForJob(pool, id);
    await ended(pool, 'attributes.%');
    return id;
  };
  try {
    await mark(pool, Math.min(parcels, count * WARM_UP_PARCELS));
    await plan({ dirty: true });
    await ended(pool, '%');
    await forget(pool);

    const { rows: backends } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const serverCpu = () => familyCpuSeconds(backends[0]!.pid);
    const ownCpu = () => cpuSeconds(process.pid);
    const workersCpu = () => workers.reduce((sum, worker) => sum + cpuSeconds(worker.pid!), 0);
    const before = {
      server: serverCpu(),
      workers: workersCpu(),
      machine: machineCpuSeconds(),
      own: ownCpu(),
    };
    const begin = performance.now();
    const id = await plan({ fips: DEFAULT_COUNTY });
    const seconds = (performance.now() - begin) / 1000;
    const workersCpuSeconds = workersCpu() - before.workers;
    const serverCpuSeconds = serverCpu() - before.server;
    const ofBench = workersCpuSeconds + serverCpuSeconds + ownCpu() - before.own;
    const othersCpuSeconds = machineCpuSeconds() - before.machine - ofBench;
    const { rows: plans } = await pool.query<{ seconds: number }>(
      'select extract(epoch from finished_at - started_at)::float8 as seconds from jobs where id = $1',
      [id],
    );
    // The land that became known has valuations refreshed, which is not what is measured.
    await ended(pool, '%');
    return {
      workers: count,
      seconds,
      planSeconds: plans[0]!.seconds,
      peaks: await Promise.all(workers.map(worker => residentMb(worker.pid!))),
      cpuSeconds: workersCpuSeconds,
      serverCpuSeconds,
      othersCpuSeconds,
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

/** Has so many parcels of the county computed with the next plan of what is marked. */
async function mark(pool: Pool, parcels: number): Promise<void> {
  await pool.query(
    `insert into attributes_dirty (fips, property_id, layers)
     select fips, property_id, 15
     from parcel_filters
     where fips = $1
     order by property_id
     limit $2`,
    [DEFAULT_COUNTY, parcels],
  );
}

/** Waits until no job with a name like this is open. */
async function ended(pool: Pool, name: string): Promise<void> {
  for (let open = true; open; ) {
    const { rows } = await pool.query<{ open: boolean }>(
      "select exists (select from jobs where name like $1 and status in ('queued', 'running')) as open",
      [name],
    );
    open = rows[0]!.open;
    if (open) await sleep(LOOK_MS);
  }
}

/** A worker as in production; resolves when it takes jobs. */
async function startWorker(url: string): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [...RUNTIMES.worker, programOf('worker')], {
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
