import type { Config } from '../../shared/platform/config.ts';
import type { Pool } from '../../shared/platform/connection-pool.ts';
import { Db } from '../../shared/platform/db.ts';
import { fullDisks } from '../../shared/platform/disks.ts';
import { errorCode, PlatError, READ_ONLY } from '../../shared/platform/errors.ts';
import { assertSchemaVersion } from '../../shared/platform/migrate.ts';
import { means } from '../../shared/platform/sqlstates.ts';
import { unavailable } from './database.ts';

/**
 * `full_disks`: what this host stores on disks that are full. Calls still work, but writes to those disks
 * fail.
 */
export type Ready = { status: 'ready'; full_disks?: string[] };

/** The reason in `details.database` of /readyz, for programs. */
type Fault = 'schema' | 'read_only' | 'no_connections' | 'unreachable';

/**
 * @throws PlatError 503 while calls can't be served and charged: the database is unreachable, read-only, out
 * of connections, or has a different schema version
 */
export async function checkReady(pool: Pool, config: Config): Promise<Ready> {
  const db = new Db(pool);
  try {
    await assertSchemaVersion(db);
    await assertWritable(db);
  } catch (error) {
    const [fault, reason] = reasonOf(error, pool);
    throw unavailable(`The service is not ready. ${reason}`, error, {}, { database: [fault] });
  }
  const full_disks = await fullDisks(db, config).catch(() => []);
  return { status: 'ready', ...(full_disks.length > 0 && { full_disks }) };
}

/** @throws PlatError `read_only` */
async function assertWritable(db: Db): Promise<void> {
  const [server] = await db.run<{ read_only: boolean }>('platform/check_server');
  if (server!.read_only) throw new PlatError('read_only', `The database is read-only. ${READ_ONLY}`);
}

function reasonOf(error: unknown, pool: Pool): [Fault, string] {
  if (error instanceof PlatError) return [error.code === 'read_only' ? 'read_only' : 'schema', error.message];
  // When all of the pool's connections are in use, pg reports only a timeout.
  const isTaken = pool.totalCount >= (pool.options.max ?? 10) && pool.idleCount === 0;
  if (isTaken || means(errorCode(error), 'taken'))
    return [
      'no_connections',
      "No database connection is free. Find out what is holding the connections, or raise DB_POOL_SIZE and PostgreSQL's max_connections.",
    ];
  return ['unreachable', 'The database cannot be reached.'];
}
