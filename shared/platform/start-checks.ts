import type { Config } from './config.ts';
import { waitForDatabase } from './database-outage.ts';
import type { Db } from './db.ts';
import { PlatError } from './errors.ts';
import type { Logger } from './log.ts';
import { assertSchemaVersion, QUEUE_SCHEMA } from './migrate.ts';
import { assertClusterReady } from './shards.ts';

/**
 * Waits for the database and checks it, before a worker or API starts.
 * @param connections maximum number of connections that the process opens
 * @throws PlatError `schema_version`, `queue_tables`, `citus_prepared`, `database_lost`
 */
export async function assertDatabaseReady(
  db: Db,
  config: Pick<Config, 'DATABASE_WAIT_MS' | 'REDIS_URL'>,
  { log, connections, signal }: { log: Logger; connections: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const newer = await waitForDatabase(() => assertSchemaVersion(db), {
    log,
    limitMs: config.DATABASE_WAIT_MS,
    signal,
  });
  if (newer.length > 0)
    log.info({ newer }, 'the database has newer migrations, which this release works with');
  if (config.REDIS_URL === undefined) await assertQueueTables(db);
  await assertClusterReady(db, connections);
}

/** Earlier releases didn't create the queue tables when they migrated with REDIS_URL set. */
async function assertQueueTables(db: Db): Promise<void> {
  if ((await db.rowCount('platform/has_schema', { name: QUEUE_SCHEMA })) === 0)
    throw new PlatError(
      'queue_tables',
      'REDIS_URL is not set, and this database has no tables for the queues yet. Run `plat migrate`, then start again. Jobs that waited in Redis will run from the table jobs.',
    );
}
