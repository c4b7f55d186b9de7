import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Config, requireDatabaseUrl } from './config.ts';
import { errorCode } from './errors.ts';
import { type Logger, sparseWarnings } from './log.ts';
import { type BoundStatement, bindValues, inlineParameters, type Values } from './named-parameters.ts';
import { rootDir } from './root.ts';

export type Pool = pg.Pool;
export type Client = pg.PoolClient;
/** Whatever can run a statement: the pool, or one connection inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>;

// int8 arrives as text by default; property_id and counters stay below 2^53 by definition.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// A date is a calendar day, not a moment: keep it as 'YYYY-MM-DD'.
pg.types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

const queriesDir = join(rootDir, 'sql', 'queries');

/** Read at the start: a running process never mixes its code with a newer release's statements. */
const statements = new Map<string, string>(
  readdirSync(queriesDir).flatMap(family =>
    readdirSync(join(queriesDir, family)).flatMap(file =>
      [...sqlBlocks(file, readFileSync(join(queriesDir, family, file), 'utf8'))].map(
        ([block, body]) => [`${family}/${block}`, body] as const,
      ),
    ),
  ),
);

/** `family/verb_noun`: a block `-- name: verb_noun` of a file in `sql/queries/family/`, or its name. */
export function sql(name: string): string {
  const text = statements.get(name);
  if (text === undefined) throw new Error(`sql/queries has no statement ${name}`);
  return text;
}

/**
 * The statements of a file: its blocks, each of which starts with `-- name: verb_noun` and its comment, or
 * the whole file.
 */
export function sqlBlocks(file: string, text: string): Map<string, string> {
  const [, ...parts] = text.split(/^-- name: (\w+)\n/m);
  if (parts.length === 0) return new Map([[file.replace('.sql', ''), text]]);
  return new Map(parts.flatMap((part, i) => (i % 2 === 0 ? [[part, parts[i + 1]!.trimEnd()] as const] : [])));
}

/**
 * Puts fragments into the marked places, `{{where}}`, but not into lines of comment. They are constants or
 * made by `literal`; what clients send are parameters.
 */
export function compose(name: string, fragments: Record<string, string>): string {
  return sql(name).replaceAll(/^--.*|\{\{(\w+)\}\}/gm, (text, part?: string) => {
    if (part === undefined) return text;
    const fragment = fragments[part];
    if (fragment === undefined) throw new Error(`${name} needs a value for ${part}`);
    return fragment;
  });
}

/**
 * A statement of sql/queries with the values of its parameters, and the fragments of its marked places.
 * @throws Error as bindValues does
 */
export function statement(name: string, values: Values, fragments?: Record<string, string>): BoundStatement {
  return bindValues(fragments === undefined ? sql(name) : compose(name, fragments), values);
}

/**
 * A value written into the text of a statement that can take no parameters (`copy (select …)`) or must have
 * none (`insert … select` on distributed tables). An array becomes `'{…}'`, to be cast in its place. @throws
 * RangeError for a number that is not finite.
 */
export function literal(value: number | boolean | string | null | readonly (number | string)[]): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`${value} can't be used in a statement`);
    return value < 0 ? `(${value})` : String(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  // 100,000 numbers take 27 ms this way, and 230 one by one.
  if (value.every(Number.isFinite)) return `'{${value.join(',')}}'`;
  return literal(`{${value.map(one => `"${String(one).replace(/["\\]/g, '\\$&')}"`).join(',')}}`);
}

/** A fragment with its values inserted, for statements that can't have parameters. */
export const inlined = (fragment: string, values: Values): string =>
  inlineParameters(fragment, values, value => literal(value as Parameters<typeof literal>[0]));

export type PoolOptions = {
  applicationName: string;
  max?: number;
  /** Milliseconds to wait for a connection, a free one or a new one; default 5,000. */
  connectTimeoutMs?: number;
  /** Milliseconds after which the server cancels a statement; 0 for none (workers). */
  statementTimeoutMs?: number;
  /** Server settings for every connection, in addition to the common ones. */
  settings?: Record<string, string>;
};

