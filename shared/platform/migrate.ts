import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, withConnection } from './db.ts';
import { errorCode, messageOf, PlatError } from './errors.ts';
import { LOCKS } from './locks.ts';
import { rootDir } from './root.ts';
import { SQLSTATE } from './sqlstates.ts';

export const QUEUE_SCHEMA = 'bullmq';

/**
 * The first and last of the migrations from before the first release. 0001_schema.sql replaced all of them.
 */
const FIRST_OLD_MIGRATION = '0001_regions.sql';
const CHAIN_ENDED = '0044_drop_packed_stats.sql';
/** The last commit with these migrations. */
const CHAIN_COMMIT = '0700e75008';

/** Migrations up to this number don't state their kind in the first line. */
export const LAST_WITHOUT_KIND = 24;

/**
 * How long a migration attempt waits for locks. Calls that need the same tables wait behind it. Shorter than
 * deadlock_timeout (1 s), so that in a deadlock the migration gives up before PostgreSQL cancels the call.
 */
const LOCK_TIMEOUT_MS = 500;
/** Minimum lock timeout for later statements in a long attempt. */
const LEAST_LOCK_TIMEOUT_MS = 20;
const LOCK_PAUSE_MS = 3_000;
const LOCK_ATTEMPTS = 100;

/**
 * Whether the previous release still works after a migration (`expanding`) or not (`breaking`). Expanding
 * migrations are recorded in a separate table, because every release, including the first, stops if it finds
 * a newer number in `schema_migrations`.
 */
export type MigrationKind = 'expanding' | 'breaking';
const RECORDS = { breaking: 'schema_migrations', expanding: 'schema_expansions' } as const;

type Applied = { version: number; name: string; checksum: string; kind: MigrationKind };
type Migration = Applied & { text: string };

/** The kind stated in a migration's first line, or undefined if there is none. */
export function kindOf(text: string): MigrationKind | undefined {
  return /^-- (expanding|breaking): \S/.exec(text)?.[1] as MigrationKind | undefined;
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.sql'))
    .sort()
    .map((name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1)
        throw new PlatError('migration', `${name}: migrations must be numbered from 0001 without gaps.`);
      const text = readFileSync(join(folder, name), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      const kind = (version > LAST_WITHOUT_KIND && kindOf(text)) || 'breaking';
      return { version, name, text, checksum, kind };
    });
}

/** Read only once, so that a running process keeps its own migrations even if its folder is replaced. */
let ownMigrations: Migration[] | undefined;
function knownMigrations(folder?: string): Migration[] {
  if (folder !== undefined) return readMigrations(folder);
  ownMigrations ??= readMigrations(join(rootDir, 'sql', 'migrations'));
  return ownMigrations;
}

/** The number of the newest migration that this release knows about. */
export const newestMigration = (): string => String(knownMigrations().length).padStart(4, '0');

type MigrateOptions = {
  folder?: string;
  /** Called when a migration has to wait for a table that is in use. */
  say?: (text: string) => void;
};

/**
 * Migrates the database to the newest schema, each migration in its own transaction, and prepares the queue's
 * schema. Several processes can run it at once.
 * @throws PlatError `migration`
 */
export function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  return withConnection(databaseUrl, 'plat migrate', async (db, client) => {
    await db.run('platform/wait_for_lock', { lock: LOCKS.migrate });
    const applied = await applyPending(db, knownMigrations(options.folder), options.say);
    // Loaded here because loading it takes a tenth of a second, and every command imports this file to check
    // the schema version.
    const { runMigrations } = await import('bullmq');
    await runMigrations(client, QUEUE_SCHEMA);
    return applied;
  });
}

/** What `migrate` would apply. @throws PlatError `migration` */
export function listPending(
  databaseUrl: string,
  folder?: string,
): Promise<{ name: string; kind: MigrationKind }[]> {
  return withConnection(databaseUrl, 'plat migrate', async db => {
    const [applied, known] = [await listApplied(db), knownMigrations(folder)];
    refuseOthers(applied, known, 'migration');
    return missingOf(applied, known).map(({ name, kind }) => ({ name, kind }));
  });
}

async function applyPending(db: Db, known: Migration[], say: MigrateOptions['say']): Promise<string[]> {
  for (const table of Object.values(RECORDS)) await db.run('platform/create_records', {}, { records: table });
  await carryOver(db, known[0]!);
  const applied = await listApplied(db);
  refuseOthers(applied, known, 'migration');
  for (const { version, name, checksum } of applied) {
    const file = known[version - 1];
    if (file !== undefined && file.checksum !== checksum)
      throw new PlatError(
        'migration',
        `${file.name} is not the file that this database was migrated with (${name}). Restore the original file, and put your change in a new migration.`,
      );
  }
  const pending = missingOf(applied, known);
  for (const migration of pending) await applyOne(db, migration, say);
  return pending.map(({ name }) => name);
}

