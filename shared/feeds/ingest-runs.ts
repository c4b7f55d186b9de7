import { z } from 'zod';
import { INPUTS } from '../model/feed-kinds.ts';
import type { Db } from '../platform/db.ts';
import type { JobDefinition } from '../platform/queue/jobs.ts';

const payload = z.object({
  feed: z.string(),
  /** Whether to merge even if the gate blocks the run. The run records this. */
  force: z.boolean().default(false),
  /** Sources to use instead of those in the feed file, by input. */
  sources: z.partialRecord(z.enum(INPUTS), z.string()).default({}),
  requestedBy: z.string().default('operator'),
  /** A person is waiting, so the job isn't retried after a server has failed several times in one attempt. */
  attended: z.boolean().optional(),
});

export type IngestPayload = z.output<typeof payload>;

/**
 * Pauses of 5 to 40 seconds outlast a restart of the database or source. An invalid file fails immediately.
 */
export const ingestJob: JobDefinition<IngestPayload> = {
  name: 'ingest.run',
  queue: 'ingest',
  payload,
  key: ({ feed, force, sources }) => JSON.stringify([feed, force, sources]),
  attempts: 5,
  backoffMs: 5_000,
};

/**
 * `runs.counts`: each row read is skipped, rejected, identical, or a part, or it becomes a parcel or listing.
 */
export type RunCounts = {
  /** Rows by input: {"roll": 2027, "shape": 2019} or {"listings": …}. */
  read: Record<string, number>;
  /** Rows that the feed's `skip_where` excludes. */
  skipped: number;
  /** Rejected rows by reason. The counts are exact; run_rejects keeps only the first rows for each reason. */
  rejected: Record<string, number>;
  /** Values dropped from rows that were used, by field. Exact, like the counts above. */
  dropped: Record<string, number>;
  /** Repaired boundaries, by kind of repair. */
  repaired: Record<string, number>;
  /** Rows whose used values all match those of another row. */
  identical: number;
  /** Rows whose geometry was added to an earlier row with the same key. */
  parts: number;
  /** Number of rows with a value, by mapped field. Fields from a geometry file are `shape.<field>`. */
  filled: Record<string, number>;
  /** Results of comparing with the existing data, plus other counts that depend on the kind of feed. */
  new: number;
  changed: number;
  unchanged: number;
  retired: number;
  returned: number;
  [figure: string]: number | Record<string, number>;
};

/** All reasons why a run wasn't merged, with the numbers behind them. */
export type GateResult = { blocked: { gate: string; message: string }[]; figures: object };

export type RunSummary = {
  id: number;
  feed: string;
  kind: string;
  status: string;
  forced: boolean;
  undoes: number | null;
  requested_by: string;
  counts: Partial<RunCounts>;
  error: string | null;
  started_at: Date;
  finished_at: Date | null;
};

export type Run = RunSummary & {
  attempts: number;
  inputs: { input: string; source: string[]; bytes: number; version?: string }[];
  gate: GateResult | null;
};

/** A rejected row, or a value dropped from a row. */
export type Reject = {
  input: string;
  row_no: number;
  field: string | null;
  reason: string;
  message: string;
  raw: string;
};

export async function listRuns(db: Db, feed: string | null, limit: number): Promise<RunSummary[]> {
  return db.run<RunSummary>('feeds/list_runs', { feed_name: feed, limit });
}

export async function findRun(db: Db, id: number): Promise<Run | undefined> {
  return (await db.run<Run>('feeds/get_run', { run_id: id }))[0];
}

export async function listRejects(
  db: Db,
  run: number,
  reason: string | null,
  limit: number,
): Promise<Reject[]> {
  return db.run<Reject>('feeds/list_rejects', { run_id: run, reason, limit });
}
