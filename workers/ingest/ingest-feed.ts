import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { IngestPayload } from '../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { AnyFeed } from '../feeds/feed.ts';
import type { InputSpec } from '../formats/format-input.ts';
import { sourceVersion } from '../formats/read-format.ts';
import { localPath } from '../formats/source.ts';
import { type Feed, recipeOf } from './all-kinds.ts';
import { type RunResult, runLocked } from './engine/locked-run.ts';
import { mergeRun } from './engine/merge-run.ts';
import { readContext } from './engine/read-input.ts';
import type { Prepared, Recipe } from './engine/recipe.ts';
import type { RunContext, RunDeps } from './engine/run-context.ts';
import { total } from './engine/run-counts.ts';
import { registerFeed } from './engine/run-record.ts';
import { createStage, noteStaged, takeOverStage } from './engine/stage-rows.ts';

export type RunOptions = {
  feed: Feed;
  jobId: string | null;
  requestedBy: string;
  force: boolean;
  sources: IngestPayload['sources'];
};

/**
 * One run of a feed: open, parse, map, validate, stage, gate, merge, then enqueue what follows. The merge,
 * the end of the run, and the next jobs are one transaction. Before it, only the run's own staging tables are
 * written, so a run can be killed anywhere and repeated. If staging was completed, it is reused.
 * @throws PlatError from the source, the feed's mapping, or the database. The run is then `failed`
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

/** The feed, with its sources replaced by those that an operator names. */
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

/**
 * Stages the inputs, unless an earlier attempt that died has already done so.
 * @returns the comparison with the current data
 */
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

/**
 * Whether the sources and the feed's settings are the same as in the last accepted run. Requests the sources'
 * versions without reading the sources.
 */
async function sourcesUnchanged(run: RunContext, feed: AnyFeed, recipe: Recipe): Promise<boolean> {
  const inputs = recipe.inputs?.(feed) ?? [];
  const roll = await recipe.dependsOn?.(run);
  const resolved = JSON.stringify({ ...feed, file: null, baseDir: null, roll });
  for (const [name, { input }] of inputs) {
    const version = await sourceVersion(input, readContext(run));
    if (version === null) return false;
    const digest = createHash('sha256')
      .update(JSON.stringify([input, version, resolved]))
      .digest('hex');
    run.states.set(name, { version, digest });
  }
  const before = run.last?.inputs ?? [];
  const isSame = inputs.every(
    ([name]) => before.find(({ input }) => input === name)?.digest === run.states.get(name)!.digest,
  );
  if (inputs.length === 0 || !isSame) return false;
  return recipe.isPresent === undefined || recipe.isPresent(run);
}

/**
 * Identifies what a run stages, without reading it, so that another attempt doesn't have to stage it again.
 * Local files are identified by size and modification time. Null if a source has no version.
 */
async function stagedFrom(
  { states, baseDir }: RunContext,
  feed: AnyFeed,
  recipe: Recipe,
): Promise<string | null> {
  const inputs = recipe.inputs?.(feed) ?? [];
  const digests = await Promise.all(
    inputs.map(async ([name, { input }]) => states.get(name)?.digest ?? (await filesOf(input, baseDir))),
  );
  return inputs.length === 0 || digests.includes(null) ? null : JSON.stringify([feed, digests]);
}

/**
 * The size and modification time of local files. Null for a folder, and for an unzipped .shp, because its
 * table is in another file.
 */
async function filesOf({ source }: InputSpec, baseDir: string): Promise<string | null> {
  const paths = [source].flat();
  if (paths.some(path => /^https?:|\.shp$/i.test(path))) return null;
  const files = await Promise.all(paths.map(path => stat(localPath(path, baseDir)).catch(() => null)));
  if (!files.every(file => file?.isFile())) return null;
  return JSON.stringify(files.map(file => [file!.size, file!.mtimeMs]));
}

/** A run that reads nothing gets the last run's counts, with everything unchanged. */
function keepUnchanged(run: RunContext): Prepared {
  const { counts } = run.last!;
  const { new: added, changed, returned, unchanged } = counts;
  Object.assign(run.counts, counts, {
    new: 0,
    changed: 0,
    returned: 0,
    retired: 0,
    unchanged: added + changed + returned + unchanged,
  });
  for (const { input, source, version, digest } of run.last!.inputs)
    run.inputs.push({ input, source, bytes: 0, version: version!, digest: digest! });
  return {
    gate: { blocked: [], figures: { read: total(counts.read), same_as_run: run.last!.id } },
    touched: false,
    merge: async () => {},
  };
}
