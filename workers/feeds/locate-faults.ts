import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { PlatError } from '../../shared/platform/errors.ts';
import { nearMatches } from '../../shared/platform/near-words.ts';

export type Issue = { path: readonly PropertyKey[]; message: string };

export type Report = (path: string, message: string) => void;

export type FeedText = { file: string; document: Document; lines: LineCounter; value: unknown };

/** Reads YAML, which includes JSON. @throws PlatError `feed_definition`, which names the file and line */
export function parseFeedText(text: string, file: string): FeedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line } = lines.linePos(error.pos[0]);
    throw new PlatError('feed_definition', `${file}:${line}: ${error.message}`);
  }
  return { file, document, lines, value: document.toJS() };
}

export function feedError(text: FeedText, issues: readonly Issue[]): PlatError {
  const details: Record<string, string[]> = {};
  const said = issues.map(issue => {
    const path = pathText(issue.path);
    details[path] = [...(details[path] ?? []), issue.message];
    return { line: lineOf(text, issue.path), text: `${path === '' ? '' : `${path}: `}${issue.message}` };
  });
  said.sort((a, b) => a.line - b.line);
  const message = said.map(({ line, text: what }) => `${text.file}:${line}: ${what}`).join('\n');
  return new PlatError('feed_definition', message, { details });
}

/**
 * Describes zod's issues in words: one per unknown property, and for a union, only those of the intended
 * branch.
 */
export function issuesOf(error: z.ZodError, value: unknown): Issue[] {
  return error.issues
    .flatMap(issue => flatten(issue, []))
    .map(issue => (isMissing(value, issue.path) ? { ...issue, message: 'is required' } : issue));
}

function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  let at: unknown = value;
  for (const part of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined;
  return path.length > 0 && at === undefined;
}

function flatten(issue: z.core.$ZodIssue, above: PropertyKey[]): Issue[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({ path: [...path, key], message: 'is not a property of this section' }));
  }
  if (issue.code === 'invalid_union') return flattenUnion(issue, path);
  if (issue.code === 'invalid_type') return [{ path, message: `must be ${named(issue.expected)}` }];
  return [{ path, message: lowerFirst(issue.message) }];
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a text',
  object: 'a section',
  array: 'a list',
  number: 'a number',
};
const named = (type: string): string => TYPE_NAMES[type] ?? type;

/** Ignores branches of the wrong type. Of the others, reports the one with the fewest faults. */
function flattenUnion(issue: z.core.$ZodIssueInvalidUnion, path: PropertyKey[]): Issue[] {
  const meant = issue.errors
    .filter(branch => !branch.some(inner => inner.code === 'invalid_type' && inner.path.length === 0))
    .sort((a, b) => a.length - b.length)[0];
  if (meant) return meant.flatMap(inner => flatten(inner, path));
  const expected = issue.errors
    .flat()
    .map(inner => (inner.code === 'invalid_type' ? named(inner.expected) : 'another value'));
  return [{ path, message: `must be ${[...new Set(expected)].join(' or ')}` }];
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

export function withSuggestion(issue: Issue, known: readonly string[]): Issue {
  const near = nearMatches(String(issue.path.at(-1)), known);
  return near.length === 0
    ? issue
    : { ...issue, message: `${issue.message}; did you mean ${near.join(' or ')}?` };
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

/** The line of the deepest part of the path that exists in the file. */
function lineOf({ document, lines }: FeedText, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let found: Node | null = isNode(node) ? node : null;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(item => isScalar(item.key) && String(item.key.value) === String(part));
      if (!pair) break;
      if (isNode(pair.key)) found = pair.key;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (isNode(node)) found = node;
    } else break;
  }
  const offset = found?.range?.[0];
  return offset === undefined ? 1 : lines.linePos(offset).line;
}
