import { z } from 'zod';
import type { Db } from '../platform/db.ts';
import { PlatError } from '../platform/errors.ts';
import type { JobDefinition } from '../platform/queue/jobs.ts';
import { ingestJob } from './ingest-runs.ts';

const payload = z.object({ run: z.int(), requestedBy: z.string() });
export type UndoPayload = z.output<typeof payload>;

export const undoJob: JobDefinition<UndoPayload> = {
  name: 'ingest.undo',
  queue: ingestJob.queue,
  payload,
  key: ({ run }) => `run ${run}`,
  attempts: ingestJob.attempts,
  backoffMs: ingestJob.backoffMs,
};

/** A run that can be undone. `as_of` is the date of its roll, YYYY-MM-DD. */
export type UndoableRun = { id: number; feed: string; feed_id: number; as_of: string };

type Found = Omit<UndoableRun, 'as_of'> & {
  kind: string;
  status: string;
  undoes: number | null;
  as_of: string | null;
  later: number | null;
  undone_by: number | null;
};

/** @throws PlatError `not_found`; `undo_refused` (409), which says why the run can't be undone */
export async function findUndoable(db: Db, id: number): Promise<UndoableRun> {
  const rows = await db.run<Found>('feeds/find_undo', { run_id: id });
  const [run] = rows;
  if (run === undefined) throw new PlatError('not_found', `There is no run ${id}. \`plat runs\` lists them.`);
  const reason = refusal(run) ?? (await laterChange(db, run));
  if (reason !== null) throw new PlatError('undo_refused', reason, { status: 409 });
  return { ...run, as_of: run.as_of! };
}

function refusal({ id, feed, kind, status, undoes, as_of, later, undone_by }: Found): string | null {
  if (kind !== 'assessor')
    return `Run ${id} of ${feed} loaded no parcels. Only runs of an assessor roll can be undone.`;
  if (status === 'undone') return `Run ${id} of ${feed} was already undone by run ${undone_by}.`;
  if (status !== 'merged') return `Run ${id} of ${feed} changed nothing, so there is nothing to undo.`;
  if (undoes !== null)
    return `Run ${id} of ${feed} undid run ${undoes}. To load that data again, run the feed with --force.`;
  if (later !== null)
    return `Run ${later} of ${feed} came after run ${id}. Only the latest merged run of a feed can be undone.`;
  if (as_of === null)
    return `Run ${id} of ${feed} can no longer be undone. Plat keeps what a run changed for 30 days.`;
  return null;
}

type Later = { changed_run: number; feed_id: number | null; parcels: number };

/** How a later change by another run blocks the undo, or null if none does. */
async function laterChange(db: Db, { id, feed, feed_id }: Found): Promise<string | null> {
  const counties = await db.run<{ fips: number }>('feeds/list_undo_counties', { run_id: id, feed_id });
  const of = { run_id: id, feed_id, fips: counties.map(({ fips }) => fips) };
  const parcels = await db.run<Later>('feeds/find_later_parcels', of);
  const listings = await db.run<Later>('feeds/find_later_listings', { run_id: id });
  const [later] = [...parcels, ...listings];
  if (later === undefined) return null;
  const rows = await db.run<{ id: number; feed: string }>('feeds/find_later_run', {
    changed_run: later.changed_run,
    feed_id: later.feed_id,
  });
  const other = rows[0] ? `Run ${rows[0].id} of ${rows[0].feed}` : `Run ${later.changed_run}`;
  const what = parcels.length > 0 ? 'parcels' : 'sales';
  return `${other} has since changed ${later.parcels} ${what} of run ${id} of ${feed}. Only the latest change of a parcel can be undone.`;
}

/** Effects of an undo that the operator should know about. */
export const undoNotes = (feed: string): string[] => [
  'Parcels that the run added are retired. Their ids are not used again.',
  'Plat recalculates slope, road frontage, statistics, and estimates in the background.',
  `Plat doesn't load the same data again unless you force it: plat feed run ${feed} --force`,
];
