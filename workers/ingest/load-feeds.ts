import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { errorCode, PlatError } from '../../shared/platform/errors.ts';
import { feedError, type Issue, issuesOf, parseFeedText, withSuggestion } from '../feeds/locate-faults.ts';
import type { Feed } from './all-kinds.ts';
import { type FeedFile, feedSchema } from './feed-schema.ts';
import { resolveFeed, strayIssues } from './resolve-feed.ts';

/** @throws PlatError `feed_definition` with every fault, its line and its path; `feed_missing` */
export async function loadFeed(file: string): Promise<Feed> {
  const path = resolve(file);
  return parseFeed(await textOf(path, file), path);
}

/** Checks the text of a feed file. @param path of the file, from whose folder relative sources start */
export function parseFeed(text: string, path: string): Feed {
  const parsed = parseFeedText(text, path);
  const checked = feedSchema.safeParse(parsed.value);
  if (!checked.success) {
    const issues = issuesOf(checked.error, parsed.value).map(suggest);
    throw feedError(parsed, withStray(issues, parsed.value));
  }
  const feed = resolveFeed(checked.data, path);
  if (Array.isArray(feed)) throw feedError(parsed, feed);
  return feed;
}

/** What a section lacks is of no interest where the whole section belongs to another kind of feed. */
function withStray(issues: readonly Issue[], value: unknown): Issue[] {
  const file = feedSchema.pick({ kind: true }).loose().safeParse(value);
  if (!file.success) return [...issues];
  const stray = strayIssues(file.data as FeedFile);
  const within = ({ path }: Issue) =>
    stray.some(({ path: [section], path: { length } }) => length === 1 && section === path[0]);
  return [...issues.filter(issue => !within(issue)), ...stray];
}

export type FeedFault = { name?: string; error: PlatError };

export type FeedList = { feeds: Feed[]; faults: FeedFault[] };

/**
 * All feeds of some folders (*.yaml, *.yml, *.json), sorted by name, and the errors of the files that give
 * none. What a folder says of a name, that it is disabled included, replaces what later folders say of it.
 * @param only a name: files that do not mention it are not looked at, of which a nation's
 * counties have 15,000
 */
export async function listFeeds(dirs: readonly string[], only?: string): Promise<FeedList> {
  const feeds: Feed[] = [];
  const faults: FeedFault[] = [];
  const settled = new Set<string>();
  for (const dir of new Set(dirs)) {
    const files = (await readHeads(dir, only)).filter(({ name }) => name === undefined || !settled.has(name));
    const byName = new Map<string, Feed[]>();
    for (const { text, file, name, disabled } of files) {
      if (name !== undefined) settled.add(name);
      if (name !== undefined && disabled) continue;
      try {
        const feed = parseFeed(text, file);
        byName.set(feed.name, [...(byName.get(feed.name) ?? []), feed]);
      } catch (error) {
        if (!(error instanceof PlatError)) throw error;
        faults.push({ ...(name !== undefined && { name }), error });
      }
    }
    for (const [name, [feed, ...others]] of byName) {
      if (others.length === 0) feeds.push(feed!);
      else faults.push({ name, error: duplicate(name, [feed!, ...others]) });
    }
  }
  return { feeds: feeds.sort((a, b) => a.name.localeCompare(b.name)), faults };
}

type Head = { file: string; text: string; name?: string; disabled: boolean };

/** Files that are open at a time; systems allow a process some hundreds. */
const AT_ONCE = 64;

/** The feed files of a folder, each with the name that it gives whatever else is wrong with it. */
async function readHeads(dir: string, only: string | undefined): Promise<Head[]> {
  const files = await feedFiles(dir);
  const heads: Head[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE);
    const texts = await Promise.all(some.map(file => textOf(file, file)));
    for (const [i, text] of texts.entries())
      if (only === undefined || text.includes(only)) heads.push(headOf(some[i]!, text));
  }
  return heads;
}

function headOf(file: string, text: string): Head {
  const document = parseDocument(text);
  const value: unknown = document.errors.length > 0 ? null : document.toJS();
  const { name, disabled } = (value ?? {}) as { name?: unknown; disabled?: unknown };
  return { file, text, ...(typeof name === 'string' && { name }), disabled: disabled === true };
}

function duplicate(name: string, feeds: Feed[]): PlatError {
  const files = feeds.map(feed => feed.file).join(' and ');
  const message = `Several feeds are named ${name}: ${files}. Rename all but one of them.`;
  return new PlatError('feed_duplicate', message);
}

async function feedFiles(dir: string): Promise<string[]> {
  try {
    const names = await readdir(dir);
    return names
      .filter(name => /\.(ya?ml|json)$/i.test(name))
      .sort()
      .map(name => resolve(dir, name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function textOf(path: string, given: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const message = `Feed file ${given} cannot be read (${errorCode(error) ?? 'unknown error'}).`;
    throw new PlatError('feed_missing', message, { cause: error });
  }
}

function suggest(issue: Issue): Issue {
  if (!issue.message.startsWith('is no property')) return issue;
  return withSuggestion(issue, Object.keys(shapeAt(feedSchema, issue.path.slice(0, -1)) ?? {}));
}

type Shape = Record<PropertyKey, unknown>;

/** The properties of the section at a path, through lists and unions. */
function shapeAt(schema: unknown, path: readonly PropertyKey[]): Shape | null {
  const { shape, options, element, unwrap } = schema as Partial<{
    shape: Shape;
    options: unknown[];
    element: unknown;
    unwrap(): unknown;
  }>;
  if (shape) return path.length === 0 ? shape : shapeAt(shape[path[0]!] ?? {}, path.slice(1));
  if (element) return shapeAt(element, typeof path[0] === 'number' ? path.slice(1) : path);
  if (options) return options.map(option => shapeAt(option, path)).find(found => found !== null) ?? null;
  return unwrap ? shapeAt((schema as { unwrap(): unknown }).unwrap(), path) : null;
}
