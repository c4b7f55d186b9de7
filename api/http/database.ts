import type pg from 'pg';
import { type Client, compose, type Pool, snapshot, sql, transaction } from '../../shared/db.ts';
import { errorCode, PlatError } from '../../shared/errors.ts';
import { stoppable, waitedFor } from './abandon.ts';

/** Runs statements by their names; every connection prepares one once, under its name. */
export type Statements = {
  run<Row extends pg.QueryResultRow>(name: string, values?: unknown[]): Promise<Row[]>;
  /** The same with declared fragments in its marked places; planned anew for every call, by its very values. */
  runComposed<Row extends pg.QueryResultRow>(
    name: string,
    fragments: Record<string, string>,
    values: unknown[],
  ): Promise<Row[]>;
  /** The same with every column as the bytes of PostgreSQL's binary format, for UTF-8 alone: a bytea of JSON without the detour over hex. */
  runBinary<Row extends Record<keyof Row, Buffer>>(name: string, values: unknown[]): Promise<Row[]>;
};

export type Database = Statements & {
  /** Statements that succeed or fail together; each sees what was committed when it began. */
  transaction<T>(work: (run: Database['run']) => Promise<T>): Promise<T>;
  /** Statements that all see the database as of one moment. */
  snapshot<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
};

const AS_BYTES = { getTypeParser: () => (value: unknown) => value };

/** A SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** query_canceled: how the server ends a statement after STATEMENT_TIMEOUT_MS. */
const STATEMENT_TIMEOUT = '57014';
const DEADLOCK = '40P01';
const LOCK_TIMEOUT = '55P03';

/** SQLSTATEs and classes (two characters) that say that the database cannot do it now: 503. All else is our fault: 500. */
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

export function openDatabase(pool: Pool): Database {
  const on = (client?: Client): Statements => {
    const ask = async <Row extends pg.QueryResultRow>(
      config: pg.QueryConfig & { binary?: true },
      values?: unknown[],
    ) => {
      const query = { ...config, values } as pg.QueryConfig;
      const signal = waitedFor();
      if (signal === undefined) return (await (client ?? pool).query<Row>(query)).rows;
      if (signal.aborted) throw unavailable('Nobody waits for the answer any more.');
      return onConnection(pool, client, held =>
        stoppable(signal, pool, held, async () => (await held.query<Row>(query)).rows),
      );
    };
    return {
      run: (name, values) => ask({ name, text: sql(name) }, values),
      runComposed: (name, fragments, values) => ask({ text: compose(name, fragments) }, values),
      runBinary: (name, values) => ask({ name, text: sql(name), binary: true, types: AS_BYTES }, values),
    };
  };
  const { run, runComposed, runBinary } = on();
  return {
    run: (...asked) => run<never>(...asked).catch(fail),
    runComposed: (...asked) => runComposed<never>(...asked).catch(fail),
    runBinary: (...asked) => runBinary<never>(...asked).catch(fail),
    transaction: work => transaction(pool, client => work(on(client).run)).catch(fail),
    snapshot: work => snapshot(pool, client => work(on(client))).catch(fail),
  };
}

/** On the connection that is given, else on one of the pool, which like the pool's own `query` gives up one whose query failed. */
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
    client.release(true);
    throw error;
  }
}

function fail(error: unknown): never {
  throw error instanceof PlatError ? error : databaseError(error);
}

/** An error without a SQLSTATE never reached the server, or never came back: no connection, time-out, reset. */
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

const HELD_UP = new Set([STATEMENT_TIMEOUT, DEADLOCK, LOCK_TIMEOUT]);

/** Whether a statement of a `Database` waited too long for others, so that nothing of it stays. A lost connection tells nothing. */
export function wasHeldUp(error: unknown): boolean {
  return error instanceof PlatError && HELD_UP.has(errorCode(error.cause) ?? '');
}

/** 503 with Retry-After: the request may be repeated as it is. */
export function unavailable(
  message: string,
  cause?: unknown,
  headers: Record<string, string> = {},
): PlatError {
  return new PlatError('internal_error', message, {
    status: 503,
    headers: { 'Retry-After': '5', ...headers },
    retryable: true,
    cause,
  });
}
