import type { GateResult, RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { messageOf, PlatError } from '../../../shared/platform/errors.ts';
import type { AnyFeed } from '../../feeds/feed.ts';
import type { ResoCheckpoint } from '../../formats/row-batch.ts';

/** An attempt at a run. */
export type Attempt = { runId: number; attempt: number };

export type RunStatus = 'merged' | 'unchanged' | 'blocked' | 'failed';

/** `digest` covers `version` and everything in the feed that affects its rows. */
export type SourceState = { version: string; digest: string };

export type InputRecord = { input: string; source: string[]; bytes: number } & Partial<SourceState>;

/** `moved`: as_of has changed, so statistics and estimates are out of date. */
type Registered = { id: number; checkpoint: ResoCheckpoint | null; moved: boolean };

/** @throws PlatError `feed_kind` if data of another kind was ingested under the feed's name */
export async function registerFeed(db: Db, feed: AnyFeed): Promise<Registered> {
  const { name, kind: ownKind, definition, asOf } = feed;
  const values = { name, kind: ownKind, definition: JSON.stringify(definition), as_of: asOf };
  const rows = await db.run<Registered>('feeds/register_feed', values);
  if (rows[0]) return rows[0];
  const [before] = await db.run<{ kind: string }>('feeds/find_feed', { name });
  const kind = before?.kind ?? 'another kind';
  throw new PlatError(
    'feed_kind',
    `Feed ${feed.name} was loaded as ${kind}, but ${feed.file} says ${feed.kind}. The kind of a feed can't change. Give the feed another name, or restore its kind.`,
  );
}

export type AcceptedRun = { id: number; counts: RunCounts; inputs: InputRecord[]; best: BestRun };

/** The highest number of rows and keys in accepted runs of the last 12 months. Null if there are none. */
export type BestRun = { rows: number | null; matchedKeys: number | null };

export async function lastAcceptedRun(db: Db, feedId: number): Promise<AcceptedRun | null> {
  const rows = await db.run<AcceptedRun>('feeds/get_last_accepted_run', { feed_id: feedId });
  return rows[0] ?? null;
}

export async function endRun(
  db: Db,
  { runId, attempt, inputs, counts }: Attempt & { inputs: InputRecord[]; counts: RunCounts },
  status: RunStatus,
  { gate = null, error }: { gate?: GateResult | null; error?: unknown },
): Promise<void> {
  await db.run('feeds/finish_run', {
    run_id: runId,
    attempt,
    status,
    inputs: JSON.stringify(inputs),
    counts: JSON.stringify(counts),
    gate: gate && JSON.stringify(gate),
    ...(error === undefined ? { error_code: null, error: null } : describeError(error)),
  });
}

export async function detachRun(db: Db, runId: number, error: unknown): Promise<void> {
  await db.run('feeds/detach_run', { run_id: runId, ...describeError(error) });
}

function describeError(error: unknown): { error_code: string; error: string } {
  const code = error instanceof PlatError ? error.code : 'internal_error';
  return { error_code: code, error: messageOf(error) };
}