async function applyOne(db: Db, migration: Migration, say: MigrateOptions['say']): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(tx => apply(tx, migration), { retries: false });
    } catch (cause) {
      const isLocked = errorCode(cause) === SQLSTATE.lockNotAvailable;
      if (!isLocked || attempt === LOCK_ATTEMPTS) {
        const remedy = isLocked
          ? '. A job or a long query is using its tables. Stop the workers and try again.'
          : '';
        throw new PlatError('migration', `${migration.name} failed: ${messageOf(cause)}${remedy}`, {
          cause,
        });
      }
      if (attempt === 1)
        say?.(`${migration.name} is waiting for a job or a long query to release its tables.`);
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

async function apply(tx: Db, migration: Migration): Promise<void> {
  const since = performance.now();
  for (const text of splitStatements(migration.text)) {
    const left = Math.round(LOCK_TIMEOUT_MS - (performance.now() - since));
    await tx.execute(`set local lock_timeout = ${Math.max(LEAST_LOCK_TIMEOUT_MS, left)}`);
    await tx.execute(text);
  }
  await record(tx, migration);
}

/**
 * A database that has all of the old migrations already has the schema in 0001_schema.sql. Only the migration
 * records change.
 */
async function carryOver(db: Db, first: Migration): Promise<void> {
  const [chain] = await db.run<{ first: string; last: string }>('platform/find_chain');
  if (chain?.first !== FIRST_OLD_MIGRATION) return;
  if (chain.last !== CHAIN_ENDED) {
    throw new PlatError(
      'migration',
      `The database is older than Plat's first public release: it stopped at migration ${chain.last}. Back it up. Then, in a separate clone of Plat, run \`git checkout ${CHAIN_COMMIT} && npm ci && npx plat migrate\` with the same DATABASE_URL. After that, run this release's \`plat migrate\` again.`,
    );
  }
  await db.transaction(async tx => {
    await tx.run('platform/clear_records');
    await record(tx, first);
  });
}

async function record(db: Db, { version, name, checksum, kind }: Migration): Promise<void> {
  await db.run('platform/record_migration', { version, name, checksum }, { records: RECORDS[kind] });
}

async function listApplied(db: Db): Promise<Applied[]> {
  const [existing] = await db.run<Record<MigrationKind, boolean>>('platform/find_records');
  const kinds = Object.keys(RECORDS) as MigrationKind[];
  const parts = kinds
    .filter(kind => existing![kind])
    .map(kind => `select version, name, checksum, '${kind}' as kind from ${RECORDS[kind]}`);
  if (parts.length === 0) return [];
  return db.run<Applied>('platform/list_applied', {}, { applied: parts.join(' union all ') });
}

function missingOf(applied: Applied[], known: Migration[]): Migration[] {
  const versions = new Set(applied.map(({ version }) => version));
  return known.filter(({ version }) => !versions.has(version));
}

/**
 * Refuses a schema that this release can't work with, even after migrating.
 * @returns the names of newer migrations that this release can work with
 */
function refuseOthers(
  applied: Applied[],
  known: Migration[],
  code: 'migration' | 'schema_version',
): string[] {
  if (applied.some(({ name }) => name === FIRST_OLD_MIGRATION))
    throw new PlatError(
      code,
      "The database is older than Plat's first public release. Back it up, then run `plat migrate`.",
      { status: 503 },
    );
  const newer = applied.filter(({ version }) => version > known.length);
  const breaking = newer.filter(({ kind }) => kind === 'breaking').map(({ name }) => name);
  if (breaking.length > 0)
    throw new PlatError(
      code,
      `A newer release of Plat upgraded this database, and this release cannot work with its changes (${breaking.join(', ')}). Run the newer release. To return to this one, restore the backup from before the upgrade.`,
      { status: 503 },
    );
  return newer.map(({ name }) => name);
}

/** Counts the migrations that only this release has, and those that only the database has, for /metrics. */
export async function countUnshared(db: Db): Promise<Record<'missing' | `newer_${MigrationKind}`, number>> {
  const known = knownMigrations();
  const applied = await listApplied(db);
  const newer = (wanted: MigrationKind) =>
    applied.filter(({ version, kind }) => version > known.length && kind === wanted).length;
  return {
    missing: missingOf(applied, known).length,
    newer_expanding: newer('expanding'),
    newer_breaking: newer('breaking'),
  };
}

/**
 * Splits SQL into statements at semicolons outside of comments, quotes, and dollar quotes, because
 * distributed tables require sending one statement at a time.
 */
function splitStatements(text: string): string[] {
  const ends = [...text.matchAll(/--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;/g)]
    .filter(token => token[0] === ';')
    .map(token => token.index);
  return [...ends, text.length]
    .map((end, i) => text.slice(i === 0 ? 0 : ends[i - 1]! + 1, end).trim())
    .filter(statement => statement.replaceAll(/--[^\n]*/g, '').trim() !== '');
}

/** Checks the schema version at startup and for /readyz. Never migrates. */
export async function assertSchemaVersion(db: Db, folder?: string): Promise<string[]> {
  const known = knownMigrations(folder);
  const applied = await listApplied(db);
  const newer = refuseOthers(applied, known, 'schema_version');
  const missing = missingOf(applied, known);
  if (missing.length > 0)
    throw new PlatError(
      'schema_version',
      `The database lacks ${missing.length} of this release's migrations, starting with ${missing[0]!.name}. Run \`plat migrate\` of this release, then start it again.`,
      { status: 503 },
    );
  return newer;
}
