import { rm } from 'node:fs/promises';
import { type Client, statement, transaction } from '../../shared/base/db.ts';
import { PlatError } from '../../shared/base/errors.ts';
import { LOCKS, withLock } from '../../shared/base/locks.ts';
import type { GateResult, IngestPayload, Reject, RunCounts } from '../../shared/feeds/ingest-runs.ts';
import { enqueue } from '../../shared/queue/jobs.ts';
import { openChanges, recordChanges } from '../changes/record-changes.ts';
import { enqueueDealGrading } from '../deals/enqueue-deal-grading.ts';
import type { Feed } from '../feeds/feed.ts';
import { planLandAttributesJob } from '../land/plan-land-attributes-job.ts';
import { recomputeMarketJob } from '../market/recompute-market-job.ts';
import { enqueueValuations } from '../valuation/enqueue-valuations.ts';
import { assessor } from './recipes/assessor-recipe.ts';
import { contacts } from './recipes/contacts-recipe.ts';
import { dnc } from './recipes/dnc-recipe.ts';
import { elevation } from './recipes/elevation-recipe.ts';
import { imagery } from './recipes/imagery-recipe.ts';
import { layers } from './recipes/layers-recipe.ts';
import { listings } from './recipes/listings-recipe.ts';
import { numbering } from './recipes/numbering-recipe.ts';
import type { Prepared, Recipe } from './recipes/recipe.ts';
import { isRecorded, recordedSales } from './recipes/sales-recipe.ts';
import { keepUnchanged, sourcesUnchanged, stagedFrom } from './recipes/unchanged-source.ts';
import type { RunContext, RunDeps } from './run/run-context.ts';
import { newCounts } from './run/run-counts.ts';
import { makeRunFolder } from './run/run-folder.ts';
import {
  abandonRuns,
  detachRun,
  endedRun,
  endRun,
  lastAcceptedRun,
  type RunStatus,
  registerFeed,
  startRun,
} from './run/run-record.ts';
import {
  createStage,
  dropStage,
  dropStages,
  noteStaged,
  stageSchema,
  takeOverStage,
} from './run/stage-schema.ts';
import { DERIVATION } from './stage/derive-fields.ts';

export type RunOptions = {
  feed: Feed;
  jobId: string | null;
  requestedBy: string;
  force: boolean;
  sources: IngestPayload['sources'];
};

export type RunResult = {
  runId: number;
  status: RunStatus;
  counts: RunCounts;
  blocked: GateResult['blocked'];
  follow: string[];
};

/**
 * One run of a feed: open -> parse -> map -> validate -> stage -> gate -> merge -> enqueue what follows.
 * Before the merge, which is one transaction with the run's end and its jobs, only the run's own staging
 * tables are touched: killed anywhere, it can be done again, and what was staged whole is not staged again.
 * @throws PlatError from the source, the feed's mapping or the database; the run is then `failed`
 */
export async function runFeed(deps: RunDeps, options: RunOptions): Promise<RunResult> {
  const { pool } = deps;
  const feed = withSources(options.feed, options.sources);
  const { id: feedId, moved } = await registerFeed(pool, feed);
  const { result, brokeOff } = await withLock(
    pool,
    [LOCKS.feed, feedId],
    deps.signal,
    async (_lock, lost) => {
      const ended = options.jobId === null ? undefined : await endedRun(pool, options.jobId);
      if (ended) {
        const { id, status, counts, gate } = ended;
        await dropStages(pool, id);
        return { result: { runId: id, status, counts, blocked: gate?.blocked ?? [], follow: [] } };
      }
      // Read again under the lock: the previous run may have changed it.
      const { checkpoint } = await registerFeed(pool, feed);
      const { id: runId, attempts: attempt } = await startRun(pool, feedId, options);
      for (const dead of await abandonRuns(pool, feedId, runId)) await dropStages(pool, dead);
      const last = await lastAcceptedRun(pool, feedId);
      const tmpDir = await makeRunFolder();
      const run: RunContext = {
        ...deps,
        signal: AbortSignal.any([deps.signal, lost]),
        runId,
        attempt,
        force: options.force,
        feedId,
        checkpoint,
        last,
        tmpDir,
        baseDir: feed.baseDir,
        counts: newCounts(),
        inputs: [],
        states: new Map(),
        async step(name, note, fraction) {
          deps.progress(fraction, note);
          await deps.onStep?.(name);
        },
      };
      try {
        const outcome = await runRecipe(run, feed, moved);
        if (deps.workDir !== undefined) await rm(deps.workDir, { recursive: true, force: true });
        return outcome;
      } catch (error) {
        await endRun(pool, run, 'failed', { error }).catch(failure =>
          deps.log.error({ err: failure }, 'the run could not be marked as failed'),
        );
        throw error;
      } finally {
        await dropStage(pool, run).catch(failure =>
          deps.log.warn({ err: failure }, 'staging tables were not dropped'),
        );
        await rm(tmpDir, { recursive: true, force: true });
      }
    },
  );
  if (brokeOff !== undefined) throw brokeOff;
  return result;
}

