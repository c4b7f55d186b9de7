import { type Queryable, sql } from './db.ts';

type Column = {
  name: string;
  type: string;
  collation: string | null;
  default: string | null;
  generated: '' | 's' | 'v';
  identity: '' | 'a' | 'd';
  notNull: boolean;
  storage: string | null;
};

type Table = {
  name: string;
  unlogged: boolean;
  partition_key: string | null;
  options: string[] | null;
  columns: Column[] | null;
  constraints: { name: string; definition: string }[];
};

type Definition = { phase: 1 | 3 | 4; definition: string };

const HEAD =
  '-- The schema after all migrations. Written by `npm run generate`; `npm run check` compares it.\n';

/**
 * The schema `public` as SQL that makes the same schema in an empty database, in an order that depends on names
 * alone: two databases with equal schemas give equal texts. Partitions are made at run time and left out; so is
 * the migrator's own table. (There is no pg_dump beside the PostgreSQL that npm installs.)
 */
export async function dumpSchema(db: Queryable): Promise<string> {
  const tables = await db.query<Table>(sql('schema/list_tables'));
  const definitions = await db.query<Definition>(sql('schema/list_definitions'));
  const phase = (wanted: number) =>
    definitions.rows.filter(row => row.phase === wanted).map(row => row.definition);
  const blocks = [...phase(1), ...tables.rows.map(renderTable), phase(3).join('\n'), ...phase(4)];
  return `${[HEAD.trimEnd(), ...blocks].filter(block => block !== '').join('\n\n')}\n`;
}

function renderTable(table: Table): string {
  const columns = table.columns ?? [];
  const lines = [
    ...columns.map(renderColumn),
    ...table.constraints.map(({ name, definition }) => `constraint ${name} ${definition}`),
  ];
  const options = table.options === null ? '' : ` with (${table.options.join(', ')})`;
  const partition = table.partition_key === null ? '' : ` partition by ${table.partition_key}`;
  const create = `create ${table.unlogged ? 'unlogged ' : ''}table ${table.name} (\n  ${lines.join(',\n  ')}\n)${partition}${options};`;
  const storage = columns
    .filter(column => column.storage !== null)
    .map(column => `alter table ${table.name} alter column ${column.name} set storage ${column.storage};`);
  return [create, ...storage].join('\n');
}

function renderColumn(column: Column): string {
  const parts = [column.name, column.type];
  if (column.collation !== null) parts.push(`collate ${column.collation}`);
  if (column.generated !== '') {
    parts.push(`generated always as (${column.default}) ${column.generated === 's' ? 'stored' : 'virtual'}`);
  } else if (column.identity !== '') {
    parts.push(`generated ${column.identity === 'a' ? 'always' : 'by default'} as identity`);
  } else if (column.default !== null) {
    parts.push(`default ${column.default}`);
  }
  if (column.notNull && column.identity === '') parts.push('not null');
  return parts.join(' ');
}
