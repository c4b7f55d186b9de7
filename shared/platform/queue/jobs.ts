import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Db } from '../db.ts';
import { isRetryable, PlatError } from '../errors.ts';
import type { DeliveryQueue, QueueName } from './queue.ts';

/**
 * What is needed to queue a job. The job's file in `workers/` has the implementation. Only temporary failures
 * are retried.
 */
export type JobDefinition<Payload> = {
  name: string;
  queue: QueueName;
  payload: { parse(input: unknown): Payload };
  /** Identifies the work: two waiting jobs with the same key would do the same thing. */
  key(payload: Payload): string;
  attempts: number;
  /** The wait before the second attempt. It doubles each time. */
  backoffMs: number;
};

/**
 * Attempts are 2, 4, 8, and 16 seconds apart. That is half a minute in total, longer than a database restart.
 * The next change or daily run picks up whatever is left.
 */
export const RETRY = { attempts: 5, backoffMs: 2_000 };

export const countyCode = z.number().int().min(1001).max(78_999);

export type JobState = {
  id: string;
  name: string;
  key: string;
  payload: unknown;
  status: 'queued' | 'running' | 'done' | 'failed';
  progress: number;
  note: string | null;
  result: unknown;
  error_code: string | null;
  error: string | null;
  /** The number of attempts so far. */
  attempts: number;
  /** How many of these attempts ended because the worker died. */
  deaths: number;
  /** When the next attempt starts after a failed one. */
  next_at: Date | null;
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

/**
 * Writes a job to the outbox in the caller's transaction. `deliver` or the workers' sweep moves the job to
 * the queue.
 */
export async function enqueue<P>(db: Db, job: JobDefinition<P>, payload: P): Promise<Enqueued> {
  const parsed = job.payload.parse(payload);
  const values = { name: job.name, key: job.key(parsed), payload: JSON.stringify(parsed) };
  // Try again if no row is returned, because the waiting job may have started between the two halves of the
  // statement.
  for (let round = 0; round < 3; round++) {
    const [row] = await db.run<Enqueued>('queue/enqueue_job', values);
    if (row) return row;
  }
  throw new PlatError('enqueue', `Couldn't add job ${job.name}.`, { retryable: true });
}

/** Writes a job for each payload. @returns their ids */
export async function enqueueAll<P>(
  db: Db,
  job: JobDefinition<P>,
  payloads: readonly P[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const payload of payloads) ids.push((await enqueue(db, job, payload)).id);
  return ids;
}

type Enqueued = { id: string; added: boolean };

/** The channel that notifies workers of committed jobs. */
export const JOBS_CHANNEL = 'plat_jobs';

/**
 * Adds a job that a person waits for, and notifies workers on commit. For processes without queues, such as
 * the API.
 * @returns its id
 */
export async function enqueueAndNotify<P>(db: Db, job: JobDefinition<P>, payload: P): Promise<string> {
  const { id } = await enqueue(db, job, payload);
  await db.run('queue/announce_job', { channel: JOBS_CHANNEL, id });
  return id;
}

export type Deliverable = Pick<JobDefinition<never>, 'name' | 'queue' | 'attempts' | 'backoffMs'>;

export type Deliverer = {
  queues: Record<QueueName, DeliveryQueue>;
  jobs: ReadonlyMap<string, Deliverable>;
};

/**
 * Delivers jobs from the outbox to the queue. Without `ids`, this is the sweep for jobs left behind by a
 * crash.
 */
export async function deliver(db: Db, { queues, jobs }: Deliverer, ids?: string[]): Promise<number> {
  const rows = await db.run<{ id: string; name: string }>('queue/list_undelivered_jobs', {
    ids: ids ?? null,
  });
  let delivered = 0;
  for (const { id, name } of rows) {
    const job = jobs.get(name);
    if (job === undefined) continue;
    const queue = queues[job.queue];
    const queued = ids === undefined ? await queue.getJob(id) : undefined;
    if (queued) {
      // If the worker died after the queue gave up on the job, the job has ended in the queue but is still
      // open here.
      if (!(await queued.isFailed()) && !(await queued.isCompleted())) continue;
      await queued.remove();
    }
    await queue.add(
      name,
      { id },
      {
        jobId: id,
        attempts: job.attempts,
        backoff: { type: 'exponential', delay: job.backoffMs },
        removeOnComplete: { count: 1_000 },
        removeOnFail: { count: 1_000 },
      },
    );
    delivered++;
  }
  return delivered;
}

export async function getJob(db: Db, id: string): Promise<JobState> {
  const rows = await db.run<JobState>('queue/get_job', { id });
  if (!rows[0]) throw new PlatError('not_found', `There is no job ${id}.`);
  return rows[0];
}

export function describeJob({ status, note, error, next_at }: JobState, now = Date.now()): string {
  if (status === 'failed') return `failed: ${error ?? ''}`;
  if (status !== 'running') return status;
  if (next_at === null) return note ?? 'running';
  const seconds = Math.max(0, Math.ceil((next_at.getTime() - now) / 1000));
  return `${note}, next in ${seconds} s: ${error}`;
}

/** Finds the job by the start of its id, which must be unique. */
async function findJob(db: Db, start: string): Promise<{ id: string; status: JobState['status'] }> {
  const rows = await db.run<{ id: string; status: JobState['status'] }>('queue/find_jobs', {
    prefix: start.toLowerCase().replace(/[^0-9a-f-]/g, '?'),
  });
  const [found, other] = rows;
  if (found !== undefined && other === undefined && start.length >= 6) return found;
  const message = other
    ? `Several job ids start with ${start}. Enter more characters.`
    : `There is no job ${start}.`;
  throw new PlatError('not_found', `${message} \`plat jobs\` lists them.`);
}

/** Cancels an open job. Changes that its worker has already committed are kept. */
export async function cancelJob(
  db: Db,
  start: string,
  by: string,
): Promise<{ id: string; running: boolean }> {
  const { id, status } = await findJob(db, start);
  const rows = await db.run<{ worker: string | null }>('queue/cancel_job', { id, by });
  if (rows[0] === undefined) throw new PlatError('job_ended', `Job ${id} has already ended: ${status}.`);
  return { id, running: rows[0].worker !== null };
}

/**
 * Adds a job that repeats one that has ended.
 * @throws PlatError `not_found`; `job_open` if the job or one with the same key is open
 */
export async function retryJob(db: Db, start: string): Promise<{ id: string }> {
  const { id, status } = await findJob(db, start);
  const [copy] =
    status === 'queued' || status === 'running' ? [] : await db.run<{ id: string }>('queue/copy_job', { id });
  if (copy === undefined)
    throw new PlatError('job_open', `Job ${id}, or a job with the same work, is already queued or running.`);
  return copy;
}

/** Longer than PostgreSQL's crash recovery takes. */
const RETRY_LIMIT_MS = 60_000;

/** Retries a database query during a short outage. Any other error is thrown immediately. */
export async function retryWhileUnreachable<T>(look: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const deadline = Date.now() + RETRY_LIMIT_MS;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (!isRetryable(error) || Date.now() > deadline) throw error;
      await sleep(500, undefined, { signal });
    }
  }
}

/** Polling starts at short intervals, to suit short jobs, and slows down to four times per second. */
const FIRST_POLL_MS = 20;
const MAX_POLL_MS = 250;

/** Polls until the job has ended. Calls `onState` for each state. */
export async function waitForJob(
  db: Db,
  id: string,
  options: { signal?: AbortSignal; onState?(state: JobState): void } = {},
): Promise<JobState> {
  for (let ms = FIRST_POLL_MS; ; ms = Math.min(ms * 2, MAX_POLL_MS)) {
    const state = await retryWhileUnreachable(() => getJob(db, id), options.signal);
    options.onState?.(state);
    if (state.status === 'done' || state.status === 'failed') return state;
    await sleep(ms, undefined, { signal: options.signal });
  }
}

/** The newest jobs, open ones first. @param status null for all statuses */
export async function listJobs(
  db: Db,
  limit: number,
  status: JobState['status'] | null = null,
): Promise<JobState[]> {
  return db.run<JobState>('queue/list_jobs', { limit, status });
}

export async function countWorkers(db: Db): Promise<number> {
  const rows = await db.run<{ workers: number }>('queue/summarise_workers', {});
  return rows[0]!.workers;
}
