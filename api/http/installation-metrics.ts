import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Config } from '../../shared/platform/config.ts';
import { createPool, type Pool } from '../../shared/platform/connection-pool.ts';
import type { Db } from '../../shared/platform/db.ts';
import { METRICS, type MetricName, publish, type Sample } from '../../shared/platform/declared-metrics.ts';
import type { Logger } from '../../shared/platform/log.ts';
import { countUnshared } from '../../shared/platform/migrate.ts';
import { type FeedRun, type Scheduler, samplesOfFeeds, scheduledFeeds } from './feed-metrics.ts';

/** The parts of a BullMQ queue that /metrics needs. */
export type MeasuredQueue = {
  name: string;
  getJobCounts(...states: 'waiting'[]): Promise<Record<string, number>>;
  getJobSchedulers(): Promise<Scheduler[]>;
};

/** Completed jobs are counted in the job_totals table. Counting them in the queue would read all of them. */
const QUEUE_STATES = ['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'paused', 'failed'];
/** The upper bounds of job_totals.le, in seconds. */
const JOB_BOUNDS = [0.1, 1, 10, 60, 600, '+Inf'];
/** By default, Prometheus waits ten seconds. */
const DEADLINE_MS = 5_000;
const STATEMENT_MS = 2_000;
const KEEP_MS = 60_000;

/** A pool with one connection, which calls can't use and a scrape can't hold for long. */
export const createMetricsPool = (config: Config, log: Logger): Pool =>
  createPool(config, log, {
    applicationName: 'plat api metrics',
    max: 1,
    connectTimeoutMs: STATEMENT_MS,
    statementTimeoutMs: STATEMENT_MS,
  });

/** Samples by metric. A value that can't be read right now is missing rather than zero. */
type Samples = Map<MetricName, readonly Sample[]>;

/** @returns a function that reads the samples. Concurrent scrapes share a single read. */
export function publishInstallation(
  registry: Registry,
  db: Db,
  queues: readonly MeasuredQueue[],
): () => Promise<void> {
  let samples: Samples = new Map();
  for (const [name, { of }] of Object.entries(METRICS))
    if (of === 'installation' || DATABASE_METRICS.has(name))
      publish(registry, name as MetricName, () => samples.get(name as MetricName) ?? []);
  const kept = keptReadings(db, queues);

  async function refresh(): Promise<void> {
    const read: Samples = new Map([['plat_database_up', [{ value: 0 }]]]);
    samples = read;
    // While Redis is unavailable, reading the queues blocks. The deadline ends the wait.
    const reading = [readDatabase(db, read, kept), readQueues(queues, read), readFeeds(read, kept)];
    await Promise.race([Promise.all(reading), sleep(DEADLINE_MS, undefined, { ref: false })]);
  }

  let refreshing: Promise<void> | undefined;
  return () => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
}

/** This process's connections to the database. */
const DATABASE_METRICS: ReadonlySet<string> = new Set<MetricName>([
  'plat_database_up',
  'plat_database_read_only',
  'plat_schema_migrations',
]);

type Kept = ReturnType<typeof keptReadings>;

/** Each query takes 0.1 s with 150,000 waiting jobs or thousands of feeds. Times are in epoch seconds. */
function keptReadings(db: Db, queues: readonly MeasuredQueue[]) {
  const schedule = queues.find(({ name }) => name === 'schedule');
  return {
    waiting: keepFor(KEEP_MS, () => db.run<{ name: string; since: number }>('queue/list_oldest_waiting')),
    statistics: keepFor(KEEP_MS, () => db.run<{ since: number }>('market/find_statistics_age')),
    feeds: keepFor(KEEP_MS, async () => {
      const schedules = scheduledFeeds(await schedule?.getJobSchedulers());
      const scheduled = schedules.map(({ key }) => key);
      return { schedules, runs: await db.run<FeedRun>('feeds/list_last_good_runs', { scheduled }) };
    }),
  };
}

/** Caches the last result of `read` while it is fresh, including failures, which can be slow. */
function keepFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { until: number; value: Promise<T> } | undefined;
  return () => {
    if (kept === undefined || kept.until <= performance.now())
      kept = { value: read(), until: performance.now() + ms };
    return kept.value;
  };
}

