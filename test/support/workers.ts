import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Config, loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import type { JobDefinition } from '../../shared/platform/queue/jobs.ts';
import { openQueueBackend, type QueueBackend } from '../../shared/platform/queue/queue.ts';
import { type Job, type JobContext, type Jobs, jobsByName } from '../../workers/queue/job.ts';
import { type RunningWorker, startWorker } from '../../workers/start-worker.ts';
import type { TestDatabase } from './database.ts';
import { clearRedis } from './redis.ts';
import type { TestDb } from './test-db.ts';

const redisUrl = process.env.TEST_REDIS_URL;

/** Available queue backends: PostgreSQL, and Redis if TEST_REDIS_URL is set. */
export const BACKENDS: { kind: 'postgres' | 'redis' }[] = [
  { kind: 'postgres' },
  ...(redisUrl ? [{ kind: 'redis' as const }] : []),
];

/** Settings for the test's own queues, which are cleared at the end of the run. */
export function queueEnv(kind: 'postgres' | 'redis'): Record<string, string> {
  const QUEUE_PREFIX = `${inject('testServer').prefix}${randomBytes(4).toString('hex')}`;
  const settings = { QUEUE_PREFIX, SAMPLE_FEEDS: '0' };
  return kind === 'redis' ? { ...settings, REDIS_URL: redisUrl! } : settings;
}

/** The database's settings with queues in the given backend. */
export function workerConfig(
  db: TestDatabase,
  kind: 'postgres' | 'redis',
  env: Record<string, string> = {},
): Config {
  return loadConfig({ LOG_LEVEL: 'silent', DATABASE_URL: db.url, ...queueEnv(kind), ...env });
}

const silent = createLogger({ LOG_LEVEL: 'silent' }, 'test');

/** Opens the producer and worker sides of the queues, which are closed when the test is done. */
export function openTestBackend(config: Config): QueueBackend {
  const backend = openQueueBackend(config, silent);
  onTestFinished(() => backend.close());
  return backend;
}

/**
 * A worker in this process, stopped no later than the end of the test, because PostgreSQL queues belong to
 * the database, whatever their prefix is.
 */
export async function startTestWorker(config: Config, jobs: Jobs): Promise<RunningWorker> {
  const worker = await startWorker(config, silent, jobs, { diskPauseMs: 500 });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= worker.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { ...worker, stop };
}

/** Empties all queues, as a crash, a flush, or a change of server would. */
export async function loseQueues(db: TestDatabase, config: Config): Promise<void> {
  if (config.REDIS_URL === undefined) {
    const { rows } = await db.pool.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'bullmq' and tablename not like '%migration%'",
    );
    await db.pool.query(`truncate ${rows.map(({ name }) => `bullmq.${name}`).join(', ')}`);
    return;
  }
  await clearRedis(config.REDIS_URL, `${config.QUEUE_PREFIX}:`);
}

const text = z.strictObject({ text: z.string() });

/** A job that uses its text as the key. */
export function testJob(
  name: string,
  policy: Partial<Pick<JobDefinition<unknown>, 'attempts' | 'backoffMs' | 'queue'>> = {},
): JobDefinition<{ text: string }> {
  return {
    name,
    queue: 'ingest',
    payload: text,
    key: payload => payload.text,
    attempts: 3,
    backoffMs: 100,
    ...policy,
  };
}

type TextJob = Job<{ text: string }>;

export function jobsOf(...entries: [JobDefinition<{ text: string }>, TextJob['run']][]): Jobs {
  return jobsByName(entries.map(([definition, run]): TextJob => ({ ...definition, run })));
}

/** The context that a worker would pass to a job, without progress reports. */
export function jobContext(db: TestDb, config: Config): JobContext {
  return {
    jobId: 'x',
    attempt: 1,
    db,
    config,
    log: silent,
    signal: new AbortController().signal,
    progress() {},
    async deliver() {},
  };
}

/** Calls `look` until it returns something. If it never does, the test's own timeout ends the wait. */
export async function eventually<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const result = await look();
    if (result !== undefined && result !== false) return result;
    await sleep(25);
  }
}