type Outcome = { result: RunResult; brokeOff?: unknown };

/** The feed as if its file named an operator's other sources. */
function withSources(feed: Feed, sources: IngestPayload['sources']): Feed {
  const sections = Object.entries(sources).map(([name, source]) => {
    const section = feed[name as keyof Feed] as unknown as object | null | undefined;
    if (!section) return [name, section];
    if ('input' in section) return [name, { ...section, input: { ...(section.input as object), source } }];
    const files = 'tiles' in section ? { tiles: { by: 'source', sources: [source] } } : { sources: [source] };
    return [name, { ...section, ...files }];
  });
  return { ...feed, ...Object.fromEntries(sections) };
}

/** The comparison adds to the counts of the run, so the job is tried again as a whole. */
const ONCE = { retries: false };

async function runRecipe(run: RunContext, feed: Feed, moved: boolean): Promise<Outcome> {
  const { pool, runId, feedId, counts, force } = run;
  await run.step('open', 'opening', 0);
  const isSame = (await sourcesUnchanged(run, feed)) && !force;
  const compare = isSame ? async () => keepUnchanged(run) : await prepare(run, feed);
  let prepared: Prepared | undefined;
  const follow: string[] = [];
  // The comparison too, for it settles repeated rows: an attempt that found them settled
  // would not count them.
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
    await tidy?.().catch(error => run.log.warn({ err: error }, 'merged tables were not tidied'));
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

/** By kind; all land layers of features share one. */
const RECIPES = { assessor, listings, elevation, imagery, contacts, numbering, dnc };

function recipeOf(feed: Feed): Recipe<Feed, unknown> {
  const isFile = feed.kind === 'listings' && isRecorded(feed);
  const feedRecipe = feed.kind in RECIPES ? RECIPES[feed.kind as keyof typeof RECIPES] : layers;
  return (isFile ? recordedSales : feedRecipe) as Recipe<Feed, unknown>;
}

/**
 * Stages the feed's inputs, unless an earlier attempt that died had staged the same. @returns the comparison
 * with the current data
 */
async function prepare(run: RunContext, feed: Feed): Promise<(client: Client) => Promise<Prepared>> {
  const { pool } = run;
  const recipe = recipeOf(feed);
  const from = await stagedFrom(run, feed);
  const madeOf = from && JSON.stringify([recipe.tables, DERIVATION, from]);
  const before = await takeOverStage(pool, run, madeOf);
  if (before !== undefined) {
    Object.assign(run.counts, before.counts);
    run.inputs.push(...before.inputs);
    return client => recipe.compare(client, run, feed, before.more);
  }
  await createStage(pool, run, recipe.tables);
  await run.step('stage', 'reading', 0);
  const more = await recipe.stage(run, feed);
  if (madeOf !== null) await noteStaged(run, madeOf, more);
  return client => recipe.compare(client, run, feed, more);
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
  throw new PlatError('overtaken', `${other} of the same feed took over while this one was under way.`, {
    retryable: true,
  });
}
