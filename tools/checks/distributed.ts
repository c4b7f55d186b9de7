import { parameterNames } from '../../shared/platform/named-parameters.ts';
import { DISTRIBUTION_COLUMNS } from '../../shared/platform/shards.ts';
import { faultsOfCitus } from './citus-refusals.ts';
import { type SourceFile, statementsOf } from './files.ts';

/** Statements that query every county on purpose: for operators, and to find waiting work in any county. */
const NATIONWIDE = new Set([
  'queue/get_overview',
  'feeds/find_attributes_mark',
  'land/get_dirty_state',
  'land/watch_chunks',
  'parcels/delete_old_given',
]);

/**
 * Rules for statements on distributed tables: they name the shard key, have no parameters when rows are
 * written from a query (parameters would not reach the other servers), don't look up rows one by one between
 * distributed and local tables, and write only what Citus accepts.
 */
export function checkDistributed(files: SourceFile[]): string[] {
  const schema = files.find(({ path }) => path === 'sql/schema.sql')?.text ?? '';
  const local = [...schema.matchAll(/^create (?:unlogged )?table (\w+)/gm)]
    .map(match => match[1]!)
    .filter(table => !(table in DISTRIBUTION_COLUMNS));
  return [...statementsOf(files)].flatMap(([name, body]) => {
    const text = body.replaceAll(/--[^\n]*/g, '');
    return [...faultsOf(text, name, local), ...faultsOfCitus(text)].map(
      fault => `the statement ${name} ${fault}`,
    );
  });
}

function faultsOf(text: string, name: string, local: readonly string[]): string[] {
  const distributed = tablesIn(text, Object.keys(DISTRIBUTION_COLUMNS));
  const faults: string[] = [];
  for (const table of distributed) {
    const key = DISTRIBUTION_COLUMNS[table as keyof typeof DISTRIBUTION_COLUMNS];
    if (!NATIONWIDE.has(name) && !new RegExp(`\\b${key}\\b`).test(text))
      faults.push(`reads or writes ${table} without its ${key}, which queries every server`);
  }
  const [target] = /insert into (\w+)/.exec(text)?.slice(1) ?? [];
  if (
    target !== undefined &&
    target in DISTRIBUTION_COLUMNS &&
    /\bselect\b/.test(text) &&
    parameterNames(text).length > 0
  )
    faults.push(`has parameters in an insert into ${target} from a query: write them as literals`);
  for (const inner of subqueries(text)) {
    const here = tablesIn(inner, local);
    const around = tablesIn(text.replace(inner, ''), local);
    const there = tablesIn(inner, distributed);
    const thereAround = tablesIn(text.replace(inner, ''), distributed);
    if (
      (here.length > 0 && thereAround.length > 0) ||
      (there.length > 0 && around.length > 0 && thereAround.length === 0)
    )
      faults.push('uses not exists between a distributed table and a local one: join a stage table');
  }
  return faults;
}

const tablesIn = (text: string, tables: readonly string[]) =>
  tables.filter(table => new RegExp(`\\b(?:from|join|into|update|using)\\s+${table}\\b`).test(text));

/** The contents of every `not exists (…)`. */
function subqueries(text: string): string[] {
  return [...text.matchAll(/\bnot exists \(/g)].map(({ index, 0: head }) => {
    const begin = index + head.length;
    let end = begin;
    for (let depth = 1; end < text.length && depth > 0; end++)
      depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
    return text.slice(begin, end - 1);
  });
}
