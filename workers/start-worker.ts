import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UnrecoverableError, type Worker } from 'bullmq';
import { collectDefaultMetrics, Registry as Metrics } from 'prom-client';
import { failLostExports } from '../shared/exports/end-export.ts';
import type { Config } from '../shared/platform/config.ts';
import { createPool, endsWithWorker, type Pool } from '../shared/platform/connection-pool.ts';
import { watchDatabase } from '../shared/platform/database-outage.ts';
import { Db } from '../shared/platform/db.ts';
import { errorCode, PlatError } from '../shared/platform/errors.ts';
import { type Logger, sparseWarnings } from '../shared/platform/log.ts';
import { metricsAccess } from '../shared/platform/metrics-access.ts';
import { publishProcess } from '../shared/platform/process-metrics.ts';
import { type Deliverer, deliver, JOBS_CHANNEL } from '../shared/platform/queue/jobs.ts';
import {
  openQueueBackend,
  openQueues,
  type Processor,
  QUEUE_NAMES,
  type QueueBackend,
  type QueueName,
} from '../shared/platform/queue/queue.ts';
import { assertDatabaseReady } from '../shared/platform/start-checks.ts';
import { WEBHOOKS_CHANNEL } from '../shared/webhooks/webhook-terms.ts';
import type { Jobs } from './queue/job.ts';
import { createProcessor } from './queue/job-runner.ts';
import { type ChannelHandlers, listen } from './queue/listen-channels.ts';
import { startLoop, type WakefulLoop } from './queue/wakeful-loop.ts';
import { createLease, type WorkerLease } from './queue/worker-lease.ts';
import { enqueueScheduled, type Schedules, syncSchedulers } from './schedules.ts';
import { followSearches } from './searches/follow-searches.ts';
import { startDispatcher } from './webhooks/dispatcher.ts';

/**
 * An ingestion uses up to six connections at a time: one each for its lock, staging, and the merge, and three
 * for COPY streams.
 */
const CONNECTIONS_PER_JOB = 6;
/**
 * How often to check for stalled jobs. A worker killed with -9 holds its job for JOB_LOCK_MS, plus the time
 * until the next check.
 */
const STALLED_MS = 5_000;
/**
 * How many times a job's lock is renewed per JOB_LOCK_MS. With BullMQ's default of 2, a worker that is too
 * busy to renew on time would have only half of JOB_LOCK_MS before it loses the job.
 */
const LOCK_RENEWALS = 6;
/**
 * BullMQ's limit on killed workers per job. It is higher than the runner's limit, so that the runner is the
 * one to report the job.
 */
const MAX_STALLED = 10;
const SWEEP_MS = 15_000;
/** How often saved searches are checked if no change is announced, so that daily emails go out. */
const FOLLOW_MS = 60_000;
/**
 * These queues run several jobs at a time, because people wait for deals and new feeds while providers and
 * publishers take seconds to respond.
 */
const CONCURRENCY: Partial<Record<QueueName, number>> = { deals: 4, feeds: 4 };

/** How long a worker pauses after a job finds the disk full. */
const DISK_PAUSE_MS = 60_000;

export type RunningWorker = {
  /** The port of /healthz and /metrics, if WORKER_PORT is set. */
  healthPort: number | undefined;
  stop(): Promise<void>;
};

type WorkerOptions = {
  diskPauseMs?: number;
  /** Stops the wait for a database that isn't available yet. */
  signal?: AbortSignal;
  /** Called when the database has been unavailable for DATABASE_WAIT_MS. */
  lost?: (error: unknown) => void;
};

type WorkerParts = {
  config: Config;
  log: Logger;
  warn: ReturnType<typeof sparseWarnings>;
  jobs: Jobs;
  pool: Pool;
  db: Db;
  lease: WorkerLease;
  backend: QueueBackend;
  stopping: AbortController;
  health: HealthServer | undefined;
  workers: Worker[];
  loops: WakefulLoop[];
  sweep: NodeJS.Timeout | undefined;
  pausing: NodeJS.Timeout | undefined;
  listening: Promise<void> | undefined;
  stopWatching(): void;
};

/** @throws PlatError `schema_version`, `queue_tables`, `database_lost`, `address_in_use`; errors from pg */
export async function startWorker(
  config: Config,
  log: Logger,
  jobs: Jobs,
  options: WorkerOptions = {},
): Promise<RunningWorker> {
  const connections = config.WORKER_CONCURRENCY * CONNECTIONS_PER_JOB + 6;
  const parts = openParts(config, log, jobs, connections);
  const { pool, db, lease, backend, stopping } = parts;
  try {
    await assertDatabaseReady(db, config, { log, connections, signal: options.signal });
    if (config.WORKER_PORT !== undefined) parts.health = await serveHealth(config.WORKER_PORT, config, pool);
    await lease.begin(db);
    const deliverer = { queues: openQueues(backend), jobs };
    const schedules = await syncSchedulers(deliverer.queues.schedule, config, log);
    openWorkers(parts, deliverer, options.diskPauseMs ?? DISK_PAUSE_MS);
    startLoops(parts);
    parts.listening = listen(db, channelHandlers(parts, deliverer), parts.warn, stopping.signal);
    const { lost = () => {} } = options;
    parts.stopWatching = watchDatabase(pool, { log, limitMs: config.DATABASE_WAIT_MS }, lost);
    const sweep = () => sweepOnce(parts, deliverer, schedules);
    parts.sweep = setInterval(sweep, SWEEP_MS);
    await sweep();
    const healthPort = parts.health?.port;
    log.info({ queue: backend.kind, jobs: [...jobs.keys()], healthPort }, 'worker ready');
    return { healthPort, stop: () => stopWorker(parts) };
  } catch (error) {
    await stopWorker(parts);
    throw error;
  }
}

