import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnrecoverableError, type Worker } from 'bullmq';
import { collectDefaultMetrics, Registry as Metrics } from 'prom-client';
import { failLostExports } from '../shared/exports/end-export.ts';
import type { Config } from '../shared/platform/config.ts';
import { watchDatabase } from '../shared/platform/database-outage.ts';
import { type Client, createPool, endsWithWorker, type Pool, sql } from '../shared/platform/db.ts';
import { errorCode, PlatError } from '../shared/platform/errors.ts';
import { type Logger, sparseWarnings } from '../shared/platform/log.ts';
import { metricsAccess } from '../shared/platform/metrics-access.ts';
import { publishProcess } from '../shared/platform/process-metrics.ts';
import { deliver, JOBS_CHANNEL } from '../shared/platform/queue/jobs.ts';
import {
  openQueueBackend,
  openQueues,
  type Processor,
  QUEUE_NAMES,
  type QueueName,
} from '../shared/platform/queue/queue.ts';
import { assertDatabaseReady } from '../shared/platform/start-checks.ts';
import { WEBHOOKS_CHANNEL } from '../shared/webhooks/webhook-terms.ts';
import type { Jobs } from './queue/job.ts';
import { createProcessor } from './queue/job-runner.ts';
import { startLoop, type WakefulLoop } from './queue/wakeful-loop.ts';
import { createLease } from './queue/worker-lease.ts';
import { enqueueScheduled, syncSchedulers } from './schedules.ts';
import { followSearches } from './searches/follow-searches.ts';
import { startCourier } from './webhooks/courier.ts';

/** An ingestion uses up to six connections at a time: its lock, three COPY streams, staging and merge. */
const CONNECTIONS_PER_JOB = 6;
/** A worker killed with -9 holds its job for JOB_LOCK_MS, then until the next look for stalled jobs. */
const STALLED_MS = 5_000;
/**
 * How often a job's lock is renewed while it lasts: with BullMQ's 2 a busy worker would have half of the time
 * left.
 */
const LOCK_RENEWALS = 6;
/** More killed workers than the runner allows a job, so that the runner reports it. */
const MAX_STALLED = 10;
const SWEEP_MS = 15_000;
/** How often saved searches are looked after when nobody has announced a change: mails of the day. */
const FOLLOW_MS = 60_000;
/** People wait for a deal or a new feed, and providers and publishers take seconds to answer. */
const CONCURRENCY: Partial<Record<QueueName, number>> = { deals: 4, feeds: 4 };

/** So long a worker whose jobs found the disk full takes none. */
const DISK_PAUSE_MS = 60_000;

export type RunningWorker = {
  /** The port of /healthz and /metrics, when WORKER_PORT is set. */
  healthPort: number | undefined;
  stop(): Promise<void>;
};

type WorkerOptions = {
  diskPauseMs?: number;
  /** Ends the wait for a database that is not there yet. */
  signal?: AbortSignal;
  /** Called when the database has been away for DATABASE_WAIT_MS. */
  lost?: (error: unknown) => void;
};

/**
 * Takes jobs from every queue until it is stopped.
 * @throws PlatError `schema_version`, `queue_tables`, `database_lost`, `address_in_use`; errors of pg
 */
