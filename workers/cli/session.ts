import { type Config, loadConfig } from '../../shared/config.ts';
import { createPool, type Pool } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { type Deliverer, deliver } from '../../shared/jobs.ts';
import { createLogger, type Logger } from '../../shared/log.ts';
import { assertSchemaVersion } from '../../shared/migrate.ts';
import { type DeliveryQueue, openQueueBackend, QUEUE_NAMES, type QueueName } from '../../shared/queue.ts';
import { registry } from '../jobs.ts';
import { definitionsOf } from '../registry.ts';
import { readState } from './state.ts';

export type Session = { config: Config; pool: Pool; log: Logger };

/** The settings, with the database of the running `plat up` where DATABASE_URL is not set. */
export function cliConfig(): Config {
  const config = loadConfig();
  if (config.DATABASE_URL !== undefined) return config;
  return { ...config, DATABASE_URL: readState(config)?.databaseUrl };
}

/**
 * Runs a command with a database connection.
 * @throws PlatError `no_database` when there is neither DATABASE_URL nor a running `plat up`
 */
export async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const config = cliConfig();
  if (config.DATABASE_URL === undefined) {
    throw new PlatError('no_database', 'Plat is not running here and DATABASE_URL is not set: start it with `npm start` in another terminal, or set DATABASE_URL.');
  }
  const log = createLogger({ LOG_LEVEL: 'warn' }, 'plat');
  const pool = createPool(config, log, { applicationName: 'plat cli', max: 4 });
  try {
    await assertSchemaVersion(pool);
    return await work({ config, pool, log });
  } finally {
    await pool.end();
  }
}

/** Hands outbox jobs to the queue from a process that is no worker. */
export async function deliverFromHere({ config, pool, log }: Session, ids: string[]): Promise<void> {
  const backend = openQueueBackend(config, log);
  try {
    const queues = Object.fromEntries(QUEUE_NAMES.map(name => [name, backend.queue(name)])) as Record<QueueName, DeliveryQueue>;
    const deliverer: Deliverer = { queues, definitions: definitionsOf(registry) };
    await deliver(pool, deliverer, ids);
  } finally {
    await backend.close();
  }
}
