import { readdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { isLayer } from '../../shared/model/feed-kinds.ts';
import { errorCode, PlatError } from '../../shared/platform/errors.ts';
import { isFormerCounty } from '../../shared/regions/connecticut.ts';
import type { FeedBase } from '../feeds/feed.ts';
import { columnProblem, fieldTarget } from '../feeds/feed-columns.ts';
import { COMMON_GATES, GATE_DEFAULTS, type GateName, type Gates } from '../feeds/gates-schema.ts';
import {
  feedError,
  type Issue,
  issuesOf,
  parseFeedText,
  type Report,
  withSuggestion,
} from '../feeds/locate-faults.ts';
import { readPreset } from '../feeds/presets.ts';
import { isKnownCounty, noSuchCounty } from '../feeds/values/place-value.ts';
import { ALL_KINDS, type Feed, kindOf, VECTOR_LAYERS } from './all-kinds.ts';
import type { FeedKind } from './engine/feed-kind.ts';
import { type FeedFile, feedSchema } from './feed-schema.ts';

/** @throws PlatError `feed_definition` with every fault, its line, and its path; `feed_missing` */
export async function loadFeed(file: string): Promise<Feed> {
  const path = resolve(file);
  return parseFeed(await textOf(path, file), path);
}

/**
 * Checks the text of a feed file.
 * @param path the file's path. Relative sources are resolved against its folder
 */
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

/** Skip missing properties if the whole section belongs to another kind of feed. */
function withStray(issues: readonly Issue[], value: unknown): Issue[] {
  const file = feedSchema.pick({ kind: true }).loose().safeParse(value);
  if (!file.success) return [...issues];
  const stray = strayIssues(file.data as FeedFile);
  const within = ({ path }: Issue) =>
    stray.some(({ path: [section], path: { length } }) => length === 1 && section === path[0]);
  return [...issues.filter(issue => !within(issue)), ...stray];
}

type FeedFault = { name?: string; error: PlatError };

export type FeedList = { feeds: Feed[]; faults: FeedFault[] };

/**
 * All feeds in the given folders (*.yaml, *.yml, *.json), sorted by name, and the errors in invalid files. A
 * feed in one folder replaces the feed with the same name in later folders, even if it is disabled.
 * @param only a name. Files that don't mention it are skipped, because a nationwide installation has 15,000
 * files
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

/** Number of files open at a time. Operating systems limit a process to a few hundred. */
const AT_ONCE = 64;

/** The feed files in a folder, each with its feed's name, even if the file has other errors. */
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
    const message = `Can't read feed file ${given} (${errorCode(error) ?? 'unknown error'}).`;
    throw new PlatError('feed_missing', message, { cause: error });
  }
}

function suggest(issue: Issue): Issue {
  if (!issue.message.startsWith('is not a property')) return issue;
  return withSuggestion(issue, Object.keys(shapeAt(feedSchema, issue.path.slice(0, -1)) ?? {}));
}

type Shape = Record<PropertyKey, unknown>;

/** The properties of the section at a path. Searches lists and unions too. */
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

/**
 * Merges the preset, fills in defaults, and checks that the parts are consistent.
 * @returns the feed, or faults
 */
function resolveFeed(file: FeedFile, path: string): Feed | Issue[] {
  const kind = kindOf(file.kind);
  const preset = file.preset === undefined ? null : readPreset(file.preset);
  const issues: Issue[] = [];
  const report: Report = (at, message) => {
    issues.push({ path: at.split('.').map(part => (/^\d+$/.test(part) ? Number(part) : part)), message });
  };
  if (preset && preset.kind !== file.kind) {
    report('preset', `${file.preset} is a preset for kind ${preset.kind}`);
    return issues;
  }
  issues.push(...strayIssues(file));
  const base = baseOf(file, path, kind);
  const { fips } = base;
  if (fips !== null && !isKnownCounty(fips) && !(kind.allowsFormerCounties && isFormerCounty(fips)))
    report('fips', noSuchCounty(fips));
  const { section, holds } = kind.needs;
  if (file[section] === undefined) report('kind', `${file.kind} needs a section ${section}: ${holds}`);
  else {
    if (section === 'layer') reportSettings(file, report);
    const feed = kind.resolve(file, base, report, preset) as Feed | null;
    if (feed !== null) checkColumns(kind, feed, report);
    if (feed !== null && issues.length === 0) return feed;
  }
  return issues;
}

/** Reports settings that belong to another kind of layer. */
function reportSettings({ kind, layer }: FeedFile, report: Report): void {
  for (const { kind: owner, settings } of VECTOR_LAYERS)
    for (const name of Object.keys(settings?.schema ?? {}))
      if (owner !== kind && (layer as Record<string, unknown> | undefined)?.[name])
        report(`layer.${name}`, `belongs to kind ${owner}`);
}

function baseOf(file: FeedFile, path: string, { gateDefaults }: FeedKind): FeedBase {
  const { schedule } = file;
  return {
    name: file.name,
    title: file.title ?? null,
    attribution: file.attribution ?? null,
    licence: file.licence ?? null,
    fips: file.fips === undefined ? null : Number(file.fips),
    asOf: file.as_of ?? null,
    schedule: schedule ? { cron: schedule.cron, timezone: schedule.timezone ?? 'UTC' } : null,
    preset: file.preset ?? null,
    gates: { ...GATE_DEFAULTS, ...file.gates, ...gateDefaults } as Gates,
    file: path,
    baseDir: dirname(path),
    definition: file,
  };
}

function checkColumns({ rows }: FeedKind, feed: Feed, report: Report): void {
  if (rows === undefined) return;
  for (const [section, input] of Object.entries(rows.sections(feed))) {
    for (const [name, spec] of Object.entries(input?.columns ?? {})) {
      const problem = spec ? columnProblem(fieldTarget(rows.fields, name), spec) : null;
      if (problem !== null) report(`${section}.columns.${name}`, problem);
    }
  }
}

const sectionsOf = ({ sections, sharedSections }: FeedKind): string[] =>
  Object.keys({ ...sections, ...sharedSections });

/** Reports sections and gates that belong to another kind, because this kind would ignore them. */
function strayIssues(file: FeedFile): Issue[] {
  const { needs, gates: own } = kindOf(file.kind);
  const declared = new Set(ALL_KINDS.flatMap(kind => Object.keys(kind.sections)));
  const sections = [...declared].flatMap((section): Issue[] => {
    const kinds = ALL_KINDS.filter(kind => sectionsOf(kind).includes(section));
    const names = kinds.map(({ kind }) => kind);
    if (file[section] === undefined || names.includes(file.kind)) return [];
    const belongs = `belongs to kind ${names.join(', ').replace(/, (\w+)$/, ' or $1')}`;
    // The sections of land layers are easy to confuse, so suggest the right one.
    const isMistaken =
      isLayer(file.kind) && kinds.some(kind => isLayer(kind.kind) && kind.needs.section === section);
    const remedy = `; a feed of kind ${file.kind} needs a section ${needs.section}`;
    return [{ path: [section], message: isMistaken ? belongs + remedy : belongs }];
  });
  const known = [...COMMON_GATES, ...own];
  const strays = Object.keys(file.gates ?? {}).filter(gate => !known.includes(gate as GateName));
  return [
    ...sections,
    ...strays.map(gate => ({ path: ['gates', gate], message: `does not apply to kind ${file.kind}` })),
  ];
}
