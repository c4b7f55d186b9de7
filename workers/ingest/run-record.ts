import { type Pool, type Queryable, sql } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import type { Feed } from '../feeds/feed.ts';
import type { RunCounts } from './counts.ts';
import type { GateResult } from './gate/gate.ts';
import type { ResoCheckpoint } from './parse/reso.ts';

export type RunStatus = 'merged' | 'unchanged' | 'blocked' | 'failed';

export type InputRecord = { input: string; source: string[]; bytes: number };

/** What is written when a run ends. */
export type RunEnd = {
  status: RunStatus;
  inputs: InputRecord[];
  counts: RunCounts;
  gate: GateResult | null;
};

export async function registerFeed(
  db: Queryable,
  feed: Feed,
): Promise<{ id: number; checkpoint: ResoCheckpoint | null }> {
  const values = [feed.name, feed.kind, JSON.stringify(feed.definition), feed.asOf];
  const { rows } = await db.query<{ id: number; checkpoint: ResoCheckpoint | null }>(
    sql('ingest/register_feed'),
    values,
  );
  return rows[0]!;
}

export async function startRun(
  db: Queryable,
  run: { feedId: number; jobId: string | null; requestedBy: string; forced: boolean },
): Promise<{ id: number; attempts: number }> {
  const values = [run.feedId, run.jobId, run.requestedBy, run.forced];
  const { rows } = await db.query<{ id: number; attempts: number }>(sql('ingest/start_run'), values);
  return rows[0]!;
}

export async function lastAcceptedCounts(db: Queryable, feedId: number): Promise<RunCounts | undefined> {
  const { rows } = await db.query<{ counts: RunCounts }>(sql('ingest/get_last_accepted_run'), [feedId]);
  return rows[0]?.counts;
}

export async function finishRun(db: Queryable, runId: number, end: RunEnd): Promise<void> {
  const { status, inputs, counts, gate } = end;
  await db.query(sql('ingest/finish_run'), [
    runId,
    status,
    JSON.stringify(inputs),
    JSON.stringify(counts),
    JSON.stringify(gate),
    null,
    null,
  ]);
}

export async function failRun(
  pool: Pool,
  runId: number,
  error: unknown,
  inputs: InputRecord[],
  counts: RunCounts,
): Promise<void> {
  const code = error instanceof PlatError ? error.code : 'internal_error';
  const text = error instanceof Error ? error.message : String(error);
  await pool.query(sql('ingest/finish_run'), [
    runId,
    'failed',
    JSON.stringify(inputs),
    JSON.stringify(counts),
    null,
    code,
    text,
  ]);
}
