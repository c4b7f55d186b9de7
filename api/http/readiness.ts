import type { Config } from '../../shared/platform/config.ts';
import type { Pool } from '../../shared/platform/connection-pool.ts';
import { Db } from '../../shared/platform/db.ts';
import { fullDisks } from '../../shared/platform/disks.ts';
import { errorCode, PlatError, READ_ONLY } from '../../shared/platform/errors.ts';
import { assertSchemaVersion } from '../../shared/platform/migrate.ts';
import { means } from '../../shared/platform/sqlstates.ts';
import { unavailable } from './database.ts';

/** `full_disks`: what this host's full disks hold. Calls are answered; what is written there fails. */
export type Ready = { status: 'ready'; full_disks?: string[] };

/** Why no call can be served, for programs: `details.database` of /readyz. */
type Fault = 'schema' | 'read_only' | 'no_connections' | 'unreachable';

/**
 * @throws PlatError 503 while calls can't be served and charged for: the database is away or read-only, gives
 * no connection, or has another schema
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
  // Of a pool whose connections are all taken pg says nothing but that the time is up.
  const isTaken = pool.totalCount >= (pool.options.max ?? 10) && pool.idleCount === 0;
  if (isTaken || means(errorCode(error), 'taken'))
    return [
      'no_connections',
      'No database connection is free. Look for what holds them, or raise DB_POOL_SIZE and max_connections of PostgreSQL.',
    ];
  return ['unreachable', 'The database cannot be reached.'];
}
