import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { AnyFeed } from '../../feeds/feed.ts';
import type { InputSpec } from '../../formats/format-input.ts';
import { sourceVersion } from '../../formats/read-format.ts';
import { localPath } from '../../formats/source.ts';
import { readContext } from './read-input.ts';
import type { Prepared, Recipe } from './recipe.ts';
import type { RunContext } from './run-context.ts';
import { total } from './run-counts.ts';

/**
 * Whether all sources of a feed are unchanged since the last accepted run, without reading them, and the feed
 * would map them the same. Their versions are stored with this run.
 * @throws PlatError of an unreachable source
 */
export async function sourcesUnchanged(run: RunContext, feed: AnyFeed, recipe: Recipe): Promise<boolean> {
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
 * Identifies what a run stages, without reading it, so that another attempt doesn't stage it again. Local
 * files are identified by size and modification time. null if a source has no version.
 */
export async function stagedFrom(
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

/** null for a folder, and for a bare .shp, whose table is another file. */
async function filesOf({ source }: InputSpec, baseDir: string): Promise<string | null> {
  const paths = [source].flat();
  if (paths.some(path => /^https?:|\.shp$/i.test(path))) return null;
  const files = await Promise.all(paths.map(path => stat(localPath(path, baseDir)).catch(() => null)));
  if (!files.every(file => file?.isFile())) return null;
  return JSON.stringify(files.map(file => [file!.size, file!.mtimeMs]));
}

/** A run that reads nothing has the counts of the last one, all unchanged. */
export function keepUnchanged(run: RunContext): Prepared {
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
