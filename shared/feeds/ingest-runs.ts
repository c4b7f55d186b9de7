import { z } from 'zod';
import { INPUTS } from '../model/feed-kinds.ts';
import type { Db } from '../platform/db.ts';
import type { JobDefinition } from '../platform/queue/jobs.ts';

const payload = z.object({
  feed: z.string(),
  /** Merge although the gate blocks; recorded with the run. */
  force: z.boolean().default(false),
  /** Other sources than the feed file's, by input. */
  sources: z.partialRecord(z.enum(INPUTS), z.string()).default({}),
  requestedBy: z.string().default('operator'),
  /** A person waits: a server that failed several times within one attempt is not tried in four more. */
  attended: z.boolean().optional(),
});

export type IngestPayload = z.output<typeof payload>;

/** Waits of 5 to 40 seconds outlast a restarted database or source; a wrong file fails at once. */
export const ingestJob: JobDefinition<IngestPayload> = {
  name: 'ingest.run',
  queue: 'ingest',
  payload,
  key: ({ feed, force, sources }) => JSON.stringify([feed, force, sources]),
  attempts: 5,
  backoffMs: 5_000,
};

/**
 * `runs.counts`: every row read is skipped, rejected, identical, a part, or what a parcel or
 * listing was made of.
 */
export type RunCounts = {
  /** Rows by input: {"roll": 2027, "shape": 2019} or {"listings": …}. */
  read: Record<string, number>;
  /** Rows that the feed's own `skip_where` leaves out. */
  skipped: number;
  /** Rows that were not used, by reason. Exact, while run_rejects keeps the first of each reason. */
  rejected: Record<string, number>;
  /** Single values that were not used, by field, of rows that were. Exact, as above. */
  dropped: Record<string, number>;
  /** Boundaries that were repaired, by kind of repair. */
  repaired: Record<string, number>;
  /** Rows that repeat another one in everything that is used of them. */
  identical: number;
  /** Rows whose geometry was joined to that of an earlier row of the same key. */
  parts: number;
  /** How many rows fill each mapped field; those of a geometry file as `shape.<field>`. */
  filled: Record<string, number>;
  /** The result of the comparison with what was there, and other figures of the kind of feed. */
  new: number;
  changed: number;
  unchanged: number;
  retired: number;
  returned: number;
  [figure: string]: number | Record<string, number>;
};

/** Why a run is not merged, every reason of it, and the figures that say so. */
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

/** A row, or a single value of one, that was not used. */
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