const attempt = (work: () => Promise<void>) => work().catch(() => {});
const now = () => Date.now() / 1_000;
const ageOf = (since: number) => Math.max(0, now() - since);

/**
 * Runs statements one after another. If one fails, because a table is locked or missing, the others still
 * run.
 */
async function readDatabase(db: Db, read: Samples, kept: Kept): Promise<void> {
  const [server] = await db.run<{ read_only: boolean }>('platform/check_server').catch(() => []);
  if (server === undefined) return;
  read.set('plat_database_up', [{ value: 1 }]);
  read.set('plat_database_read_only', [{ value: Number(server.read_only) }]);
  await attempt(async () => {
    read.set('plat_schema_migrations', byLabel('state', await countUnshared(db)));
  });
  await attempt(async () => {
    const [summary] = await db.run<{ workers: number; deaths: number }>('queue/summarise_workers');
    read.set('plat_workers', [{ value: summary!.workers }]);
    read.set('plat_worker_deaths_total', [{ value: summary!.deaths }]);
  });
  await attempt(async () => setTotals(read, await db.run<JobTotals>('accounts/read_job_totals')));
  await attempt(async () => {
    const [dnc] = await db.run<{ age_days: number | null }>('contacts/summarise_registry');
    if (dnc!.age_days !== null) read.set('plat_dnc_edition_age_days', [{ value: dnc!.age_days }]);
  });
  await attempt(async () => {
    const [webhooks] = await db.run<Record<string, number>>('webhooks/summarise_deliveries');
    read.set('plat_webhooks', byLabel('what', webhooks!));
  });
  await attempt(async () => {
    const [searches] = await db.run<Record<string, number>>('searches/summarise_lag');
    read.set('plat_searches', byLabel('what', searches!));
  });
  await attempt(async () => {
    const oldest = (await kept.waiting()).map(({ name, since }) => ({
      labels: { name },
      value: ageOf(since),
    }));
    read.set('plat_job_oldest_waiting_seconds', oldest);
  });
  await attempt(async () => {
    const [statistics] = await kept.statistics();
    read.set('plat_statistics_age_seconds', [{ value: ageOf(statistics!.since) }]);
  });
}

const byLabel = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));

type JobTotals = {
  name: string;
  outcome: string;
  jobs: number;
  seconds: number;
  rows: number;
  /** pg returns the elements of a bigint[] as text. */
  le: string[];
};

function setTotals(read: Samples, totals: readonly JobTotals[]): void {
  const name = 'plat_job_duration_seconds';
  const durations = totals.flatMap(({ name: job, outcome, jobs, seconds, le }): Sample[] => {
    const labels = { name: job, outcome };
    return [
      ...JOB_BOUNDS.map((bound, index) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le: String(bound) },
        value: Number(le[index] ?? 0),
      })),
      { metricName: `${name}_sum`, labels, value: seconds },
      { metricName: `${name}_count`, labels, value: jobs },
    ];
  });
  read.set(name, durations);
  read.set(
    'plat_job_rows_total',
    totals.map(({ name: job, outcome, rows }) => ({ labels: { name: job, outcome }, value: rows })),
  );
}

const readFeeds = (read: Samples, kept: Kept) =>
  attempt(async () => {
    const { runs, schedules } = await kept.feeds();
    const { ages, overdue } = samplesOfFeeds(runs, schedules, now());
    read.set('plat_feed_last_good_run_age_seconds', ages);
    read.set('plat_feed_overdue_seconds', overdue);
  });

async function readQueues(queues: readonly MeasuredQueue[], read: Samples): Promise<void> {
  const depths: Sample[] = [];
  read.set('plat_queue_jobs', depths);
  const measure = async (queue: MeasuredQueue) => {
    const counts = await queue.getJobCounts(...(QUEUE_STATES as 'waiting'[]));
    for (const [state, value] of Object.entries(counts))
      depths.push({ labels: { queue: queue.name, state }, value });
  };
  await Promise.all(queues.map(queue => measure(queue).catch(() => {})));
}
