import type { Reject } from '../../../shared/feeds/ingest-runs.ts';
import { type Client, statement, transaction } from '../../../shared/platform/db.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { enqueue } from '../../../shared/platform/queue/jobs.ts';
import { openChanges, recordChanges } from '../../changes/record-changes.ts';
import { enqueueDealGrading } from '../../deals/enqueue-deal-grading.ts';
import { planLandAttributesJob } from '../../land/plan-land-attributes-job.ts';
import { recomputeMarketJob } from '../../market/recompute-market-job.ts';
import { enqueueValuations } from '../../valuation/enqueue-valuations.ts';
import type { Outcome } from './locked-run.ts';
import type { Prepared } from './recipe.ts';
import type { RunContext } from './run-context.ts';
import { detachRun, endRun, lastAcceptedRun, type RunStatus } from './run-record.ts';
import { stageSchema } from './stage-schema.ts';

/** The comparison adds to the counts of the run, so the job is tried again as a whole. */
const ONCE = { retries: false };

/**
 * Compares what a run staged with what is there and merges it, in one transaction with the run's end and the
 * jobs that follow. @param moved whether another as_of has put statistics and values out of date
 */
export async function mergeRun(
  run: RunContext,
  compare: (client: Client) => Promise<Prepared>,
  moved: boolean,
): Promise<Outcome> {
  const { pool, runId, feedId, counts, force } = run;
  let prepared: Prepared | undefined;
  const follow: string[] = [];
  // Include the comparison, because it resolves duplicate rows. A second attempt would find them resolved and
  // not count them.
  const status = await transaction(
    pool,
    async (client): Promise<RunStatus> => {
      await client.query(`set local search_path = ${stageSchema(run)}, public`);
      prepared = await withFirstReject(client, runId, await compare(client));
      const { gate, touched, checkpoint, brokeOff } = prepared;
      await assertUndisturbed(client, run);
      if (gate.blocked.length > 0 && !force) {
        await endRun(client, run, 'blocked', { gate });
        return 'blocked';
      }
      if (touched) {
        await run.step('merge', 'merging', 0.78);
        await openChanges(client);
        await prepared.merge(client);
      }
      // Another as_of marks regions and counties when the feed is registered, also where no row changes.
      if (touched || moved) follow.push(...(await enqueueFollowing(client)));
      if (checkpoint)
        await client.query(
          statement('feeds/save_checkpoint', { feed_id: feedId, checkpoint: JSON.stringify(checkpoint) }),
        );
      const ended = touched ? 'merged' : 'unchanged';
      await endRun(client, run, ended, { gate });
      if (brokeOff !== undefined) await detachRun(client, runId, brokeOff);
      await run.step('commit', 'committing', 0.98);
      if (touched) await recordChanges(client, runId);
      return ended;
    },
    ONCE,
  );
  const { gate, tidy, brokeOff } = prepared!;
  const result = { runId, status, counts, blocked: gate.blocked, follow };
  if (status === 'blocked') return { result };
  if (status === 'merged')
    await tidy?.().catch(error => run.log.warn({ err: error }, 'could not tidy the merged tables'));
  await run.step('follow', 'done', 1);
  return { result, brokeOff };
}

/** A run without a usable row says why at once, by the first that it could not use. */
async function withFirstReject(client: Client, runId: number, prepared: Prepared): Promise<Prepared> {
  const { gate } = prepared;
  if (!gate.blocked.some(fault => fault.gate === 'empty')) return prepared;
  const { rows } = await client.query<Pick<Reject, 'input' | 'row_no' | 'message'>>(
    statement('feeds/first_reject', { run_id: runId }),
  );
  const [first] = rows;
  if (first === undefined) return prepared;
  const reason = ` ${first.input} row ${first.row_no}: ${first.message}.`;
  const blocked = gate.blocked.map(fault =>
    fault.gate === 'empty' ? { ...fault, message: fault.message + reason } : fault,
  );
  return { ...prepared, gate: { ...gate, blocked } };
}

async function enqueueFollowing(client: Client): Promise<string[]> {
  const stats = await client.query('select from stats_dirty limit 1');
  const attributes = await client.query('select from attributes_dirty limit 1');
  const jobs: string[] = [];
  if (stats.rowCount) jobs.push((await enqueue(client, recomputeMarketJob, { scope: { dirty: true } })).id);
  if (attributes.rowCount)
    jobs.push((await enqueue(client, planLandAttributesJob, { scope: { dirty: true } })).id);
  return [...jobs, ...(await enqueueValuations(client)), ...(await enqueueDealGrading(client))];
}

/**
 * The feed's lock may be lost with its connection: a merge must not build on what another run, or another
 * attempt at this one, has replaced.
 * @throws PlatError `overtaken`
 */
async function assertUndisturbed(client: Client, { feedId, last, ...own }: RunContext): Promise<void> {
  await client.query(statement('feeds/lock_feed', { feed_id: feedId }));
  const now = await lastAcceptedRun(client, feedId);
  const { runId, attempt } = own;
  const held = await client.query(statement('feeds/lock_run', { run_id: runId, attempt }));
  if (now?.id === last?.id && held.rowCount === 1) return;
  const other = now?.id === last?.id ? `A later attempt at run ${runId}` : `Run ${now?.id}`;
  throw new PlatError('overtaken', `${other} of the same feed started while this one was running.`, {
    retryable: true,
  });
}
