import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type BoundStatement, bindValues, inlineParameters, type Values } from './named-parameters.ts';
import { rootDir } from './root.ts';

/** SQL for a statement's placeholders, such as `{{where}}`. */
export type Fragments = Readonly<Record<string, string>>;

const queriesDir = join(rootDir, 'sql', 'queries');

/** Read at startup, so that a running process never mixes its code with a newer release's statements. */
const statements = new Map<string, string>(
  readdirSync(queriesDir).flatMap(family =>
    readdirSync(join(queriesDir, family)).flatMap(file =>
      [...sqlBlocks(file, readFileSync(join(queriesDir, family, file), 'utf8'))].map(
        ([block, body]) => [`${family}/${block}`, body] as const,
      ),
    ),
  ),
);

/**
 * Returns the statement `family/verb_noun`: a block `-- name: verb_noun` in a file of `sql/queries/family/`,
 * or the file with that name.
 */
export function sql(name: string): string {
  const text = statements.get(name);
  if (text === undefined) throw new Error(`sql/queries has no statement ${name}`);
  return text;
}

/**
 * The statements in a file: its blocks, or the whole file if it has none. The first line of a block is `--
 * name: verb_noun`, followed by its comment.
 */
export function sqlBlocks(file: string, text: string): Map<string, string> {
  const [, ...parts] = text.split(/^-- name: (\w+)\n/m);
  if (parts.length === 0) return new Map([[file.replace('.sql', ''), text]]);
  return new Map(parts.flatMap((part, i) => (i % 2 === 0 ? [[part, parts[i + 1]!.trimEnd()] as const] : [])));
}

/**
 * Fills placeholders such as `{{where}}`, except in comments. Fragments are constants or come from `literal`.
 * Client input is always a parameter.
 */
export function compose(name: string, fragments: Fragments): string {
  return sql(name).replaceAll(/^--.*|\{\{(\w+)\}\}/gm, (text, part?: string) => {
    if (part === undefined) return text;
    const fragment = fragments[part];
    if (fragment === undefined)
      throw new Error(`${name} has the placeholder ${part}, but no fragment fills it`);
    return fragment;
  });
}

/**
 * A statement in sql/queries with the values for its parameters and the fragments for its placeholders.
 * @throws Error like bindValues
 */
export function statement(name: string, values: Values, fragments?: Fragments): BoundStatement {
  if (fragments === undefined) return bindValues(sql(name), values);
  const text = compose(name, fragments);
  // Skip parsing and caching, because text with its values inlined can be several megabytes.
  return Object.keys(values).length === 0 ? { text, values: [] } : bindValues(text, values);
}

/**
 * A value as SQL, for statements that can't have parameters (`copy (select …)`) or must not (`insert …
 * select` on distributed tables). An array becomes `'{…}'`, which the statement casts.
 * @throws RangeError for a number that is not finite
 */
export function literal(value: number | boolean | string | null | readonly (number | string)[]): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`${value} can't be written in SQL`);
    return value < 0 ? `(${value})` : String(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  // Takes 27 ms for 100,000 numbers. Converting them one by one takes 230 ms.
  if (value.every(Number.isFinite)) return `'{${value.join(',')}}'`;
  return literal(`{${value.map(one => `"${String(one).replace(/["\\]/g, '\\$&')}"`).join(',')}}`);
}

/** A fragment with its values inlined, for statements that can't have parameters. */
export const inlined = (fragment: string, values: Values): string =>
  inlineParameters(fragment, values, value => literal(value as Parameters<typeof literal>[0]));
