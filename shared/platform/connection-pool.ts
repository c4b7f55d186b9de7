import pg from 'pg';
import { type Config, requireDatabaseUrl } from './config.ts';
import { type Logger, sparseWarnings } from './log.ts';

export type Pool = pg.Pool;

// pg returns int8 as text by default. property_id and counters are always below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// A date is a calendar day, not a moment in time, so keep it as 'YYYY-MM-DD'.
pg.types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

export type PoolOptions = {
  applicationName: string;
  max?: number;
  /** How long to wait for a free or new connection, in milliseconds. Default: 5,000. */
  connectTimeoutMs?: number;
  /** How long a statement can run before the server cancels it, in milliseconds; 0 for no limit (workers). */
  statementTimeoutMs?: number;
  /** Server settings for every connection in the pool, in addition to the common ones. */
  settings?: Record<string, string>;
};

/** Ends the transactions of suspended or dead programs, so that their locks are freed. */
export const IDLE_IN_TRANSACTION = { idle_in_transaction_session_timeout: '5s' };
/**
 * The same for workers, which run computations inside a transaction. If a worker blocks its event loop for
 * JOB_LOCK_MS, it loses its job, so its transactions get the same limit.
 */
export const endsWithWorker = ({ JOB_LOCK_MS }: Pick<Config, 'JOB_LOCK_MS'>) => ({
  idle_in_transaction_session_timeout: `${JOB_LOCK_MS}ms`,
});
/**
 * For the API's sessions, whose reads are short and use indexes. With a value of 1.1, PostgreSQL counted a
 * county's rows with an index whose order differs from the table's.
 */
export const RANDOM_PAGE_COST = 2;

/** Creates a pool. Losing an idle connection, such as when the server restarts, doesn't end the process. */
export function createPool(config: Config, log: Logger, options: PoolOptions): Pool {
  const pool = new pg.Pool({
    ...connectionOf(config, { timezone: 'UTC', jit: 'off', ...options.settings }),
    max: options.max ?? config.DB_POOL_SIZE,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    statement_timeout: options.statementTimeoutMs ?? 0,
    // The server cancels a statement that takes too long. A connection that doesn't respond at all is dropped
    // a second later.
    ...(options.statementTimeoutMs && { query_timeout: options.statementTimeoutMs + 1_000 }),
  });
  const warn = sparseWarnings(log);
  pool.on('error', error => warn(error, 'lost an idle database connection'));
  // If a connection is lost while in use, its query fails. The connection also emits an error, which would
  // end the process.
  pool.on('connect', client =>
    client.on('error', error => log.debug({ err: error }, 'lost a database connection')),
  );
  return pool;
}

/** Makes the server close dead connections after 30 s instead of 2 h, so that their locks are freed. */
const SERVER_KEEP_ALIVE = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '30s',
};
/** The same on the client side. Node probes ten times, one second apart. */
const CLIENT_KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 20_000 };

/**
 * Connection settings. Plat's settings override the URL's (`?options=-c …`), because periods and days must be
 * in UTC.
 */
export function connectionOf(config: Config, settings: Record<string, string>): pg.ClientConfig {
  const url = new URL(requireDatabaseUrl(config));
  const theirs = url.searchParams.get('options');
  url.searchParams.delete('options');
  const ours = Object.entries({ ...SERVER_KEEP_ALIVE, ...settings }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  const options = [...(theirs === null ? [] : [theirs]), ...ours].join(' ');
  return { connectionString: url.href, options, ...CLIENT_KEEP_ALIVE };
}
