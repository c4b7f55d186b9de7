import { basename } from 'node:path';
import { type SourceFile, statementsOf } from './files.ts';

/** The formatter's line width, which it does not apply to comments. */
const MAX_COLUMNS = 110;

const CODE = /\.(tsx?|mjs|sql)$/;
const COMMENT = /^\s*(\/\/|\/?\*|--)|[;,{}()[\]] +(\/\/|--) /;

function comments(files: SourceFile[]): { path: string; line: number; text: string }[] {
  return files
    .filter(({ path }) => CODE.test(path) && !/^sql\/(schema|migrations)/.test(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => (COMMENT.test(line) ? [{ path, line: i + 1, text: line }] : [])),
    );
}

export function checkCommentWidth(files: SourceFile[]): string[] {
  return comments(files)
    .filter(({ text }) => text.length > MAX_COLUMNS && !/https?:\/\/\S{60}/.test(text))
    .map(
      ({ path, line, text }) =>
        `${path}:${line} has a comment of ${text.length} columns, over the limit of ${MAX_COLUMNS}: break the line`,
    );
}

const isTest = (path: string): boolean => path.startsWith('test/');

/** Comments may name only files and statements that exist. In the program, they may not name test files. */
export function checkCommentNames(files: SourceFile[]): string[] {
  const all = new Set(files.map(({ path }) => basename(path)));
  const program = new Set(files.filter(({ path }) => !isTest(path)).map(({ path }) => basename(path)));
  const statements = statementsOf(files);
  const families = new Set([...statements.keys()].map(name => name.split('/')[0]!));
  return comments(files).flatMap(({ path, line, text: whole }) => {
    const text = whole.slice(whole.search(/\/\/|\*|--/));
    const names = isTest(path) ? all : program;
    const files = [...text.matchAll(/(?<![\w./-])(?:[\w-]+\/)*([\w-]+\.(?:tsx?|sql|mjs))\b/g)]
      .map(match => match[1]!)
      .filter(name => !names.has(name));
    const queries = [...text.matchAll(/(?<![\w./-])(\w+)\/[a-z]+_\w+/g)]
      .filter(([name, family]) => families.has(family!) && !statements.has(name))
      .map(([name]) => name);
    return [...files, ...queries].map(
      name => `${path}:${line} has a comment that names ${name}, which does not exist`,
    );
  });
}

/** Don't spread a literal just to put its items on one line: `...{ a, b }`, `...[a, b]`. */
export function checkSpreads(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => /\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/(?<!['"`.])\.\.\.(?=[{[])/g)]
        .filter(({ index }) => /^\s*[,)}\]]/.test(text.slice(endOfLiteral(text, index + 3))))
        .map(
          ({ index }) =>
            `${path}:${text.slice(0, index).split('\n').length} spreads a literal: list its items directly`,
        ),
    );
}

/** The end of the object or array that starts at `start`. */
function endOfLiteral(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if ('{['.includes(text[at]!)) depth++;
    else if (']}'.includes(text[at]!) && --depth === 0) return at + 1;
  }
  return text.length;
}
