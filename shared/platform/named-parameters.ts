import { LRUCache } from 'lru-cache';

/** Values by the names of their parameters. */
export type Values = Readonly<Record<string, unknown>>;

/** What pg's `query` takes. */
export type BoundStatement = { text: string; values: unknown[] };

type Numbered = { text: string; names: readonly string[] };

/**
 * What a colon is no parameter in (comments, strings, quoted names, casts), and parameters. A colon behind a
 * word or a bracket is of an array's slice.
 */
const TOKENS =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|::|(?<![\w\])]):([a-z_]\w*)/g;

/** Composed texts are without end: those of filters, and literals of counties. */
const numbered = new LRUCache<string, Numbered>({ max: 1_000 });

/** PostgreSQL's `$1`, `$2` … in place of `:names`, each name one number. */
function numberParameters(text: string): Numbered {
  const cached = numbered.get(text);
  if (cached !== undefined) return cached;
  const names: string[] = [];
  const replaced = text.replaceAll(TOKENS, (token, _tag: string | undefined, name?: string) => {
    if (name === undefined) return token;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const result = { text: replaced, names };
  numbered.set(text, result);
  return result;
}

export const parameterNames = (text: string): readonly string[] => numberParameters(text).names;

/** @throws Error when the text names a parameter that has no value, or the other way round */
export function bindValues(text: string, values: Values): BoundStatement {
  const { text: replaced, names } = numberParameters(text);
  if (names.length !== Object.keys(values).length || !names.every(name => name in values))
    throw new Error(fault(names, values, text));
  return { text: replaced, values: names.map(name => values[name]) };
}

/** The text with every parameter replaced by what `write` makes of its value. */
export const inlineParameters = (text: string, values: Values, write: (value: unknown) => string): string =>
  text.replaceAll(TOKENS, (token, _tag: string | undefined, name?: string) =>
    name === undefined ? token : write(values[name]),
  );

export type Bind = (value: unknown) => string;

/** Puts values among those of a statement, under names of their own, and gives the parameter: `:v1`. */
export const binder =
  (values: Record<string, unknown>): Bind =>
  value => {
    const name = `v${Object.keys(values).length + 1}`;
    values[name] = value;
    return `:${name}`;
  };

function fault(names: readonly string[], values: Values, text: string): string {
  const missing = names.filter(name => !(name in values));
  const surplus = Object.keys(values).filter(name => !names.includes(name));
  const parts = [
    ...(missing.length > 0 ? [`has no value for ${missing.join(', ')}`] : []),
    ...(surplus.length > 0 ? [`has no parameter ${surplus.join(', ')}`] : []),
  ];
  return `A statement ${parts.join(' and ')}: ${text.slice(0, 200)}`;
}
