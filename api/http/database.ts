import type pg from 'pg';
import { readCopiedBytes } from '../../shared/platform/copy.ts';
import {
  type Client,
  inlined,
  type Pool,
  snapshot,
  sql,
  statement,
  transaction,
} from '../../shared/platform/db.ts';
import { errorCode, PlatError } from '../../shared/platform/errors.ts';
import type { Values } from '../../shared/platform/named-parameters.ts';

/** Runs statements by name. Each connection prepares a statement once. */
export type Statements = {
  run<Row extends pg.QueryResultRow>(name: string, values?: Values): Promise<Row[]>;
  /** The same with fragments in its placeholders. Planned for each call with its actual values. */
  runComposed<Row extends pg.QueryResultRow>(
    name: string,
    fragments: Record<string, string>,
    values: Values,
  ): Promise<Row[]>;
  /**
   * The same with every column in PostgreSQL's binary format (UTF-8 only), so a bytea of JSON isn't converted
   * to hex and back.
   */
  runBinary<Row extends Record<keyof Row, Buffer>>(name: string, values: Values): Promise<Row[]>;
};

export type Database = Statements & {
  /**
   * The one bytea of a COPY statement in PostgreSQL's binary format, for files. Text takes four times as
   * long. Undefined without a row.
   */
  readBytes(name: string, values: Values): Promise<Buffer | undefined>;
  /** Statements that succeed or fail together. Each sees what was committed when it started. */
  transaction<T>(work: (run: Database['run'], statements: Statements) => Promise<T>): Promise<T>;
  /** Statements that all see the database at the same point in time. */
  snapshot<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** The same for one call. When its client disconnects or it times out, running statements are canceled. */
  stoppedBy(call: Cancellable): Database;
};

/** The controller is created by the first statement. Most calls never run one of their own. */
type Cancellable = { readonly over: AbortController };

/** A SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** query_canceled: the server ends a statement with it after STATEMENT_TIMEOUT_MS. */
const STATEMENT_TIMEOUT = '57014';
const DEADLOCK = '40P01';
const LOCK_TIMEOUT = '55P03';

/** SQLSTATEs and classes (two characters) of temporary failures: 503. Anything else is our fault: 500. */
const UNAVAILABLE = new Set([
  '08', // connection exceptions
  '53', // insufficient resources: connections, memory, disk
  STATEMENT_TIMEOUT,
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting up, or a standby not yet consistent
  '25006', // read_only_sql_transaction: a fail-over has just demoted this server
  '40001', // serialization_failure
  DEADLOCK,
  LOCK_TIMEOUT,
  '28', // invalid authorization: a password that is being rotated
  '3D000', // the database does not exist (yet)
]);

type Pools = { pool: Pool; cancelPool: Pool };

/**
 * Methods instead of named functions, which are slow under tsx: each call creates one object.
 * @param cancelPool cancels statements. Clients that disconnect together can occupy all connections of the
 * pool until their statements are canceled.
 */
export function openDatabase(pool: Pool, cancelPool = pool, call?: Cancellable): Database {
  const pools = { pool, cancelPool };
  return {
    run(name, values) {
      return ask<never>(pools, call, undefined, named(name, values)).catch(fail);
    },
    runComposed(...asked) {
      return ask<never>(pools, call, undefined, composed(...asked)).catch(fail);
    },
    runBinary(name, values) {
      return ask<never>(pools, call, undefined, { ...named(name, values), ...BINARY }).catch(fail);
    },
    readBytes(name, values) {
      const copy = inlined(sql(name), values);
      return onConnection(pool, undefined, client => readCopiedBytes(client, copy)).catch(fail);
    },
    transaction(work) {
      return transaction(pool, client => {
        const statements = statementsOn(pools, call, client);
        return work(statements.run, statements);
      }).catch(fail);
    },
    snapshot(work) {
      return snapshot(pool, client => work(statementsOn(pools, call, client))).catch(fail);
    },
    stoppedBy(stoppable) {
      return openDatabase(pool, cancelPool, stoppable);
    },
  };
}

