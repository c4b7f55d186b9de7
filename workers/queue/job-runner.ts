import { UnrecoverableError, WaitingError } from 'bullmq';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { isDiskFull } from '../../shared/platform/disk.ts';
import { isRetryable, messageOf, PlatError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/log.ts';
import type { Processor } from '../../shared/platform/queue/queue.ts';
import type { JobResult, Jobs, Progress } from './job.ts';
import { WORKER_NAME } from './worker-lease.ts';

export type RunnerDeps = {
  db: Db;
  config: Config;
  log: Logger;
  jobs: Jobs;
  signal: AbortSignal;
  deliver(ids: string[]): Promise<unknown>;
  /** Pauses jobs because the disk is full. */
  pause(): void;
  /** Releases the locks that a dead worker's database sessions hold, before its job runs again. */
  endDeadWorkers(): Promise<void>;
};

type StartedJob = { name: string; payload: unknown; attempts: number; deaths: number; died: string | null };
type Outcome = 'done' | 'failed' | 'retried';

/** A job that kills this many workers is not retried. Usually, such a job runs out of memory. */
const MAX_DEATHS = 5;
/** How often a worker checks whether its job was canceled. */
const CANCEL_POLL_MS = 2_000;

type Delivery = Parameters<Processor>[0];

/** A job that this worker is running. */
type Attempt = {
  id: string;
  row: StartedJob;
  delivery: Delivery;
  token: string | undefined;
  log: Logger;
  canceled: AbortController;
  startedAt: number;
};

/**
 * The processor of every queue: loads the job's row, runs it, and records the result. A job delivered twice
 * runs once. If its worker died, it runs again from the start. If its worker has to stop, or finds the disk
 * full, the job returns to the queue without losing an attempt.
 */
export function createProcessor(deps: RunnerDeps): Processor {
  return async (delivery, token) => {
    if (!('id' in delivery.data)) throw new UnrecoverableError('the queue entry is not a job');
    const { id } = delivery.data;
    const started = deps.db.run<StartedJob>('queue/start_job', { id, worker: WORKER_NAME });
    const [row] = await started.catch(error => {
      if (isDiskFull(error)) deps.pause();
      throw error;
    });
    // The job is already running or has ended.
    if (row === undefined) return;
    const log = deps.log.child({ job: row.name, jobId: id, attempt: row.attempts });
    if (row.died !== null) {
      log.warn({ worker: row.died, deaths: row.deaths }, 'the worker of a job died');
      await deps
        .endDeadWorkers()
        .catch(error => log.warn({ err: error }, 'could not free the locks of a job; the next sweep will'));
    }
    const canceled = new AbortController();
    await runAttempt(deps, { id, row, delivery, token, log, canceled, startedAt: performance.now() });
  };
}

async function runAttempt(deps: RunnerDeps, attempt: Attempt): Promise<void> {
  const { id, row, log, canceled, startedAt } = attempt;
  const signal = AbortSignal.any([deps.signal, canceled.signal]);
  // Poll the job's row. It's the only way to find out that the job was canceled, or that another worker
  // restarted it.
  const watch = setInterval(() => {
    deps.db.rowCount('queue/is_running', { id, attempt: row.attempts }).then(
      running => running === 0 && canceled.abort(new PlatError('cancelled', 'The job was canceled.')),
      () => {},
    );
  }, CANCEL_POLL_MS);
  try {
    const result = await run({ ...deps, signal }, id, row, log);
    await finish(deps, attempt, 'done', result);
    log.info({ rows: result.rows, ms: Math.round(performance.now() - startedAt) }, 'job done');
  } catch (error) {
    await endFailed(deps, attempt, error);
  } finally {
    clearInterval(watch);
  }
}

/** Records a failed attempt. @throws an error that tells BullMQ whether to retry */
async function endFailed(deps: RunnerDeps, attempt: Attempt, error: unknown): Promise<never> {
  const { delivery, log, canceled } = attempt;
  if (canceled.signal.aborted) {
    log.info({ err: error }, 'job stopped: it was canceled, or another worker took it over');
    throw new UnrecoverableError('cancelled');
  }
  if (deps.signal.aborted) {
    log.info({ err: error }, 'job returned to the queue: the worker is stopping');
    return giveBack(deps, attempt, 'its worker stopped; waiting for another worker');
  }
  if (isDiskFull(error)) {
    log.error({ err: error }, 'job returned to the queue: the disk is full');
    deps.pause();
    return giveBack(deps, attempt, 'the disk is full; waiting for free space');
  }
  const willRetry = isRetryable(error) && delivery.attemptsMade + 1 < attemptsOf(delivery);
  log.error({ err: error, again: willRetry }, 'job failed');
  await finish(deps, attempt, willRetry ? 'retried' : 'failed', null, error);
  if (willRetry) throw new Error(messageOf(error), { cause: error });
  throw new UnrecoverableError(messageOf(error));
}

async function giveBack({ db }: RunnerDeps, attempt: Attempt, why: string): Promise<never> {
  const { id, row, delivery, token } = attempt;
  await db.run('queue/give_back_job', { id, why, attempt: row.attempts });
  await delivery.moveToWait(token);
  throw new WaitingError();
}

async function finish(
  { db }: RunnerDeps,
  { id, row, delivery, startedAt }: Attempt,
  outcome: Outcome,
  result: JobResult | null,
  error?: unknown,
): Promise<void> {
  const isRetried = outcome === 'retried';
  await db.run('queue/finish_job', {
    id,
    outcome,
    result: JSON.stringify(result),
    error_code: error === undefined ? null : error instanceof PlatError ? error.code : 'internal_error',
    error: error === undefined ? null : messageOf(error),
    seconds: (performance.now() - startedAt) / 1000,
    rows: result?.rows ?? 0,
    note: isRetried ? `attempt ${delivery.attemptsMade + 2} of ${attemptsOf(delivery)}` : null,
    retry_seconds: isRetried ? backoffSeconds(delivery) : null,
    attempt: row.attempts,
  });
}

const attemptsOf = ({ opts }: Delivery): number => opts.attempts ?? 1;

/** The delay of BullMQ's exponential backoff, which doubles with each attempt. */
function backoffSeconds({ opts, attemptsMade }: Delivery): number {
  const delay = typeof opts.backoff === 'object' ? (opts.backoff.delay ?? 0) : 0;
  return (delay * 2 ** attemptsMade) / 1000;
}

async function run(deps: RunnerDeps, id: string, row: StartedJob, log: Logger): Promise<JobResult> {
  const { db, config, signal, deliver, jobs } = deps;
  if (row.deaths >= MAX_DEATHS) {
    const message = `The job keeps crashing workers, usually because it runs out of memory: ${row.deaths} so far, the last one ${row.died}. See their logs. To try again, run \`plat jobs retry\`.`;
    throw new PlatError('abandoned', message);
  }
  const job = jobs.get(row.name);
  if (job === undefined) {
    // Retry, because during an upgrade a newer worker may pick up the job.
    const message = `This worker doesn't know the job ${row.name}. It is older than the process that queued it.`;
    throw new PlatError('registry', message, { retryable: true });
  }
  const payload = parsePayload(job.payload, row);
  const { progress, stop } = jobProgress(db, id, log);
  try {
    return await job.run(
      { db, config, log, signal, deliver, progress, jobId: id, attempt: row.attempts },
      payload,
    );
  } finally {
    await stop();
  }
}

function parsePayload(schema: { parse(input: unknown): unknown }, { name, payload }: StartedJob): unknown {
  try {
    return schema.parse(payload);
  } catch (cause) {
    throw new PlatError('payload', `Invalid payload for job ${name}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * How often progress is written. Clients check up to a few times per second, so writing more often would only
 * load the database.
 */
const PROGRESS_MS = 300;

/** Writes a job's latest progress to its row every 300 ms. A failed write never fails the job. */
function jobProgress(db: Db, jobId: string, log: Logger): { progress: Progress; stop(): Promise<void> } {
  let latest: [fraction: number, note: string] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const write = () => {
    timer = latest && setTimeout(write, PROGRESS_MS);
    if (latest === undefined) return;
    const [fraction, note] = latest;
    latest = undefined;
    writing = db
      .run('queue/report_progress', { id: jobId, progress: Math.min(1, Math.max(0, fraction)), note })
      .catch(error => log.debug({ err: error }, 'could not write the progress of a job'));
  };
  return {
    progress(fraction, note) {
      latest = [fraction, note];
      if (timer === undefined) write();
    },
    async stop() {
      clearTimeout(timer);
      await writing;
    },
  };
}
