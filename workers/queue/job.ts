import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/log.ts';
import type { JobDefinition } from '../../shared/platform/queue/jobs.ts';

/** `fraction`: 0 to 1. `note`: free text. */
export type Progress = (fraction: number, note: string) => void;

/** The reason of an aborted `signal` says whether the worker stops or the job is canceled. */
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

/** `rows` is added to the totals. The rest is the job's result as people see it. */
export type JobResult = { rows: number } & Record<string, unknown>;

export type Job<Payload = unknown> = JobDefinition<Payload> & {
  /** Imports its work when it runs, so that commands that only enqueue it start without it. */
  run(context: JobContext, payload: Payload): Promise<JobResult>;
};

export const defineJob = <Payload>(job: Job<Payload>): Job<Payload> => job;

export type Jobs = ReadonlyMap<string, Job>;

/** @throws PlatError `registry` when two jobs have one name */
export function jobsByName(jobs: readonly Job[]): Jobs {
  const byName = new Map<string, Job>();
  for (const job of jobs) {
    if (byName.has(job.name)) throw new PlatError('registry', `Two jobs are named ${job.name}.`);
    byName.set(job.name, job);
  }
  return byName;
}
