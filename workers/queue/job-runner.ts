import { UnrecoverableError, WaitingError } from 'bullmq';
import type { Config } from '../../shared/platform/config.ts';
import { type Pool, statement } from '../../shared/platform/db.ts';
import { isDiskFull } from '../../shared/platform/disk.ts';
import { isRetryable, messageOf, PlatError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/log.ts';
import type { Processor } from '../../shared/platform/queue/queue.ts';
import type { JobResult, Jobs, Progress } from './job.ts';
import { WORKER_NAME } from './worker-lease.ts';

export type RunnerDeps = {
  pool: Pool;
  config: Config;
  log: Logger;
  jobs: Jobs;
  signal: AbortSignal;
  deliver(ids: string[]): Promise<unknown>;
  /** Takes no jobs for a while, because the disk is full. */
  pause(): void;
  /** Frees what a dead worker's database sessions hold, before its job runs again. */
  endDeadWorkers(): Promise<void>;
};

type StartedJob = { name: string; payload: unknown; attempts: number; deaths: number; died: string | null };
type Outcome = 'done' | 'failed' | 'retried';

/**
 * A job in the middle of which so many workers died takes them down with it, most often for want of memory.
 */
const MAX_DEATHS = 5;
/** A job that was canceled breaks off after at most this long. */
const CANCEL_POLL_MS = 2_000;

/**
 * The processor of every queue: loads the job's row, runs it and writes down how it ended. A job delivered
 * twice runs once; one whose worker died runs again from the start; one whose worker has to stop, or finds
 * the disk full, goes back to the queue, which costs it no attempt.
 */
export function createProcessor(deps: RunnerDeps): Processor {
  const { pool, log } = deps;
  return async (delivery, token) => {
    if (!('id' in delivery.data)) throw new UnrecoverableError('not a delivery of a job');
    const { id } = delivery.data;
    const { rows } = await pool
      .query<StartedJob>(statement('queue/start_job', { id, worker: WORKER_NAME }))
      .catch(error => {
        if (isDiskFull(error)) deps.pause();
        throw error;
      });
    const row = rows[0];
    if (row === undefined) return;

    const giveBack = async (why: string) => {
      await pool.query(statement('queue/give_back_job', { id, why, attempt: row.attempts }));
      await delivery.moveToWait(token);
      throw new WaitingError();
    };
    const jobLog = log.child({ job: row.name, jobId: id, attempt: row.attempts });
    if (row.died !== null) {
      jobLog.warn({ worker: row.died, deaths: row.deaths }, 'the worker of a job died');
      await deps
        .endDeadWorkers()
        .catch(error => jobLog.warn({ err: error }, 'the next sweep frees its locks'));
    }
    const canceled = new AbortController();
    const signal = AbortSignal.any([deps.signal, canceled.signal]);
    const watch = setInterval(
      () => abortWhenEnded(pool, { id, attempt: row.attempts }, canceled),
      CANCEL_POLL_MS,
    );
    const begin = performance.now();
    const attempts = delivery.opts.attempts ?? 1;
    const finish = (outcome: Outcome, result: JobResult | null, error?: unknown) =>
      pool.query(
        statement('queue/finish_job', {
          id,
          outcome,
          result: JSON.stringify(result),
          error_code: codeOf(error),
          error: error === undefined ? null : messageOf(error),
          seconds: (performance.now() - begin) / 1000,
          rows: result?.rows ?? 0,
          note: outcome === 'retried' ? `attempt ${delivery.attemptsMade + 2} of ${attempts}` : null,
          retry_seconds: outcome === 'retried' ? backoffSeconds(delivery) : null,
          attempt: row.attempts,
        }),
      );

    try {
      const result = await run({ ...deps, signal }, id, row, jobLog);
      await finish('done', result);
      jobLog.info({ rows: result.rows, ms: Math.round(performance.now() - begin) }, 'job done');
    } catch (error) {
      if (canceled.signal.aborted) {
        jobLog.info({ err: error }, 'job broken off: it was cancelled, or another worker took it over');
        throw new UnrecoverableError('cancelled');
      }
      if (deps.signal.aborted) {
        jobLog.info({ err: error }, 'job given back: the worker stops');
        return giveBack('its worker stopped: waits for the next one');
      }
      if (isDiskFull(error)) {
        jobLog.error({ err: error }, 'job given back: the disk is full');
        deps.pause();
        return giveBack('the disk is full: waits for space');
      }
      const again = isRetryable(error) && delivery.attemptsMade + 1 < attempts;
      jobLog.error({ err: error, again }, 'job failed');
      await finish(again ? 'retried' : 'failed', null, error);
      if (again) throw new Error(messageOf(error), { cause: error });
      throw new UnrecoverableError(messageOf(error));
    } finally {
      clearInterval(watch);
    }
  };
}

/** That a job is canceled, or was begun again by another worker, is said in its row alone. */
function abortWhenEnded(
  pool: Pool,
  { id, attempt }: { id: string; attempt: number },
  canceled: AbortController,
): void {
  pool.query(statement('queue/is_running', { id, attempt })).then(
    ({ rowCount }) => rowCount === 0 && canceled.abort(new PlatError('cancelled', 'The job was cancelled.')),
    () => {},
  );
}

/** BullMQ's exponential wait: doubled with each attempt. */
function backoffSeconds({ opts, attemptsMade }: Parameters<Processor>[0]): number {
  const delay = typeof opts.backoff === 'object' ? (opts.backoff.delay ?? 0) : 0;
  return (delay * 2 ** attemptsMade) / 1000;
}

async function run(deps: RunnerDeps, id: string, row: StartedJob, log: Logger): Promise<JobResult> {
  const { pool, config, signal, deliver, jobs } = deps;
  if (row.deaths >= MAX_DEATHS) {
    const message = `${row.deaths} workers died in the middle of the job, the last of them ${row.died}: their logs tell more. Most often memory runs out. \`plat jobs retry\` tries again.`;
    throw new PlatError('abandoned', message);
  }
  const job = jobs.get(row.name);
  if (job === undefined) {
    // Retried: while versions change, a newer worker may take it next.
    const message = `There is no job ${row.name} here: this worker is older than what enqueued it.`;
    throw new PlatError('registry', message, { retryable: true });
  }
  const payload = parsePayload(job.payload, row);
  const { progress, stop } = jobProgress(pool, id, log);
  try {
    return await job.run(
      { pool, config, log, signal, deliver, progress, jobId: id, attempt: row.attempts },
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
    throw new PlatError('payload', `The payload does not fit job ${name}: ${messageOf(cause)}`, { cause });
  }
}

function codeOf(error: unknown): string | null {
  if (error === undefined) return null;
  return error instanceof PlatError ? error.code : 'internal_error';
}

/** People look a few times a second at most; writing more often would only load the database. */
const PROGRESS_MS = 300;

/** Writes a job's progress to its row, the latest every 300 ms; a failure to write never fails the job. */
function jobProgress(pool: Pool, jobId: string, log: Logger): { progress: Progress; stop(): Promise<void> } {
  let latest: [fraction: number, note: string] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const write = () => {
    timer = latest && setTimeout(write, PROGRESS_MS);
    if (latest === undefined) return;
    const [fraction, note] = latest;
    latest = undefined;
    writing = pool
      .query(
        statement('queue/report_progress', { id: jobId, progress: Math.min(1, Math.max(0, fraction)), note }),
      )
      .catch(error => log.debug({ err: error }, 'progress was not written'));
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
