import type { Reject } from '../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { enqueue } from '../../../shared/platform/queue/jobs.ts';
import { openChanges, recordChanges } from '../../changes/record-changes.ts';
import { enqueueDealGrading } from '../../deals/enqueue-deal-grading.ts';
import { enqueueAssemblages } from '../../land/compute-assemblages-job.ts';
import { planLandAttributesJob } from '../../land/plan-land-attributes-job.ts';
import { recomputeMarketJob } from '../../market/recompute-market-job.ts';
import { enqueueValuations } from '../../valuation/enqueue-valuations.ts';
import type { Outcome } from './locked-run.ts';
import type { Prepared } from './recipe.ts';
import type { RunContext } from './run-context.ts';
import { detachRun, endRun, lastAcceptedRun, type RunStatus } from './run-record.ts';
import { stageSchema } from './stage-rows.ts';

/**
 * The transaction isn't retried on its own, because the comparison adds to the run's counts. Instead, the
 * whole job is retried.
 */
const ONCE = { retries: false };

/**
 * Merges a run, ends it, and enqueues the next jobs, all in one transaction.
 * @param moved whether as_of has changed
 */
export async function mergeRun(
  run: RunContext,
  compare: (db: Db) => Promise<Prepared>,
  moved: boolean,
): Promise<Outcome> {
  const { db, runId, feedId, counts, force } = run;
  let prepared: Prepared | undefined;
  const follow: string[] = [];
  // The comparison is part of the transaction, because it resolves duplicate rows. Otherwise, a second
  // attempt would find them resolved and not count them.
  const status = await db.transaction(async (tx): Promise<RunStatus> => {
    await tx.execute(`set local search_path = ${stageSchema(run)}, public`);
    prepared = await withFirstReject(tx, runId, await compare(tx));
    const { gate, touched, checkpoint, brokeOff } = prepared;
    await assertUndisturbed(tx, run);
    if (gate.blocked.length > 0 && !force) {
      await endRun(tx, run, 'blocked', { gate });
      return 'blocked';
    }
    if (touched) {
      await run.step('merge', 'merging', 0.78);
      await openChanges(tx);
      await prepared.merge(tx);
    }
    // A new as_of marks regions and counties when the feed is registered, even if no row changes.
    if (touched || moved) follow.push(...(await enqueueFollowing(tx)));
    if (checkpoint)
      await tx.run('feeds/save_checkpoint', { feed_id: feedId, checkpoint: JSON.stringify(checkpoint) });
    const ended = touched ? 'merged' : 'unchanged';
    await endRun(tx, run, ended, { gate });
    if (brokeOff !== undefined) await detachRun(tx, runId, brokeOff);
    await run.step('commit', 'committing', 0.98);
    if (touched) await recordChanges(tx, runId);
    return ended;
  }, ONCE);
  const { gate, tidy, brokeOff } = prepared!;
  const result = { runId, status, counts, blocked: gate.blocked, follow };
  if (status === 'blocked') return { result };
  if (status === 'merged')
    await tidy?.().catch(error => run.log.warn({ err: error }, 'could not tidy the merged tables'));
  await run.step('follow', 'done', 1);
  return { result, brokeOff };
}

/** A run without a usable row reports the first unusable row. */
async function withFirstReject(db: Db, runId: number, prepared: Prepared): Promise<Prepared> {
  const { gate } = prepared;
  if (!gate.blocked.some(fault => fault.gate === 'empty')) return prepared;
  const rows = await db.run<Pick<Reject, 'input' | 'row_no' | 'message'>>('feeds/first_reject', {
    run_id: runId,
  });
  const [first] = rows;
  if (first === undefined) return prepared;
  const reason = ` ${first.input} row ${first.row_no}: ${first.message}.`;
  const blocked = gate.blocked.map(fault =>
    fault.gate === 'empty' ? { ...fault, message: fault.message + reason } : fault,
  );
  return { ...prepared, gate: { ...gate, blocked } };
}

async function enqueueFollowing(db: Db): Promise<string[]> {
  const stats = await db.rowCount('feeds/find_stats_mark');
  const attributes = await db.rowCount('feeds/find_attributes_mark');
  const jobs: string[] = [];
  if (stats > 0) jobs.push((await enqueue(db, recomputeMarketJob, { scope: { dirty: true } })).id);
  if (attributes > 0) jobs.push((await enqueue(db, planLandAttributesJob, { scope: { dirty: true } })).id);
  return [
    ...jobs,
    ...(await enqueueAssemblages(db)),
    ...(await enqueueValuations(db)),
    ...(await enqueueDealGrading(db)),
  ];
}

/** A lost connection loses the feed's lock, so another run may have merged. @throws `overtaken` */
async function assertUndisturbed(db: Db, { feedId, last, ...own }: RunContext): Promise<void> {
  await db.run('feeds/lock_feed', { feed_id: feedId });
  const now = await lastAcceptedRun(db, feedId);
  const { runId, attempt } = own;
  const held = await db.rowCount('feeds/lock_run', { run_id: runId, attempt });
  if (now?.id === last?.id && held === 1) return;
  const other = now?.id === last?.id ? `A later attempt at run ${runId}` : `Run ${now?.id}`;
  throw new PlatError('overtaken', `${other} of the same feed started while this one was running.`, {
    retryable: true,
  });
}
