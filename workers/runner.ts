import { UnrecoverableError } from 'bullmq';
import type { Config } from '../shared/config.ts';
import { type Pool, sql } from '../shared/db.ts';
import { isRetryable, PlatError } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import type { Processor } from '../shared/queue.ts';
import { jobProgress } from './progress.ts';
import type { JobResult, RegisteredJob } from './registry.ts';

export type RunnerDeps = {
  pool: Pool;
  config: Config;
  log: Logger;
  registry: Map<string, RegisteredJob>;
  signal: AbortSignal;
  deliver(ids: string[]): Promise<unknown>;
};

/**
 * The processor of every queue: loads the job's row, runs its handler and writes down how it ended. A job
 * delivered twice runs once; one whose worker died runs again from the start.
 */
export function createProcessor({ pool, config, log, registry, signal, deliver }: RunnerDeps): Processor {
  return async delivery => {
    if (!('id' in delivery.data)) throw new UnrecoverableError('not a delivery of a job');
    const { id } = delivery.data;
    const started = await pool.query<{ name: string; payload: unknown; attempts: number }>(
      sql('jobs/start_job'),
      [id],
    );
    const row = started.rows[0];
    if (row === undefined) return;

    const entry = registry.get(row.name);
    const jobLog = log.child({ job: row.name, jobId: id, attempt: row.attempts });
    const begin = performance.now();
    const finish = (outcome: 'done' | 'failed' | 'retried', result: JobResult | null, error?: unknown) => {
      const code = error instanceof PlatError ? error.code : error === undefined ? null : 'internal_error';
      const text = error === undefined ? null : error instanceof Error ? error.message : String(error);
      const seconds = (performance.now() - begin) / 1000;
      return pool.query(sql('jobs/finish_job'), [
        id,
        outcome,
        JSON.stringify(result),
        code,
        text,
        seconds,
        result?.rows ?? 0,
      ]);
    };

    try {
      if (entry === undefined)
        throw new PlatError(
          'registry',
          `No handler for job ${row.name}: this worker is older than what enqueued it.`,
        );
      const payload = entry.definition.payload.parse(row.payload);
      const context = {
        jobId: id,
        attempt: row.attempts,
        pool,
        config,
        log: jobLog,
        signal,
        deliver,
        progress: jobProgress(pool, id, jobLog),
      };
      const result = await entry.handle(context, payload);
      await finish('done', result);
      jobLog.info({ rows: result.rows, ms: Math.round(performance.now() - begin) }, 'job done');
      return;
    } catch (error) {
      const again = isRetryable(error) && delivery.attemptsMade + 1 < (delivery.opts.attempts ?? 1);
      jobLog.error({ err: error, again }, 'job failed');
      await finish(again ? 'retried' : 'failed', null, error);
      if (again) throw error;
      throw new UnrecoverableError(error instanceof Error ? error.message : String(error));
    }
  };
}
