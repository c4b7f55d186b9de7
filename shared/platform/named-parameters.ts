import { LRUCache } from 'lru-cache';

/** Values by parameter name. */
export type Values = Readonly<Record<string, unknown>>;

/** The arguments of pg's `query`. */
export type BoundStatement = { text: string; values: unknown[] };

type Numbered = { text: string; names: readonly string[] };

/**
 * Matches parameters, and text in which a colon isn't a parameter (comments, strings, quoted names, casts). A
 * colon after a word or bracket belongs to an array slice.
 */
const TOKENS =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|::|(?<![\w\])]):([a-z_]\w*)/g;

/**
 * An LRU cache, because there is no limit to the number of composed texts, such as those for filters or with
 * inlined counties.
 */
const numbered = new LRUCache<string, Numbered>({ max: 1_000 });

/** Replaces `:names` with PostgreSQL's `$1`, `$2` …, one number per name. */
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

/** @throws Error if a parameter has no value, or a value has no parameter */
export function bindValues(text: string, values: Values): BoundStatement {
  const { text: replaced, names } = numberParameters(text);
  if (names.length !== Object.keys(values).length || !names.every(name => name in values))
    throw new Error(fault(names, values, text));
  return { text: replaced, values: names.map(name => values[name]) };
}

/** Replaces every parameter with the result of `write` for its value. */
export const inlineParameters = (text: string, values: Values, write: (value: unknown) => string): string =>
  text.replaceAll(TOKENS, (token, _tag: string | undefined, name?: string) =>
    name === undefined ? token : write(values[name]),
  );

export type Bind = (value: unknown) => string;

/** Adds a value to a statement under its own name, and returns the parameter: `:v1`. */
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
