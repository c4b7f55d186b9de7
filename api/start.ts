import type { Config } from '../shared/config.ts';
import { createPool, RESTLESS } from '../shared/db.ts';
import type { Logger } from '../shared/log.ts';
import { assertSchemaVersion } from '../shared/migrate.ts';
import { openQueueBackend, QUEUE_NAMES } from '../shared/queue.ts';
import { openRedis } from '../shared/redis.ts';
import { type AppDeps, createApp } from './app.ts';
import type { Lifecycle } from './http/begin.ts';
import { startHousekeeping } from './http/housekeeping.ts';
import { type RunningServer, serveHttp } from './server.ts';

/**
 * Opens everything that the service needs and listens.
 * @param parts what to run with instead of the service's own: the benches measure it without its meter.
 * @throws PlatError `schema_version`, `address_in_use`, `host`, `config`; errors of pg when the database cannot be reached.
 */
export async function startApi(
  config: Config,
  log: Logger,
  parts: Pick<AppDeps, 'meter'> = {},
): Promise<RunningServer> {
  const pool = createPool(config, log, {
    applicationName: 'plat api',
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    // Answers are short reads by index from memory or an SSD; the default of 4 is a disk's, and sorts what an index has in order.
    settings: { ...RESTLESS, random_page_cost: '1.1' },
  });
  const backend = openQueueBackend(config, log);
  const redis = await openRedis(config);
  const close = async () => {
    redis?.disconnect();
    await backend.close();
    await pool.end();
  };
  try {
    await assertSchemaVersion(pool);
    const lifecycle: Lifecycle = { active: 0, draining: false };
    const queues = QUEUE_NAMES.map(name => backend.queue(name));
    const app = createApp({ config, log, pool, lifecycle, queues, redis, ...parts });
    const server = await serveHttp(app, config, lifecycle);
    const stopHousekeeping = startHousekeeping(pool, log);
    log.info({ url: server.url }, 'listening');
    return {
      ...server,
      async stop() {
        await server.stop();
        await stopHousekeeping();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