export async function startWorker(
  config: Config,
  log: Logger,
  jobs: Jobs,
  options: WorkerOptions = {},
): Promise<RunningWorker> {
  const connections = config.WORKER_CONCURRENCY * CONNECTIONS_PER_JOB + 6;
  const lease = createLease(config.JOB_LOCK_MS, LOCK_RENEWALS, log);
  const pool = createPool(config, log, {
    applicationName: lease.applicationName,
    max: connections,
    settings: endsWithWorker(config),
    // A job has time; a machine at its limit takes more than the 5 seconds of a request.
    connectTimeoutMs: 30_000,
  });
  const backend = openQueueBackend(config, log);
  const stopping = new AbortController();
  const workers: Worker[] = [];
  let sweep: NodeJS.Timeout | undefined;
  let listening: Promise<void> | undefined;
  let pausing: NodeJS.Timeout | undefined;
  const loops: WakefulLoop[] = [];
  let stopWatching = () => {};
  const warn = sparseWarnings(log);
  let health: Awaited<ReturnType<typeof serveHealth>> | undefined;
  const stop = async () => {
    const message = 'The worker is stopping; the job goes on at its next attempt.';
    stopping.abort(new PlatError('stopping', message, { retryable: true }));
    clearInterval(sweep);
    clearTimeout(pausing);
    stopWatching();
    await health?.close();
    await listening;
    await Promise.all([...loops.map(loop => loop.stop()), ...workers.map(worker => worker.close())]);
    await backend.close();
    await lease.end(pool);
    await pool.end();
  };

  const pause = () => {
    if (pausing !== undefined) return;
    log.error('the disk is full: no jobs are taken for a while');
    for (const worker of workers) worker.pause(true);
    pausing = setTimeout(() => {
      pausing = undefined;
      for (const worker of workers) worker.resume();
    }, options.diskPauseMs ?? DISK_PAUSE_MS);
  };

  try {
    await assertDatabaseReady(pool, config, { log, connections, signal: options.signal });
    if (config.WORKER_PORT !== undefined) health = await serveHealth(config.WORKER_PORT, config, pool);
    await lease.begin(pool);
    const queues = openQueues(backend);
    const deliverer = { queues, jobs };
    const schedules = await syncSchedulers(queues.schedule, config, log);

    const processJob = createProcessor({
      pool,
      config,
      log,
      jobs,
      signal: stopping.signal,
      deliver: ids => deliver(pool, deliverer, ids),
      pause,
      endDeadWorkers: () => lease.endDeadWorkers(pool),
    });
    const processDue: Processor = async job => {
      if (!('scheduled' in job.data)) throw new UnrecoverableError('not a schedule');
      await enqueueScheduled(pool, deliverer, job.data.scheduled);
    };
    for (const name of QUEUE_NAMES) {
      workers.push(
        backend.worker(name, name === 'schedule' ? processDue : processJob, {
          concurrency: CONCURRENCY[name] ?? (name === 'ingest' ? config.WORKER_CONCURRENCY : 1),
          lockDuration: config.JOB_LOCK_MS,
          lockRenewTime: config.JOB_LOCK_MS / LOCK_RENEWALS,
          stalledInterval: STALLED_MS,
          maxStalledCount: MAX_STALLED,
        }),
      );
    }

    const sweepOnce = async () => {
      try {
        await lease.endDeadWorkers(pool);
        await deliver(pool, deliverer);
        await schedules.restore();
        await failLostExports(pool);
        await pool.query(sql('queue/delete_old_jobs'));
      } catch (error) {
        if (!stopping.signal.aborted) warn(error, 'the sweep for undelivered jobs failed');
      }
    };
    loops.push(startCourier({ pool, log, config }));
    const { signal } = stopping;
    const follow = () => followSearches({ pool, log, config, signal });
    loops.push(
      startLoop(follow, FOLLOW_MS, error => {
        if (!signal.aborted) warn(error, 'searches: what failed is tried again in a minute');
      }),
    );
    const heard: Heard = {
      [JOBS_CHANNEL]: id =>
        deliver(pool, deliverer, [id]).catch(error => warn(error, 'an announced job waits for the sweep')),
      [WEBHOOKS_CHANNEL]: () => {
        for (const loop of loops) loop.wake();
      },
    };
    listening = listen(pool, heard, warn, stopping.signal);
    const { lost = () => {} } = options;
    stopWatching = watchDatabase(pool, { log, limitMs: config.DATABASE_WAIT_MS }, lost);
    sweep = setInterval(sweepOnce, SWEEP_MS);
    await sweepOnce();
    log.info({ queue: backend.kind, jobs: [...jobs.keys()], healthPort: health?.port }, 'worker ready');
    return { healthPort: health?.port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * `/healthz` for container health checks, and `/metrics` of this process for who may read them. @throws
 * PlatError `address_in_use`
 */
async function serveHealth(
  port: number,
  config: Config,
  pool: Pool,
): Promise<{ port: number; close(): Promise<void> }> {
  const metrics = new Metrics();
  collectDefaultMetrics({ register: metrics, prefix: 'plat_worker_' });
  publishProcess(metrics, { worker: pool });
  const server = createServer(async (request, response) => {
    if (request.url === '/metrics') {
      const access = metricsAccess(request, config);
      if (access === 'none') response.writeHead(404).end();
      else if (access === 'unauthorized') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      else response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
    } else if (request.url === '/healthz') {
      const ok = await pool.query('select 1').then(
        () => true,
        () => false,
      );
      response.writeHead(ok ? 200 : 503).end(ok ? 'ok\n' : 'no database\n');
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', cause => {
      const inUse = errorCode(cause) === 'EADDRINUSE';
      reject(
        inUse
          ? new PlatError('address_in_use', `WORKER_PORT ${port} is taken: set it to another one.`, { cause })
          : cause,
      );
    });
    server.listen(port, config.HOST, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What is announced on a channel of the database, by the channel. */
type Warn = ReturnType<typeof sparseWarnings>;
type Heard = Record<string, (payload: string) => unknown>;

/** Pause before reconnecting; meanwhile the sweep finds the announced jobs. */
const RECONNECT_MS = 5_000;

/** Hears what is announced, on a connection of its own, until the signal is aborted. */
async function listen(pool: Pool, heard: Heard, warn: Warn, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(pool, heard, signal).catch(error => {
      if (!signal.aborted) warn(error, 'announced jobs are not heard: they wait for the sweep');
    });
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
  }
}

/** Until the connection is lost or the signal is aborted. */
async function listenOnce(pool: Pool, heard: Heard, signal: AbortSignal): Promise<void> {
  const client: Client = await pool.connect();
  try {
    await new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('end', resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      client.on('notification', ({ channel, payload }) => heard[channel]?.(payload ?? ''));
      const channels = Object.keys(heard).map(channel => `listen ${channel}`);
      client.query(channels.join('; ')).catch(reject);
    });
  } finally {
    // Not to be used by others: it listens.
    client.release(true);
  }
}
