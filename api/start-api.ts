import type { Config } from '../shared/platform/config.ts';
import { createPool, IDLE_IN_TRANSACTION, RANDOM_PAGE_COST } from '../shared/platform/connection-pool.ts';
import { watchDatabase } from '../shared/platform/database-outage.ts';
import { Db } from '../shared/platform/db.ts';
import type { Logger } from '../shared/platform/log.ts';
import { missingSettings } from '../shared/platform/origin.ts';
import { openQueueBackend, QUEUE_NAMES } from '../shared/platform/queue/queue.ts';
import { assertDatabaseReady } from '../shared/platform/start-checks.ts';
import { type AppDeps, createApp } from './app.ts';
import { createMetricsPool } from './http/installation-metrics.ts';
import type { Lifecycle } from './http/start-request.ts';
import { openAssets } from './pages/frame/assets.ts';
import { storeAssets } from './pages/frame/stored-assets.ts';
import { type RunningServer, serveHttp } from './server.ts';
import { openShapeThreads } from './shapes/shape-threads.ts';

export const SESSION_SETTINGS = { ...IDLE_IN_TRANSACTION, random_page_cost: String(RANDOM_PAGE_COST) };

/** This is enough, because reading a slice of a file takes only a few milliseconds. */
const FILE_CONNECTIONS = 2;

type StartOptions = Pick<AppDeps, 'meter'> & {
  /** Stops waiting for a database that isn't available yet. */
  signal?: AbortSignal;
  /** Called when the database has been unavailable for DATABASE_WAIT_MS. */
  lost?: (error: unknown) => void;
};

/** @throws PlatError `schema_version`, `queue_tables`, `database_lost`, `address_in_use`, `host`, `config` */
export async function startApi(
  config: Config,
  log: Logger,
  { signal, lost = () => {}, ...parts }: StartOptions = {},
): Promise<RunningServer> {
  const pools = openPools(config, log);
  const { pool, cancelPool } = pools;
  const db = new Db(pool);
  const backend = openQueueBackend(config, log);
  const shapeThreads = openShapeThreads();
  const close = async () => {
    await shapeThreads.stop();
    await backend.close();
    for (const one of Object.values(pools)) await one.end();
  };
  try {
    await assertDatabaseReady(db, config, { log, connections: config.DB_POOL_SIZE, signal });
    const lifecycle: Lifecycle = { active: 0, leaving: false, draining: false, lastRequestAt: 0 };
    const queues = QUEUE_NAMES.map(name => backend.queue(name));
    const assets = openAssets(config);
    await storeAssets(db, assets).catch(error =>
      log.warn({ err: error }, "cannot store the pages' assets: processes of other releases lack them"),
    );
    shapeThreads.start();
    const app = createApp({ ...pools, config, log, lifecycle, queues, assets, shapeThreads, ...parts });
    const server = await serveHttp(app, config, lifecycle);
    // Watches through the cancel pool, because calls may use all connections of the main pool.
    const stopWatching = watchDatabase(cancelPool, { log, limitMs: config.DATABASE_WAIT_MS }, lost);
    log.info({ url: server.url }, 'listening');
    for (const missing of missingSettings(config)) log.warn(missing);
    return {
      ...server,
      async stop() {
        await server.stop();
        stopWatching();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** In the order in which the pools close. */
function openPools(
  config: Config,
  log: Logger,
): Pick<AppDeps, 'pool' | 'filePool' | 'cancelPool' | 'metricsPool'> {
  const forCalls = { statementTimeoutMs: config.STATEMENT_TIMEOUT_MS, settings: SESSION_SETTINGS };
  return {
    pool: createPool(config, log, { applicationName: 'plat api', ...forCalls }),
    filePool: createPool(config, log, {
      applicationName: 'plat api files',
      max: FILE_CONNECTIONS,
      ...forCalls,
    }),
    cancelPool: createPool(config, log, { applicationName: 'plat api cancel', max: 1 }),
    metricsPool: createMetricsPool(config, log),
  };
}
