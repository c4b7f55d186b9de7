import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Db } from '../../shared/platform/db.ts';
import { migrate } from '../../shared/platform/migrate.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { onServer, startTestServer, withDatabase } from '../../test/support/server.ts';
import { brunoFiles } from './bruno-files.ts';
import { clientTypes } from './client-types.ts';
import { withTables } from './doc-tables.ts';
import { readSources } from './files.ts';
import { houseDrawing } from './house-drawing.ts';
import { iconShapes } from './lucide-icons.ts';

export type GeneratedFile = { path: string; source: string; produce(): Promise<string> };

/** The docs that have generated tables, and their sources. */
const PAGES_WITH_TABLES = {
  'README.md': 'api/endpoints.ts',
  'docs/calls.md': 'api/endpoints.ts',
  'docs/definitions.md': 'shared/model/market-metrics.ts',
  'docs/feed-reference.md': 'shared/model/parcel-fields.ts',
  'docs/operating.md': 'shared/platform/declared-metrics.ts',
};

/** Files in the repository that are generated and never edited by hand. */
export const generatedFiles: GeneratedFile[] = [
  { path: 'sql/schema.sql', source: 'sql/migrations', produce: schemaSql },
  {
    path: 'openapi.json',
    source: 'api/openapi.ts',
    produce: async () =>
      `${JSON.stringify((await import('../../api/openapi.ts')).openApiDocument(), null, 2)}\n`,
  },
  { path: 'client/src/openapi.ts', source: 'api/openapi.ts', produce: async () => clientTypes() },
  ...[...brunoFiles()].map(([path, text]) => ({ path, source: 'api/openapi.ts', produce: async () => text })),
  {
    path: 'feed.schema.json',
    source: 'workers/ingest/feed-schema.ts',
    produce: async () => (await import('../../workers/ingest/feed-schema.ts')).feedJsonSchema(),
  },
  {
    path: 'docs/house.svg',
    source: "the program's imports",
    produce: async () => houseDrawing(readSources(rootDir)),
  },
  ...Object.entries(PAGES_WITH_TABLES).map(([path, source]) => ({
    path,
    source,
    produce: async () => withTables(readFileSync(join(rootDir, path), 'utf8')),
  })),
  {
    path: 'api/pages/frame/icon-shapes.json',
    source: 'tools/checks/lucide-icons.ts',
    produce: async () => iconShapes(),
  },
];

/** Compares every generated file with what its source produces. `write` updates the files instead. */
export async function checkGenerated(
  files: GeneratedFile[],
  write: boolean,
  root = rootDir,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, source, produce } of files) {
    const file = join(root, path);
    let wanted: string;
    try {
      wanted = await produce();
    } catch (error) {
      problems.push(
        `can't generate ${path} from ${source}: ${error instanceof Error ? error.message : error}`,
      );
      continue;
    }
    if (write) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, wanted);
    } else if (!existsSync(file)) {
      problems.push(`${path} is missing: run \`npm run generate\``);
    } else {
      const line = firstDifference(readFileSync(file, 'utf8').split('\n'), wanted.split('\n'));
      if (line !== undefined)
        problems.push(`${path} does not match ${source}, starting at line ${line}: run \`npm run generate\``);
    }
  }
  return problems;
}

function firstDifference(left: string[], right: string[]): number | undefined {
  const at = left.findIndex((line, i) => line !== right[i]);
  if (at >= 0) return at + 1;
  return right.length > left.length ? left.length + 1 : undefined;
}

/** Migrates an empty database on TEST_DATABASE_URL's server, or on a throwaway server, and dumps it. */
async function schemaSql(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? undefined : await startTestServer();
  const url = given ?? server!.url;
  const name = `plat_check_${process.pid}`;
  try {
    await onServer(url, client => client.query(`create database ${name}`));
    const database = withDatabase(url, name);
    await migrate(database);
    const dump = await onServer(database, client => dumpSchema(new Db(client)));
    await onServer(url, client => client.query(`drop database ${name}`));
    return dump;
  } finally {
    await server?.stop();
    if (server) rmSync(server.folder, { recursive: true, force: true });
  }
}

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
 * The schema `public` as SQL, ordered only by names, without partitions and the migrator's own table. (The
 * PostgreSQL from npm doesn't include pg_dump.)
 */
export async function dumpSchema(db: Db): Promise<string> {
  const tables = await db.run<Table>('platform/list_tables');
  const definitions = await db.run<Definition>('platform/list_definitions');
  const phase = (wanted: number) =>
    definitions.filter(row => row.phase === wanted).map(row => row.definition);
  const blocks = [...phase(1), ...tables.map(renderTable), phase(3).join('\n'), ...phase(4)];
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
