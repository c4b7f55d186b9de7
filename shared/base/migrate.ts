import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { PlatError } from './errors.ts';
import { LOCKS } from './locks.ts';
import { rootDir } from './root.ts';

export const QUEUE_SCHEMA = 'bullmq';

/** The first and the last of the migrations of before the first release: 0001_schema.sql is all of them. */
const CHAIN_BEGAN = '0001_regions.sql';
const CHAIN_ENDED = '0044_drop_packed_stats.sql';
/** The last commit that had them. */
const CHAIN_COMMIT = '0700e75008';

type Migration = { version: number; name: string; text: string; checksum: string };

function readMigrations(dir = join(rootDir, 'sql', 'migrations')): Migration[] {
  return readdirSync(dir)
    .filter(file => file.endsWith('.sql'))
    .sort()
    .map((file, index) => {
      const version = Number(file.slice(0, 4));
      if (version !== index + 1)
        throw new PlatError('migration', `${file}: migrations are numbered from 0001 without gaps.`);
      const text = readFileSync(join(dir, file), 'utf8');
      return { version, name: file, text, checksum: createHash('sha256').update(text).digest('hex') };
    });
}

/**
 * Brings the database to the newest schema, each migration in a transaction of its own, and prepares the
 * queue's. Safe to run from several processes at once. @returns the names of the migrations that were
 * applied. @throws PlatError `migration`
 */
export async function migrate(databaseUrl: string, options: { queue: boolean }): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'plat migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrate]);
    const applied = await applyPending(client, readMigrations());
    if (options.queue) {
      // A tenth of a second to load, and every command checks the schema's version.
      const { runMigrations } = await import('bullmq');
      await runMigrations(client, QUEUE_SCHEMA);
    }
    return applied;
  } finally {
    await client.end();
  }
}

async function applyPending(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  await client.query(`
    create table if not exists schema_migrations (
      version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
    )`);
  await carryOver(client, migrations[0]!);
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  );
  for (const row of rows) {
    const file = migrations[row.version - 1];
    if (file === undefined) {
      throw new PlatError(
        'migration',
        `The database has migration ${row.name}, which this program does not know. Update the program.`,
      );
    }
    if (file.checksum !== row.checksum) {
      throw new PlatError(
        'migration',
        `${file.name} was changed after it had been applied. Put it back and add a new migration.`,
      );
    }
  }
  const pending = migrations.slice(rows.length);
  for (const migration of pending) {
    await client.query('begin');
    try {
      for (const statement of splitStatements(migration.text)) await client.query(statement);
      await record(client, migration);
      await client.query('commit');
    } catch (cause) {
      await client.query('rollback');
      throw new PlatError(
        'migration',
        `${migration.name} failed: ${cause instanceof Error ? cause.message : cause}`,
        { cause },
      );
    }
  }
  return pending.map(migration => migration.name);
}

/**
 * A database that has the whole old chain has the first migration's schema already: only its record changes.
 */
async function carryOver(client: pg.Client, first: Migration): Promise<void> {
  const { rows } = await client.query<{ first: string; last: string }>(
    `select (array_agg(name order by version))[1] as first, (array_agg(name order by version desc))[1] as last
     from schema_migrations`,
  );
  const [chain] = rows;
  if (chain?.first !== CHAIN_BEGAN) return;
  if (chain.last !== CHAIN_ENDED) {
    throw new PlatError(
      'migration',
      `The database stopped at ${chain.last}, before the migrations up to ${CHAIN_ENDED} became one. Run \`plat migrate\` of commit ${CHAIN_COMMIT} (git checkout ${CHAIN_COMMIT} && npm ci) first, then this program's.`,
    );
  }
  await client.query('begin');
  await client.query('delete from schema_migrations');
  await record(client, first);
  await client.query('commit');
}

async function record(client: pg.Client, { version, name, checksum }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    version,
    name,
    checksum,
  ]);
}

/**
 * One at a time, as distributed tables take them: cut at semicolons outside of comments, quotes
 * and dollar quotes.
 */
function splitStatements(text: string): string[] {
  const ends = [...text.matchAll(/--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;/g)]
    .filter(token => token[0] === ';')
    .map(token => token.index);
  return [...ends, text.length]
    .map((end, i) => text.slice(i === 0 ? 0 : ends[i - 1]! + 1, end).trim())
    .filter(statement => statement.replaceAll(/--[^\n]*/g, '').trim() !== '');
}

/**
 * The check at start: never migrates. @throws PlatError `schema_version` when the database is behind or ahead
 */
export async function assertSchemaVersion(db: { query: pg.Pool['query'] }): Promise<void> {
  const expected = readMigrations().length;
  const existing = await db.query<{ found: string | null }>(
    "select to_regclass('schema_migrations')::text as found",
  );
  const { rows } =
    existing.rows[0]?.found == null
      ? { rows: [] }
      : await db.query<{ version: number | null; old: boolean | null }>(
          'select max(version) as version, bool_or(name = $1) as old from schema_migrations',
          [CHAIN_BEGAN],
        );
  if (rows[0]?.old) {
    throw new PlatError(
      'schema_version',
      'The database has the migrations of before they became one. Run `plat migrate`.',
      { status: 503 },
    );
  }
  const actual = rows[0]?.version ?? 0;
  if (actual < expected) {
    throw new PlatError(
      'schema_version',
      `The database is at schema ${actual}, this program needs ${expected}. Run \`plat migrate\`.`,
      { status: 503 },
    );
  }
  if (actual > expected) {
    throw new PlatError(
      'schema_version',
      `The database is at schema ${actual}, newer than this program's ${expected}. Update the program.`,
      { status: 503 },
    );
  }
}
