import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../shared/base/config.ts';
import type { Pool } from '../../shared/base/db.ts';
import { PlatError } from '../../shared/base/errors.ts';
import { createLogger } from '../../shared/base/log.ts';
import { enqueue, waitForJob } from '../../shared/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { deliverFromHere } from '../../workers/cli/common/cli-session.ts';
import type { Feed } from '../../workers/feeds/feed.ts';
import { runFeed } from '../../workers/ingest/ingest-feed.ts';
import { attributesPlan, type PlanPayload } from '../../workers/land/land-jobs.ts';
import { feedOf } from '../support/ingest.ts';
import { type BenchOptions, type BenchResult, judged, withBenchDatabase } from './bench.ts';
import { writeText } from './generate/chunks.ts';
import { rollFeed } from './generate/feed-files.ts';
import { generateLand, writeHeights } from './generate/land.ts';
import { DEFAULT_COUNTY, writeRoll } from './generate/roll.ts';
import { residentMb, startWorker, stopWorker } from './worker.ts';

const PARCELS = 200_000;
const QUICK_PARCELS = 5_000;
const SEED = 7;
const AT_LEAST = 1.7;
const MAX_PEAK_MB = 600;
const LOOK_MS = 100;
/** Drifts of the machine's speed fall to both: minutes apart, the same work of two workers took 22 and 27 seconds. One alone takes 45 to 65. */
const ORDER = [1, 2, 2, 1];
/** Parcels that each worker computes before it is measured: a worker runs for weeks, and compiling its code is done once. */
const WARM_UP_PARCELS = 20_000;

type Measured = {
  workers: number;
  seconds: number;
  /** MB of each worker. */
  peaks: number[];
};

/**
 * Land attributes of a whole county that has none, by four generated layers, from the request to the last parcel: by two
 * worker processes against one, both warm. The server is on the same machine and takes its share of the cores.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const parcels = options.quick ? QUICK_PARCELS : PARCELS;
  return withBenchDatabase(options, async (url, pool) => {
    options.note(`  generating ${parcels} parcels and four layers, and ingesting them`);
    const kept = await prepare(pool, options.folder, parcels);
    const measured: Measured[] = [];
    for (const workers of ORDER) {
      const one = await measure(url, pool, workers, parcels);
      await expectComputed(pool, parcels);
      options.note(`  ${workers} worker(s): ${one.seconds.toFixed(1)} s`);
      measured.push(one);
    }
    return results(measured, parcels, kept);
  });
}

function results(all: Measured[], parcels: number, layers: Record<string, number>): BenchResult[] {
  const county = `${parcels.toLocaleString('en-US')} parcels`;
  const one = all.filter(({ workers }) => workers === 1);
  const two = all.filter(({ workers }) => workers === 2);
  const seconds = (of: Measured[]) => of.reduce((sum, run) => sum + run.seconds, 0) / of.length;
  const each = (of: Measured[]) => of.map(run => run.seconds.toFixed(1)).join(', ');
  const details = {
    'seconds, 1 worker': each(one),
    'seconds, 2 workers': each(two),
    'parcels a second, 2 workers': Math.round(parcels / seconds(two)),
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
async function prepare(pool: Pool, folder: string, parcels: number): Promise<Record<string, number>> {
  const roll = join(folder, 'attributes-roll.ndgeojson');
  await writeRoll(roll, { parcels, seed: SEED });
  await ingest(pool, feedOf(folder, { ...rollFeed('bench-roll', roll) }));

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
      feedOf(folder, { name: `bench-${kind}`, kind, fips: fiveDigits(DEFAULT_COUNTY), layer }),
    );
  }
  const source = join(folder, 'heights.tif');
  const cells = writeHeights(source, land.extent);
  await ingest(pool, feedOf(folder, { name: 'bench-elevation', kind: 'elevation', elevation: { source } }));
  await pool.query('vacuum analyze');
  return {
    roads: land.roads.length,
    wetlands: land.wetlands.length,
    'flood zones': land.flood.length,
    'million cells of height': Math.round(cells / 1e5) / 10,
  };
}

async function ingest(pool: Pool, feed: Feed): Promise<void> {
  const log = createLogger({ LOG_LEVEL: 'warn' }, 'bench');
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

async function measure(url: string, pool: Pool, count: number, parcels: number): Promise<Measured> {
  await forget(pool);
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(url)));
  const config = { ...loadConfig({ LOG_LEVEL: 'warn' }), DATABASE_URL: url };
  const plan = async (scope: PlanPayload['scope']) => {
    const { id } = await enqueue(pool, attributesPlan, { scope });
    await deliverFromHere({ config, pool, log: createLogger(config, 'bench') }, [id]);
    await waitForJob(pool, id);
    await ended(pool, 'attributes.%');
  };
  try {
    await mark(pool, Math.min(parcels, count * WARM_UP_PARCELS));
    await plan({ dirty: true });
    await ended(pool, '%');
    await forget(pool);

    const begin = performance.now();
    await plan({ fips: DEFAULT_COUNTY });
    const seconds = (performance.now() - begin) / 1000;
    // The land that became known has valuations refreshed, which is not what is measured.
    await ended(pool, '%');
    return { workers: count, seconds, peaks: await Promise.all(workers.map(residentMb)) };
  } finally {
    await Promise.all(workers.map(stopWorker));
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
