import type { IngestPayload } from '../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../shared/platform/db.ts';
import { type Feed, recipeOf } from './all-kinds.ts';
import { type RunResult, runLocked } from './engine/locked-run.ts';
import { mergeRun } from './engine/merge-run.ts';
import type { Prepared, Recipe } from './engine/recipe.ts';
import type { RunContext, RunDeps } from './engine/run-context.ts';
import { registerFeed } from './engine/run-record.ts';
import { createStage, noteStaged, takeOverStage } from './engine/stage-schema.ts';
import { keepUnchanged, sourcesUnchanged, stagedFrom } from './engine/unchanged-source.ts';

export type RunOptions = {
  feed: Feed;
  jobId: string | null;
  requestedBy: string;
  force: boolean;
  sources: IngestPayload['sources'];
};

/**
 * One run of a feed: open -> parse -> map -> validate -> stage -> gate -> merge -> enqueue what follows.
 * Before the merge, which is one transaction with the run's end and its jobs, only the run's own staging
 * tables are touched: killed anywhere, it can be done again, and what was staged whole is not staged again.
 * @throws PlatError from the source, the feed's mapping or the database; the run is then `failed`
 */
export async function runFeed(deps: RunDeps, options: RunOptions): Promise<RunResult> {
  const { db } = deps;
  const feed = withSources(options.feed, options.sources);
  const { id: feedId, moved } = await registerFeed(db, feed);
  const readCheckpoint = async () => (await registerFeed(db, feed)).checkpoint;
  const { jobId, requestedBy, force } = options;
  const start = { feedId, baseDir: feed.baseDir, jobId, requestedBy, force, readCheckpoint };
  return runLocked(deps, start, async run => {
    await run.step('open', 'opening', 0);
    const recipe = await recipeOf(feed);
    const isSame = (await sourcesUnchanged(run, feed, recipe)) && !force;
    return mergeRun(run, isSame ? async () => keepUnchanged(run) : await prepare(run, feed, recipe), moved);
  });
}

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

/** Stages the inputs unless a dead attempt has. @returns the comparison with the current data */
async function prepare(run: RunContext, feed: Feed, recipe: Recipe): Promise<(tx: Db) => Promise<Prepared>> {
  const { db } = run;
  const from = await stagedFrom(run, feed, recipe);
  const madeOf = from && JSON.stringify([recipe.tables, recipe.version, from]);
  const before = await takeOverStage(db, run, madeOf);
  if (before !== undefined) {
    Object.assign(run.counts, before.counts);
    run.inputs.push(...before.inputs);
    return tx => recipe.compare(tx, run, feed, before.more);
  }
  await createStage(db, run, recipe.tables);
  await run.step('stage', 'reading', 0);
  const more = await recipe.stage(run, feed);
  if (madeOf !== null) await noteStaged(run, madeOf, more);
  return tx => recipe.compare(tx, run, feed, more);
}