/** Their errors are handled by the transaction. */
const statementsOn = (pools: Pools, call: Cancellable | undefined, client: Client): Statements => ({
  run: (name, values) => ask(pools, call, client, named(name, values)),
  runComposed: (...asked) => ask(pools, call, client, composed(...asked)),
  runBinary: (name, values) => ask(pools, call, client, { ...named(name, values), ...BINARY }),
});

const named = (name: string, values: Values = {}): Query => ({ name, ...statement(name, values) });
const composed = (name: string, fragments: Record<string, string>, values: Values): Query =>
  statement(name, values, fragments);
const BINARY = { binary: true, types: { getTypeParser: () => (value: unknown) => value } } as const;

type Query = pg.QueryConfig & { binary?: true };

async function ask<Row extends pg.QueryResultRow>(
  { pool, cancelPool }: Pools,
  call: Cancellable | undefined,
  client: Client | undefined,
  query: Query,
): Promise<Row[]> {
  if (call === undefined) return (await (client ?? pool).query<Row>(query)).rows;
  const { signal } = call.over;
  requireCaller(signal);
  return onConnection(pool, client, connection => {
    // The caller can disconnect while all connections are in use.
    requireCaller(signal);
    return cancellable(signal, cancelPool, connection, async () => (await connection.query<Row>(query)).rows);
  });
}

function requireCaller(signal: AbortSignal): void {
  if (signal.aborted) throw unavailable('The client stopped waiting for the response.');
}

/** Runs a statement on a connection. If the caller gives up, it is canceled. On return, both have ended. */
async function cancellable<T>(
  signal: AbortSignal,
  cancelPool: Pool,
  client: Client,
  work: () => Promise<T>,
): Promise<T> {
  let canceling: Promise<unknown> | undefined;
  const stop = () => {
    const { processID } = client as unknown as { processID: number };
    // If this fails, the statement ends with its timeout.
    canceling = cancelPool.query('select pg_cancel_backend($1)', [processID]).catch(() => {});
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', stop);
    await canceling;
  }
}

/** Uses the given connection, or one of the pool. Like `pool.query`, it discards one whose query failed. */
async function onConnection<T>(
  pool: Pool,
  given: Client | undefined,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (given !== undefined) return work(given);
  const client = await pool.connect();
  try {
    const outcome = await work(client);
    client.release();
    return outcome;
  } catch (error) {
    // A PlatError means that no query was sent.
    client.release(!(error instanceof PlatError));
    throw error;
  }
}

function fail(error: unknown): never {
  throw error instanceof PlatError ? error : databaseError(error);
}

/** Without a SQLSTATE, the query or its result was lost: no connection, timeout, or reset. */
function databaseError(cause: unknown): unknown {
  const state = errorCode(cause);
  const answered = state !== undefined && SQLSTATE.test(state);
  if (answered && !UNAVAILABLE.has(state) && !UNAVAILABLE.has(state.slice(0, 2))) return cause;
  return unavailable(
    state === STATEMENT_TIMEOUT
      ? 'The database took too long. Request less at once, or try again later.'
      : 'The service cannot reach its database. Try again shortly.',
    cause,
  );
}

const TRANSIENT = new Set([STATEMENT_TIMEOUT, DEADLOCK, LOCK_TIMEOUT]);

/**
 * Whether a statement was rolled back because it waited too long for others. After a lost connection, the
 * outcome is unknown.
 */
export function isTransientError(error: unknown): boolean {
  return error instanceof PlatError && TRANSIENT.has(errorCode(error.cause) ?? '');
}

/** 503 with Retry-After: the client can repeat the request unchanged. */
export function unavailable(
  message: string,
  cause?: unknown,
  headers: Record<string, string> = {},
  details?: Record<string, string[]>,
): PlatError {
  return new PlatError('internal_error', message, {
    ...(details && { details }),
    status: 503,
    headers: { 'Retry-After': '5', ...headers },
    retryable: true,
    cause,
  });
}
