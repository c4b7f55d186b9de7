import type { Config } from '../../shared/base/config.ts';
import type { Pool } from '../../shared/base/db.ts';
import { PlatError } from '../../shared/base/errors.ts';
import type { Logger } from '../../shared/base/log.ts';
import type { Deliverable, Deliverer, JobDefinition } from '../../shared/queue/jobs.ts';

/** `fraction` from 0 to 1, `note` in the words of the job. */
export type Progress = (fraction: number, note: string) => void;

/** What a handler may use. `signal` is aborted when the worker has to stop or the job is cancelled; its reason says which. */
export type JobContext = {
  jobId: string;
  attempt: number;
  pool: Pool;
  config: Config;
  log: Logger;
  progress: Progress;
  /** Hands jobs that were enqueued in a committed transaction to the queue at once. */
  deliver(ids: string[]): Promise<unknown>;
  signal: AbortSignal;
};

/** `rows` goes to the totals; the rest is the job's result as people see it. */
export type JobResult = { rows: number } & Record<string, unknown>;

export type JobHandler<P> = (context: JobContext, payload: P) => Promise<JobResult>;

export type RegisteredJob<P = unknown> = {
  definition: JobDefinition<P>;
  handle(context: JobContext, payload: P): Promise<JobResult>;
};

export function job<P>(definition: JobDefinition<P>, handle: JobHandler<P>): RegisteredJob {
  return { definition, handle };
}

export type Registry = ReadonlyMap<string, RegisteredJob>;

/** @throws PlatError `registry` unless every definition has exactly one handler, and every handler a definition. */
export function buildRegistry(definitions: readonly Deliverable[], jobs: readonly RegisteredJob[]): Registry {
  const [known, handled] = [definitions.map(({ name }) => name), jobs.map(entry => entry.definition.name)];
  const refuse = (name: string | undefined, why: string) => {
    if (name !== undefined) throw new PlatError('registry', why.replace('NAME', name));
  };
  const repeated = (names: string[]) => names.find((name, i) => names.indexOf(name) !== i);
  refuse(repeated(handled), 'Job NAME has two handlers.');
  refuse(repeated(known), 'Two jobs are named NAME.');
  refuse(
    known.find(name => !handled.includes(name)),
    'Job NAME has no handler.',
  );
  refuse(
    handled.find(name => !known.includes(name)),
    'Job NAME has a handler, but is not in workers/definitions.ts.',
  );
  return new Map(jobs.map(entry => [entry.definition.name, entry]));
}

export const definitionsOf = (registry: Registry): Deliverer['definitions'] =>
  new Map([...registry].map(([name, { definition }]) => [name, definition]));
