import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/log.ts';
import type { JobDefinition } from '../../shared/platform/queue/jobs.ts';

/** `fraction`: 0 to 1. `note`: free text. */
export type Progress = (fraction: number, note: string) => void;

/** When `signal` is aborted, its reason says whether the worker is stopping or the job was canceled. */
export type JobContext = {
  jobId: string;
  attempt: number;
  db: Db;
  config: Config;
  log: Logger;
  progress: Progress;
  /** Delivers the jobs of a committed transaction to the queue right away. */
  deliver(ids: string[]): Promise<unknown>;
  signal: AbortSignal;
};

/** `rows` is added to the totals. The other properties are the job's result, as shown to people. */
export type JobResult = { rows: number } & Record<string, unknown>;

export type Job<Payload = unknown> = JobDefinition<Payload> & {
  /**
   * Runs the job. Implementations import their code in this function, so that commands that only enqueue jobs
   * don't load it.
   */
  run(context: JobContext, payload: Payload): Promise<JobResult>;
};

export const defineJob = <Payload>(job: Job<Payload>): Job<Payload> => job;

export type Jobs = ReadonlyMap<string, Job>;

/** @throws PlatError `registry` if two jobs have the same name */
export function jobsByName(jobs: readonly Job[]): Jobs {
  const byName = new Map<string, Job>();
  for (const job of jobs) {
    if (byName.has(job.name)) throw new PlatError('registry', `Two jobs are named ${job.name}.`);
    byName.set(job.name, job);
  }
  return byName;
}
