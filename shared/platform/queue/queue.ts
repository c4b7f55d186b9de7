import {
  createPostgresBackend,
  createRedisBackend,
  type IQueueBackend,
  type Job,
  type Queue,
  type Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Config } from '../config.ts';
import { connectionOf, endsWithWorker } from '../connection-pool.ts';
import { type Logger, sparseWarnings } from '../log.ts';
import { QUEUE_SCHEMA } from '../migrate.ts';

/** One queue per job family, so that a long load never delays a recompute. */
export const QUEUE_NAMES = [
  'ingest',
  'feeds',
  'attributes',
  'market',
  'valuation',
  'comping',
  'deals',
  'schedule',
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** The prefix of feed names in the keys of the `schedule` queue. */
export const FEED_PREFIX = 'feed-';

/** A queue entry: the row of table `jobs`, or the feed whose scheduled run is due. */
export type Delivery = { id: string } | { scheduled: string };
export type DeliveryQueue = Queue<Delivery, unknown, string>;
/** `token` identifies the worker's lock on the job. */
export type Processor = (job: Job<Delivery, unknown, string>, token?: string) => Promise<unknown>;

export type QueueBackend = {
  kind: 'redis' | 'postgres';
  queue(name: QueueName): DeliveryQueue;
  worker(name: QueueName, process: Processor, options: Omit<WorkerOptions, 'connection' | 'prefix'>): Worker;
  close(): Promise<void>;
};

/** The producer side of every queue. */
export function openQueues(backend: QueueBackend): Record<QueueName, DeliveryQueue> {
  const entries = QUEUE_NAMES.map(name => [name, backend.queue(name)] as const);
  return Object.fromEntries(entries) as Record<QueueName, DeliveryQueue>;
}

// The classes of the two backends differ only in the connection type.
type Classes = ReturnType<typeof withBackend<IQueueBackend, unknown>>;

/**
 * Opens the queues, in Redis if REDIS_URL is set, otherwise in PostgreSQL. No other code depends on which one
 * is used. All queues share one connection pool.
 */
export function openQueueBackend(config: Config, log: Logger): QueueBackend {
  const { classes, connection, kind, disconnect } = connect(config, log);
  const open: { close(): Promise<void> }[] = [];
  const base = { connection, prefix: config.QUEUE_PREFIX };
  // BullMQ keeps emitting the error for a lost connection until it reconnects. Without a listener, the first
  // error would end the process.
  const warn = sparseWarnings(log);
  const onError = (error: Error) => warn(error, 'queue connection');

  return {
    kind,
    queue(name) {
      const queue = new classes.Queue<Delivery, unknown, string>(name, base);
      queue.on('error', onError);
      open.push(queue);
      return queue as unknown as DeliveryQueue;
    },
    worker(name, process, options) {
      const worker = new classes.Worker<Delivery, unknown, string>(name, process as never, {
        ...options,
        ...base,
      });
      worker.on('error', onError);
      open.push(worker);
      return worker as unknown as Worker;
    },
    async close() {
      await Promise.all(open.map(part => part.close()));
      await disconnect();
    },
  };
}

function connect(config: Config, log: Logger) {
  if (config.REDIS_URL !== undefined) {
    // BullMQ requires turning off the retry limit, because its blocking reads take a long time. They take up
    // to 10 seconds, so the socket timeout is longer than that.
    const redis = new Redis(config.REDIS_URL, { maxRetriesPerRequest: null, socketTimeout: 20_000 });
    const warn = sparseWarnings(log);
    redis.on('error', error => warn(error, 'redis connection'));
    return {
      kind: 'redis' as const,
      classes: withBackend(createRedisBackend) as unknown as Classes,
      connection: redis as unknown,
      disconnect: async () => redis.disconnect(),
    };
  }
  const pool = new pg.Pool({
    ...connectionOf(config, {
      search_path: QUEUE_SCHEMA,
      timezone: 'UTC',
      jit: 'off',
      ...endsWithWorker(config),
    }),
    application_name: 'plat queue',
    connectionTimeoutMillis: 30_000,
    // A worker uses one connection for each queue that it listens to.
    max: QUEUE_NAMES.length + 1,
  });
  // Each queue and worker adds an error listener, so turn off Node's warning about many listeners.
  pool.setMaxListeners(0);
  const warn = sparseWarnings(log);
  pool.on('error', error => warn(error, 'queue database connection'));
  return {
    kind: 'postgres' as const,
    classes: withBackend(createPostgresBackend) as unknown as Classes,
    connection: pool as unknown,
    disconnect: () => pool.end(),
  };
}
