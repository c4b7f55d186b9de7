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

/** Runs statements by their names; every connection prepares one once, under its name. */
export type Statements = {
  run<Row extends pg.QueryResultRow>(name: string, values?: Values): Promise<Row[]>;
  /**
   * The same with declared fragments in its marked places; planned anew for every call, by its very values.
   */
  runComposed<Row extends pg.QueryResultRow>(
    name: string,
    fragments: Record<string, string>,
    values: Values,
  ): Promise<Row[]>;
  /**
   * The same with every column as the bytes of PostgreSQL's binary format, for UTF-8 alone: a bytea of JSON
   * without the detour over hex.
   */
  runBinary<Row extends Record<keyof Row, Buffer>>(name: string, values: Values): Promise<Row[]>;
};

export type Database = Statements & {
  /**
   * The one bytea of a statement that copies it in PostgreSQL's binary format, for files: a text of it takes
   * four times as long. undefined without a row.
   */
  readBytes(name: string, values: Values): Promise<Buffer | undefined>;
  /** Statements that succeed or fail together; each sees what was committed when it began. */
  transaction<T>(work: (run: Database['run'], statements: Statements) => Promise<T>): Promise<T>;
  /** Statements that all see the database as of one moment. */
  snapshot<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /**
   * The same for the work of one call: when its client has left, or its time is up, the server
   * cancels what still runs.
   */
  stoppedBy(call: Cancellable): Database;
};

/**
 * Its controller is asked for by the first statement: most calls are answered by what was read for several.
 */
type Cancellable = { readonly over: AbortController };

/** A SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** query_canceled: how the server ends a statement after STATEMENT_TIMEOUT_MS. */
const STATEMENT_TIMEOUT = '57014';
const DEADLOCK = '40P01';
const LOCK_TIMEOUT = '55P03';

/**
 * SQLSTATEs and classes (two characters) that say that the database cannot do it now: 503. All else
 * is our fault: 500.
 */
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
 * Methods rather than named functions, which tsx makes dear: there is one for every call.
 * @param cancelPool over which statements are canceled: callers that leave together may hold all of the
 * pool's connections until theirs are
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

/** Their errors are for the transaction to see. */
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
    // The caller may have left while all connections were taken.
    requireCaller(signal);
    return cancellable(signal, cancelPool, connection, async () => (await connection.query<Row>(query)).rows);
  });
}

function requireCaller(signal: AbortSignal): void {
  if (signal.aborted) throw unavailable('Nobody waits for the answer any more.');
}

/**
 * Runs a statement on a given connection. When the caller gives up, the server cancels it; both have
 * ended on return.
 */
async function cancellable<T>(
  signal: AbortSignal,
  cancelPool: Pool,
  client: Client,
  work: () => Promise<T>,
): Promise<T> {
  let canceling: Promise<unknown> | undefined;
  const stop = () => {
    const { processID } = client as unknown as { processID: number };
    // Without it the statement ends by its time-out.
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

/**
 * On the connection that is given, else on one of the pool, which like the pool's own `query` gives up one
 * whose query failed.
 */
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
    // Nothing was asked of it where nobody waits.
    client.release(!(error instanceof PlatError));
    throw error;
  }
}

function fail(error: unknown): never {
  throw error instanceof PlatError ? error : databaseError(error);
}

/**
 * An error without a SQLSTATE never reached the server, or never came back: no connection, time-out, reset.
 */
function databaseError(cause: unknown): unknown {
  const state = errorCode(cause);
  const answered = state !== undefined && SQLSTATE.test(state);
  if (answered && !UNAVAILABLE.has(state) && !UNAVAILABLE.has(state.slice(0, 2))) return cause;
  return unavailable(
    state === STATEMENT_TIMEOUT
      ? 'This took the database too long. Ask for less at once, or try again later.'
      : 'The service cannot reach its database. Try again shortly.',
    cause,
  );
}

const TRANSIENT = new Set([STATEMENT_TIMEOUT, DEADLOCK, LOCK_TIMEOUT]);

/**
 * Whether a statement of a `Database` waited too long for others, so that nothing of it stays. A lost
 * connection tells nothing.
 */
export function isTransientError(error: unknown): boolean {
  return error instanceof PlatError && TRANSIENT.has(errorCode(error.cause) ?? '');
}

/** 503 with Retry-After: the request may be repeated as it is. */
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
