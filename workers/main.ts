import { createServer, type Server } from 'node:http';
import { UnrecoverableError, type Worker } from 'bullmq';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Config, loadConfig } from '../shared/config.ts';
import { createPool, sql } from '../shared/db.ts';
import { type Deliverer, deliver } from '../shared/jobs.ts';
import { createLogger, type Logger } from '../shared/log.ts';
import { assertSchemaVersion } from '../shared/migrate.ts';
import {
  type DeliveryQueue,
  openQueueBackend,
  type Processor,
  QUEUE_NAMES,
  type QueueName,
} from '../shared/queue.ts';
import { onShutdown } from '../shared/shutdown.ts';
import { registry } from './jobs.ts';
import { definitionsOf } from './registry.ts';
import { createProcessor } from './runner.ts';
import { enqueueScheduled, syncSchedules } from './schedules.ts';

/** An ingestion uses up to six connections at a time: its lock, three COPY streams, staging and merge. */
const CONNECTIONS_A_JOB = 6;
/** A worker killed with -9 holds its job this long: the lock's time, then the next look for stalled jobs. */
const LOCK_MS = 15_000;
const STALLED_MS = 5_000;
/** A job may outlive this many killed workers before it is taken for one that kills them. */
const MAX_STALLED = 10;
const SWEEP_MS = 15_000;

/** Takes jobs from every queue until it is told to stop. */
export async function startWorker(config: Config, log: Logger): Promise<void> {
  const pool = createPool(config, log, {
    applicationName: 'plat worker',
    max: config.WORKER_CONCURRENCY * CONNECTIONS_A_JOB + 4,
  });
  await assertSchemaVersion(pool);
  const backend = openQueueBackend(config, log);
  const queues = Object.fromEntries(QUEUE_NAMES.map(name => [name, backend.queue(name)])) as Record<
    QueueName,
    DeliveryQueue
  >;
  const deliverer: Deliverer = { queues, definitions: definitionsOf(registry) };

  const workers: Worker[] = [];
  let server: Server | undefined;
  const signal = onShutdown(log, config.SHUTDOWN_TIMEOUT_MS, async () => {
    clearInterval(sweep);
    server?.close();
    await Promise.all(workers.map(worker => worker.close()));
    await backend.close();
    await pool.end();
  });

  const schedule = await syncSchedules(queues.schedule, config);
  log.info({ schedule, queue: backend.kind, jobs: [...registry.keys()] }, 'worker ready');

  const processJob = createProcessor({
    pool,
    config,
    log,
    registry,
    signal,
    deliver: ids => deliver(pool, deliverer, ids),
  });
  const processDue: Processor = async job => {
    if (!('scheduled' in job.data)) throw new UnrecoverableError('not a schedule');
    await enqueueScheduled(pool, deliverer, job.data.scheduled);
  };
  for (const name of QUEUE_NAMES) {
    workers.push(
      backend.worker(name, name === 'schedule' ? processDue : processJob, {
        concurrency: name === 'ingest' ? config.WORKER_CONCURRENCY : 1,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_MS,
        maxStalledCount: MAX_STALLED,
      }),
    );
  }

  const sweepOnce = () =>
    deliver(pool, deliverer)
      .then(() => pool.query(sql('jobs/delete_old_jobs')))
      .catch(error => log.warn({ err: error }, 'the sweep for undelivered jobs failed'));
  const sweep = setInterval(sweepOnce, SWEEP_MS);
  await sweepOnce();
  if (config.WORKER_PORT !== undefined) server = serveHealth(config.WORKER_PORT, config.HOST, pool);
}

/** `/healthz` for container health checks and `/metrics` of this process. */
function serveHealth(port: number, host: string, pool: ReturnType<typeof createPool>): Server {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, prefix: 'plat_worker_' });
  return createServer(async (request, response) => {
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
    } else if (request.url === '/healthz') {
      const ok = await pool.query('select 1').then(
        () => true,
        () => false,
      );
      response.writeHead(ok ? 200 : 503).end(ok ? 'ok\n' : 'no database\n');
    } else {
      response.writeHead(404).end();
    }
  }).listen(port, host);
}

if (process.argv[1] === import.meta.filename) {
  const config = loadConfig();
  const log = createLogger(config, 'plat-worker');
  startWorker(config, log).catch(error => {
    log.fatal({ err: error }, 'the worker did not start');
    process.exitCode = 1;
    process.exit();
  });
}
