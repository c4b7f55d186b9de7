import { rm } from 'node:fs/promises';
import type { GateResult, RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { LOCKS, withLock } from '../../../shared/platform/locks.ts';
import type { ResoCheckpoint } from '../../formats/row-batch.ts';
import type { RunContext, RunDeps } from './run-context.ts';
import { newCounts } from './run-counts.ts';
import { makeRunFolder } from './run-folder.ts';
import { endRun, lastAcceptedRun, type RunStatus } from './run-record.ts';
import { dropStage, dropStages } from './stage-rows.ts';

export type RunResult = {
  runId: number;
  status: RunStatus;
  counts: RunCounts;
  blocked: GateResult['blocked'];
  follow: string[];
};

type EndedRun = { id: number; status: RunStatus; counts: RunCounts; gate: GateResult | null };

export type Outcome = { result: RunResult; brokeOff?: unknown };

export type RunStart = {
  feedId: number;
  baseDir: string;
  jobId: string | null;
  requestedBy: string;
  force: boolean;
  undoes?: number;
  /** Call this under the lock, because the previous run may have changed the checkpoint. */
  readCheckpoint(): Promise<ResoCheckpoint | null>;
};

/**
 * Runs `work` under the feed's lock. If the job is repeated after its run has ended, returns the result of
 * that run.
 */
export async function runLocked(
  deps: RunDeps,
  start: RunStart,
  work: (run: RunContext) => Promise<Outcome>,
): Promise<RunResult> {
  const { db } = deps;
  const { feedId, jobId, readCheckpoint } = start;
  const { result, brokeOff } = await withLock(
    db,
    [LOCKS.feed, feedId],
    deps.signal,
    async (_lock, lost): Promise<Outcome> => {
      const [ended] = jobId === null ? [] : await db.run<EndedRun>('feeds/get_ended_run', { job_id: jobId });
      if (ended) {
        const { id, status, counts, gate } = ended;
        await dropStages(db, id);
        return { result: { runId: id, status, counts, blocked: gate?.blocked ?? [], follow: [] } };
      }
      const run = await openRun(deps, start, await readCheckpoint(), lost);
      try {
        const outcome = await work(run);
        if (deps.workDir !== undefined) await rm(deps.workDir, { recursive: true, force: true });
        return outcome;
      } catch (error) {
        await endRun(db, run, 'failed', { error }).catch(failure =>
          deps.log.error({ err: failure }, 'could not mark the run as failed'),
        );
        throw error;
      } finally {
        await dropStage(db, run).catch(failure =>
          deps.log.warn({ err: failure }, 'could not drop the staging tables'),
        );
        await rm(run.tmpDir, { recursive: true, force: true });
      }
    },
  );
  if (brokeOff !== undefined) throw brokeOff;
  return result;
}

/** Records that a run starts or is retried, and deletes leftovers of the feed's dead runs. */
async function openRun(
  deps: RunDeps,
  start: RunStart,
  checkpoint: ResoCheckpoint | null,
  lost: AbortSignal,
): Promise<RunContext> {
  const { db } = deps;
  const { feedId, baseDir, force } = start;
  const [started] = await db.run<{ id: number; attempts: number }>('feeds/start_run', {
    feed_id: feedId,
    job_id: start.jobId,
    requested_by: start.requestedBy,
    forced: force,
    undoes: start.undoes ?? null,
  });
  const { id: runId, attempts: attempt } = started!;
  // Holding the feed's lock means that the workers of these runs have died.
  const dead = await db.run<{ id: number }>('feeds/abandon_runs', { feed_id: feedId, run_id: runId });
  for (const { id } of dead) await dropStages(db, id);
  const last = await lastAcceptedRun(db, feedId);
  return {
    ...deps,
    signal: AbortSignal.any([deps.signal, lost]),
    runId,
    attempt,
    force,
    feedId,
    checkpoint,
    last,
    tmpDir: await makeRunFolder(),
    baseDir,
    counts: newCounts(),
    inputs: [],
    states: new Map(),
    async step(name, note, fraction) {
      deps.progress(fraction, note);
      await deps.onStep?.(name);
    },
  };
}