function openParts(config: Config, log: Logger, jobs: Jobs, connections: number): WorkerParts {
  const lease = createLease(config.JOB_LOCK_MS, LOCK_RENEWALS, log);
  const pool = createPool(config, log, {
    applicationName: lease.applicationName,
    max: connections,
    settings: endsWithWorker(config),
    // Jobs can wait longer for a connection than the 5 seconds that requests get. On a busy machine, they may
    // have to.
    connectTimeoutMs: 30_000,
  });
  return {
    config,
    log,
    warn: sparseWarnings(log),
    jobs,
    pool,
    db: new Db(pool),
    lease,
    backend: openQueueBackend(config, log),
    stopping: new AbortController(),
    health: undefined,
    workers: [],
    loops: [],
    sweep: undefined,
    pausing: undefined,
    listening: undefined,
    stopWatching() {},
  };
}

async function stopWorker(parts: WorkerParts): Promise<void> {
  const message = 'The worker is stopping. The job continues at its next attempt.';
  parts.stopping.abort(new PlatError('stopping', message, { retryable: true }));
  clearInterval(parts.sweep);
  clearTimeout(parts.pausing);
  parts.stopWatching();
  await parts.health?.close();
  await parts.listening;
  await Promise.all([
    ...parts.loops.map(loop => loop.stop()),
    ...parts.workers.map(worker => worker.close()),
  ]);
  await parts.backend.close();
  await parts.lease.end(parts.db);
  await parts.pool.end();
}

function openWorkers(parts: WorkerParts, deliverer: Deliverer, diskPauseMs: number): void {
  const { config, log, jobs, db, lease, backend, stopping, workers } = parts;
  const processJob = createProcessor({
    db,
    config,
    log,
    jobs,
    signal: stopping.signal,
    deliver: ids => deliver(db, deliverer, ids),
    pause: () => pauseForDisk(parts, diskPauseMs),
    endDeadWorkers: () => lease.endDeadWorkers(db),
  });
  const processDue: Processor = async job => {
    if (!('scheduled' in job.data)) throw new UnrecoverableError('the queue entry is not a schedule');
    await enqueueScheduled(db, deliverer, job.data.scheduled);
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
}

function pauseForDisk(parts: WorkerParts, pauseMs: number): void {
  if (parts.pausing !== undefined) return;
  parts.log.error('the disk is full; pausing jobs');
  for (const worker of parts.workers) worker.pause(true);
  parts.pausing = setTimeout(() => {
    parts.pausing = undefined;
    for (const worker of parts.workers) worker.resume();
  }, pauseMs);
}

/** Starts the loops for webhooks and saved searches, which react to changes as soon as they are announced. */
function startLoops({ db, log, warn, config, stopping: { signal }, loops }: WorkerParts): void {
  loops.push(startDispatcher({ db, log, config }));
  const follow = () => followSearches({ db, log, config, signal });
  loops.push(
    startLoop(follow, FOLLOW_MS, error => {
      if (!signal.aborted) warn(error, 'could not update saved searches; trying again in a minute');
    }),
  );
}

function channelHandlers({ db, warn, loops }: WorkerParts, deliverer: Deliverer): ChannelHandlers {
  return {
    [JOBS_CHANNEL]: id =>
      deliver(db, deliverer, [id]).catch(error =>
        warn(error, 'could not start an announced job; it waits for the sweep'),
      ),
    [WEBHOOKS_CHANNEL]: () => {
      for (const loop of loops) loop.wake();
    },
  };
}

async function sweepOnce(
  { db, lease, warn, stopping }: WorkerParts,
  deliverer: Deliverer,
  schedules: Schedules,
): Promise<void> {
  try {
    await lease.endDeadWorkers(db);
    await deliver(db, deliverer);
    await schedules.restore();
    await failLostExports(db);
    await db.run('queue/delete_old_jobs');
  } catch (error) {
    if (!stopping.signal.aborted) warn(error, 'the sweep for undelivered jobs failed');
  }
}

type HealthServer = { port: number; close(): Promise<void> };

/** Serves the container's health checks and this process's metrics. @throws PlatError `address_in_use` */
async function serveHealth(port: number, config: Config, db: Pool): Promise<HealthServer> {
  const metrics = new Metrics();
  collectDefaultMetrics({ register: metrics, prefix: 'plat_worker_' });
  publishProcess(metrics, { worker: db });
  const server = createServer(async (request, response) => {
    if (request.url === '/metrics') {
      const access = metricsAccess(request, config);
      if (access === 'none') response.writeHead(404).end();
      else if (access === 'unauthorized') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      else response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
    } else if (request.url === '/healthz') {
      const ok = await db.query('select 1').then(
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
          ? new PlatError('address_in_use', `WORKER_PORT ${port} is in use. Set it to another port.`, {
              cause,
            })
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
