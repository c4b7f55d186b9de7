import { basename } from 'node:path';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { type Config, loadConfig } from '../../shared/platform/config.ts';
import { dropEverywhere, spreadOver } from './cluster.ts';
import { testFolder } from './folder.ts';
import { onServer, withDatabase } from './server.ts';
import { openTestDb, type TestDb } from './test-db.ts';

export type TestDatabase = {
  name: string;
  url: string;
  pool: TestDb;
  config: Config;
  /** Is removed at the end of the test file. */
  folder: string;
};

let count = 0;

/**
 * Creating a database this way takes 54 ms of processor time, compared with 107 ms through the WAL, which
 * nobody reads here. Dropping one takes 10 ms, compared with 26 ms.
 */
const BY_FILES = 'strategy file_copy';

/**
 * Creates a migrated database for the test file (schema and queue schema, no rows), and drops it when the
 * file is done. With `regions` it contains what `plat migrate` loads: every county and ZIP, and their empty
 * statistics. With `sample` it also contains what a first start loads of Washington, New Hampshire: parcels,
 * sales, listings, roads, statistics, attributes, valuations.
 * On a Citus cluster (TEST_CITUS_URL) its tables are distributed, unless `plain` is set.
 * Call it where hooks may be registered: at the top of the file (`const db = await
 * createTestDatabase()`) or in a describe block. The databases of a failed file are kept; their names are
 * printed at the end of the run.
 * @param env settings besides DATABASE_URL. Nothing is read from the real environment.
 */
export async function createTestDatabase(
  env: Record<string, string> = {},
  {
    regions = false,
    sample = false,
    plain = false,
  }: { regions?: boolean; sample?: boolean; plain?: boolean } = {},
): Promise<TestDatabase> {
  const { url: server, template: bare, prefix, cluster } = inject('testServer');
  const distributed = cluster && !plain;
  const template = sample
    ? await templateWithSample(server, bare)
    : regions
      ? await templateWithRegions(server, bare)
      : bare;
  const file = basename(expect.getState().testPath ?? 'file', '.test.ts')
    .replaceAll(/[^a-z0-9]+/gi, '_')
    .toLowerCase();
  const name = `${prefix}${file.slice(0, 30)}_${process.pid}_${++count}`;
  await onServer(server, client => client.query(`create database ${name} template ${template} ${BY_FILES}`));
  if (distributed) await spreadOver(server, name);

  const url = withDatabase(server, name);
  const config = loadConfig({ LOG_LEVEL: 'silent', ...env, DATABASE_URL: url });
  const pool = openTestDb(config);

  let ran: TaskLike | undefined;
  afterEach(({ task }) => {
    ran = task.file;
  });
  afterAll(async () => {
    await pool.end();
    // No test ran, because a hook failed first.
    if (ran === undefined || hasFailed(ran)) return;
    if (distributed) await dropEverywhere(server, name);
    else await onServer(server, client => client.query(`drop database ${name} with (force)`));
  });
  return {
    name,
    url,
    pool,
    config,
    folder: testFolder(),
  };
}

/**
 * Number of statements in this database that are waiting for a lock. Ignores the databases of other test
 * files.
 */
export async function lockWaits({ pool }: Pick<TestDatabase, 'pool'>): Promise<number> {
  const { rowCount } = await pool.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount!;
}

/**
 * Number of the database's connections whose last statement requested an advisory lock. A connection that is
 * waiting for such a lock requests it repeatedly.
 */
export async function lockAsks({ pool }: Pick<TestDatabase, 'pool'>): Promise<number> {
  const { rowCount } = await pool.query(
    "select from pg_stat_activity where datname = current_database() and query ~ '(^|\\n)select pg_try_advisory_'",
  );
  return rowCount!;
}

async function templateWithRegions(server: string, bare: string): Promise<string> {
  const { loadRegions } = await import('../../workers/regions/load-regions.ts');
  return makeTemplate(server, bare, 'regions', loadRegions);
}

async function templateWithSample(server: string, bare: string): Promise<string> {
  const { loadSample } = await import('./sample.ts');
  return makeTemplate(server, await templateWithRegions(server, bare), 'sample', loadSample);
}

/**
 * Built when the first file needs it, because loading takes seconds, while copying a database takes a tenth
 * of a second.
 */
async function makeTemplate(
  server: string,
  from: string,
  what: string,
  load: (db: TestDb) => Promise<unknown>,
): Promise<string> {
  const name = `${from}_${what}`;
  await onServer(server, async client => {
    // Held until the connection ends, so that test files in other processes wait.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return;
    const unfinished = `${name}_unfinished`;
    await client.query(`drop database if exists ${unfinished}`);
    await client.query(`create database ${unfinished} template ${from} ${BY_FILES}`);
    const config = loadConfig({ LOG_LEVEL: 'silent', DATABASE_URL: withDatabase(server, unfinished) });
    const pool = openTestDb(config);
    await load(pool).finally(() => pool.end());
    await client.query(`alter database ${unfinished} rename to ${name}`);
  });
  return name;
}

type TaskLike = { result?: { state?: string }; tasks?: readonly TaskLike[] };

function hasFailed(task: TaskLike): boolean {
  return task.result?.state === 'fail' || (task.tasks ?? []).some(hasFailed);
}
