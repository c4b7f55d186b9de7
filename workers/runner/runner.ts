import { UnrecoverableError, WaitingError } from 'bullmq';
import type { Config } from '../../shared/config.ts';
import { type Pool, sql } from '../../shared/db.ts';
import { isRetryable, PlatError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import type { Processor } from '../../shared/queue.ts';
import type { JobResult, Progress, Registry } from './registry.ts';

export type RunnerDeps = {
  pool: Pool;
  config: Config;
  log: Logger;
  registry: Registry;
  signal: AbortSignal;
  deliver(ids: string[]): Promise<unknown>;
};

type Started = { name: string; payload: unknown; attempts: number };
type Outcome = 'done' | 'failed' | 'retried';

/**
 * A job that was begun this often without ever ending takes its workers down with it. No retry policy comes near, and
 * neither do the restarts of one job's time.
 */
const MOST_STARTS = 25;

/**
 * The processor of every queue: loads the job's row, runs its handler and writes down how it ended. A job delivered
 * twice runs once; one whose worker died runs again from the start; one whose worker has to stop goes back to the
 * queue, which costs it no attempt.
 */
export function createProcessor(deps: RunnerDeps): Processor {
  const { pool, log, signal } = deps;
  return async (delivery, token) => {
    if (!('id' in delivery.data)) throw new UnrecoverableError('not a delivery of a job');
    const { id } = delivery.data;
    const { rows } = await pool.query<Started>(sql('jobs/start_job'), [id]);
    const row = rows[0];
    if (row === undefined) return;

    const jobLog = log.child({ job: row.name, jobId: id, attempt: row.attempts });
    const begin = performance.now();
    const finish = (outcome: Outcome, result: JobResult | null, error?: unknown) =>
      pool.query(sql('jobs/finish_job'), [
        id,
        outcome,
        JSON.stringify(result),
        codeOf(error),
        error === undefined ? null : messageOf(error),
        (performance.now() - begin) / 1000,
        result?.rows ?? 0,
      ]);

    try {
      const result = await run(deps, id, row, jobLog);
      await finish('done', result);
      jobLog.info({ rows: result.rows, ms: Math.round(performance.now() - begin) }, 'job done');
    } catch (error) {
      if (signal.aborted) {
        jobLog.info({ err: error }, 'job given back: the worker stops');
        await pool.query(sql('jobs/report_progress'), [id, 0, 'its worker stopped: waits for the next one']);
        await delivery.moveToWait(token);
        throw new WaitingError();
      }
      const again = isRetryable(error) && delivery.attemptsMade + 1 < (delivery.opts.attempts ?? 1);
      jobLog.error({ err: error, again }, 'job failed');
      await finish(again ? 'retried' : 'failed', null, error);
      if (again) throw error;
      throw new UnrecoverableError(messageOf(error));
    }
  };
}

async function run(deps: RunnerDeps, id: string, row: Started, log: Logger): Promise<JobResult> {
  const { pool, config, signal, deliver, registry } = deps;
  if (row.attempts > MOST_STARTS) {
    throw new PlatError(
      'abandoned',
      `The job was begun ${MOST_STARTS} times and never ended: its workers die of it. Their logs tell more.`,
    );
  }
  const entry = registry.get(row.name);
  if (entry === undefined) {
    // Retried: while versions change, a newer worker may take it next.
    const message = `No handler for job ${row.name}: this worker is older than what enqueued it.`;
    throw new PlatError('registry', message, { retryable: true });
  }
  const payload = parsePayload(entry.definition.payload, row);
  const progress = jobProgress(pool, id, log);
  return entry.handle(
    { ...{ pool, config, log, signal, deliver, progress }, jobId: id, attempt: row.attempts },
    payload,
  );
}

function parsePayload(schema: { parse(input: unknown): unknown }, { name, payload }: Started): unknown {
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** People look a few times a second at most; writing more often would only load the database. */
const INTERVAL_MS = 300;

/** Writes a job's progress to its row, at most every 300 ms; a failure to write never fails the job. */
function jobProgress(pool: Pool, jobId: string, log: Logger): Progress {
  let last = 0;
  return (fraction, note) => {
    const now = Date.now();
    if (now - last < INTERVAL_MS) return;
    last = now;
    pool
      .query(sql('jobs/report_progress'), [jobId, Math.min(1, Math.max(0, fraction)), note])
      .catch(error => log.debug({ err: error }, 'progress was not written'));
  };
}