/** Ends transactions of programs that were suspended or are gone, so that their locks are freed. */
export const IDLE_IN_TRANSACTION = { idle_in_transaction_session_timeout: '5s' };
/**
 * The same for workers, which compute between two statements of a transaction. One that blocks its event loop
 * for JOB_LOCK_MS loses its job anyway, so its transaction has no longer to live.
 */
export const endsWithWorker = ({ JOB_LOCK_MS }: Pick<Config, 'JOB_LOCK_MS'>) => ({
  idle_in_transaction_session_timeout: `${JOB_LOCK_MS}ms`,
});
/**
 * Of the API's sessions: reads are short and by index; with 1.1 counts of a county went through an index in
 * no order of the table.
 */
export const RANDOM_PAGE_COST = 2;

/** A pool whose idle connections may die (a restarted server) without ending the process. */
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
  // A connection that is lost while in use fails its query, and also emits an error that would end the
  // process.
  pool.on('connect', client =>
    client.on('error', error => log.debug({ err: error }, 'lost a database connection')),
  );
  return pool;
}

/** Closes dead connections after 30 s (default 2 h), so that their locks are freed. */
const SERVER_KEEP_ALIVE = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '30s',
};
/** The same from this side. Node probes ten times, a second apart. */
const CLIENT_KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 20_000 };

/** Connection settings. Ours override those of the URL (`?options=-c …`): periods and days are in UTC. */
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

/** Statements of sql/queries by their names: what the API's `Database` and the workers' pools both can do. */
export type Run = <Row extends object>(name: string, values?: Values) => Promise<Row[]>;

/** The statements on a pool or a connection. */
export function asRun(db: Queryable): Run {
  return async <Row extends object>(name: string, values: Values = {}) =>
    (await db.query<Row & pg.QueryResultRow>(statement(name, values))).rows;
}

/** The same with fragments in the marked places of a statement. Each text is planned separately. */
export type RunComposed = <Row extends object>(
  name: string,
  fragments: Record<string, string>,
  values: Values,
) => Promise<Row[]>;

/** Both kinds of statements. */
export type Reads = { run: Run; runComposed: RunComposed };

export const asReads = (db: Queryable): Reads => ({ run: asRun(db), runComposed: asRunComposed(db) });

/** Composed statements on a pool or a connection. */
export function asRunComposed(db: Queryable): RunComposed {
  return async <Row extends object>(name: string, fragments: Record<string, string>, values: Values) =>
    (await db.query<Row & pg.QueryResultRow>(statement(name, values, fragments))).rows;
}

/** How often a transaction is run that others keep in its way. */
const MAX_TRIES = 5;
const PAUSE_MS = 50;

/** deadlock_detected, serialization_failure: the transaction is rolled back, and it may succeed later. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['40P01', '40001']);

/**
 * Runs `work` in one transaction on one connection; any error rolls it back and is thrown on. After a
 * conflict with another transaction `work` runs again from its beginning, so it changes only the database.
 *
 * Lock order: a transaction locks rows of these tables in this order, and rows of one table by their keys,
 * ascending, so that no two wait for each other. Queue jobs, changes and messages come after all of them.
 * 1. companies: adding lists, their rows, searches, exports and markets
 * 2. exports: making, billing and ending one
 * 3. lists, then list_rows
 * 4. given_rows by county, then given_others: what was paid for
 * 5. accounts, usage_periods, usage_daily: charges, late because every call of an account needs them
 * 6. idempotent_calls: the answer that is kept
 * @param retries false for work that cannot run twice
 */
export async function transaction<T>(
  pool: Pool,
  work: (client: Client) => Promise<T>,
  { retries = true } = {},
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await runIn(pool, 'begin', work);
    } catch (error) {
      if (!retries || tries === MAX_TRIES || !CONFLICTS.has(errorCode(error))) throw error;
    }
    await sleep(PAUSE_MS * tries * Math.random());
  }
}

async function runIn<T>(pool: Pool, begin: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Runs `work` on one connection, which is closed rather than used again when that fails: its locks and
 * settings go with it.
 */
export async function withConnection<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true;
  try {
    const result = await work(client);
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}

/**
 * Runs `work` on one connection, with all its statements seeing the database as of one moment;
 * they can only read.
 */
export function snapshot<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return runIn(pool, 'begin isolation level repeatable read read only', work);
}
