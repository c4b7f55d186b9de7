import { DISTRIBUTION_COLUMNS } from '../../shared/platform/shards.ts';

const TABLE = `(${Object.keys(DISTRIBUTION_COLUMNS).join('|')})\\b`;
const keyOf = (table: string) => DISTRIBUTION_COLUMNS[table as keyof typeof DISTRIBUTION_COLUMNS];

/** Functions that an ON CONFLICT clause may call. All of these are immutable for any type. */
const IMMUTABLE = new Set('coalesce greatest least nullif abs round floor length make_interval'.split(' '));
/** Words before a parenthesis that are not calls. */
const SYNTAX = new Set('set where and or not in any all when then else from row between is'.split(' '));
const CLOCK = /\b(current_date|current_time|current_timestamp|localtime|localtimestamp)\b/;
/** Casts whose result depends on the session's settings. Casts of a literal are constants. */
const UNSTABLE_CAST = /(?<!')::(timestamptz|timestamp|date|timetz|time|regclass)\b|_at::text\b/;
/** Subtracting an interval is immutable for a timestamp, but not for a timestamptz. */
const ZONED_INTERVAL =
  /(?<!at time zone '[^']*'\)\s*)[+-]\s*(?:interval\b|make_interval\b|'[^']*'::interval\b)/;
const VOLATILE = /\b(clock_timestamp|gen_random_uuid|nextval|random|setval|timeofday)\s*\(/;

/** Clauses that work within one shard, but not across several. */
const ONE_SHARD: readonly [RegExp, string][] = [
  [/\bfor (?:no key )?update\b|\bfor (?:key )?share\b/g, 'locks rows'],
  [/\b(?:grouping sets|cube|rollup)\s*\(/g, 'groups by sets'],
];

/**
 * What Citus refuses in a statement on distributed tables, as observed with version 13.2. It requires
 * functions that return the same result on every server, and a row's shard column. Some clauses work only
 * within one shard.
 * @param text a statement without comments
 */
export function faultsOfCitus(text: string): string[] {
  const merges = [...text.matchAll(new RegExp(`\\bmerge into ${TABLE}`, 'g'))].map(
    ({ 1: table }) => `merges into ${table}: use insert … on conflict`,
  );
  const recursive = /\bwith recursive\b/.test(text)
    ? manyShards(text).map(
        table => `reads several shards of ${table} in a recursion: name one ${keyOf(table)}`,
      )
    : [];
  return [
    ...faultsOfInserts(text),
    ...faultsOfChanges(text),
    ...merges,
    ...recursive,
    ...faultsOfReads(text),
  ];
}

function faultsOfInserts(text: string): string[] {
  const INSERT = new RegExp(`\\binsert into ${TABLE}(?:\\s+as\\s+\\w+)?\\s*\\(([^)]*)\\)`, 'g');
  return [...text.matchAll(INSERT)].flatMap(({ 0: head, 1: table, 2: columns, index }) => {
    const key = keyOf(table!);
    const rest = endOfLevel(text, index + head.length);
    const faults = names(columns!, key) ? [] : [`inserts into ${table} without its ${key}`];
    const [, target, update] = /\bon conflict\s*\(([^)]*)\)\s*do update([\s\S]*)/.exec(rest) ?? [];
    if (update === undefined) return faults;
    const clause = update.replace(/\breturning\b[\s\S]*/, '');
    if (!names(target!, key)) faults.push(`has an ON CONFLICT of ${table} without its ${key}`);
    if (assigns(clause, key)) faults.push(`changes the ${key} of ${table}: delete the row and insert it`);
    const stable = unstablePart(clause);
    if (stable !== undefined)
      faults.push(
        `has ${stable} in the ON CONFLICT of ${table}, which allows only immutable expressions: ` +
          'compute it in the inserted rows, and use excluded.x',
      );
    return faults;
  });
}

/** Parts of an expression that may differ on another server or in another session. */
function unstablePart(clause: string): string | undefined {
  const called = [...clause.matchAll(/(?<![{\w.])(\w+)\s*\(/g)]
    .map(match => match[1]!)
    .find(word => !IMMUTABLE.has(word) && !SYNTAX.has(word));
  if (called !== undefined) return `${called}()`;
  return [/\bselect\b/, CLOCK, UNSTABLE_CAST, ZONED_INTERVAL]
    .map(part => part.exec(clause)?.[0])
    .find(Boolean);
}

function faultsOfChanges(text: string): string[] {
  const CHANGE = new RegExp(`\\b(?:update|delete from) ${TABLE}`, 'g');
  const moved = [...text.matchAll(new RegExp(`\\bupdate ${TABLE}(?:\\s+(?:as\\s+)?\\w+)?\\s+set\\b`, 'g'))]
    .filter(({ 0: head, 1: table, index }) => assigns(endOfLevel(text, index + head.length), keyOf(table!)))
    .map(({ 1: table }) => `changes the ${keyOf(table!)} of ${table}: delete the row and insert it`);
  const random = [...text.matchAll(CHANGE)].flatMap(({ 1: table, index }) => {
    const called = VOLATILE.exec(endOfLevel(text, index))?.[1];
    return called === undefined ? [] : [`calls ${called}(), which is volatile, in a change of ${table}`];
  });
  return [...moved, ...random];
}

function faultsOfReads(text: string): string[] {
  return ONE_SHARD.flatMap(([pattern, what]) =>
    [...text.matchAll(pattern)].flatMap(({ index }) => {
      const level = text.slice(startOfLevel(text, index), index);
      return manyShards(level).map(
        table => `${what} of ${table} in several shards: name one ${keyOf(table)}`,
      );
    }),
  );
}

/** The distributed tables that SQL text reads without a fixed value for their shard key. */
const manyShards = (text: string) =>
  [...text.matchAll(new RegExp(`\\b(?:from|join)\\s+${TABLE}`, 'g'))]
    .map(match => match[1]!)
    .filter(table => !new RegExp(`\\b${keyOf(table)}\\s*=\\s*(?:[:{\\d]|\\$\\d)`).test(text));

/** @param text what follows `set` */
function assigns(text: string, column: string): boolean {
  const assignments = text.replace(/\b(?:from|where|returning)\b[\s\S]*/, '');
  return new RegExp(`(?:^|,|\\bset)\\s*${column}\\s*=`).test(assignments);
}

const names = (list: string, column: string) => new RegExp(`\\b${column}\\b`).test(list);

/** The text after a position, up to the end of the statement or of the enclosing parentheses. */
function endOfLevel(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '(') depth++;
    else if (char === ')') depth--;
    if (depth < 0 || (depth === 0 && char === ';')) return text.slice(from, at);
  }
  return text.slice(from);
}

/** The start of the statement or of the parentheses around a position. */
function startOfLevel(text: string, from: number): number {
  let depth = 0;
  for (let at = from - 1; at >= 0; at--) {
    const char = text[at];
    if (char === ')') depth++;
    else if (char === '(') depth--;
    if (depth < 0 || (depth === 0 && char === ';')) return at + 1;
  }
  return 0;
}
