import pg from 'pg';
import type { Pool } from '../../shared/platform/connection-pool.ts';
import { Db, onConnection, type Query } from '../../shared/platform/db.ts';
import { errorCode, isAway, isTooSlow, PlatError } from '../../shared/platform/errors.ts';
import type { Values } from '../../shared/platform/named-parameters.ts';
import { SQLSTATE } from '../../shared/platform/sqlstates.ts';
import type { Fragments } from '../../shared/platform/statements.ts';

/** The first statement creates the controller. Most calls never run a statement of their own. */
type Cancellable = { abortController(): AbortController };

/**
 * The API's database. Each connection prepares a named statement once. A composed statement is planned on
 * every call, with its values. Temporary failures become 503, except in a transaction, which handles its own.
 */
export class ApiDb extends Db {
  readonly #cancelPool: Pool;
  readonly #call: Cancellable | undefined;

  /** @param cancelPool a separate pool, because calls that are being canceled can hold all of `source` */
  constructor(source: Pool | pg.ClientBase, cancelPool: Pool, call?: Cancellable, inTransaction = false) {
    super(source, inTransaction);
    this.#cancelPool = cancelPool;
    this.#call = call;
  }

  /**
   * The same, for one call. When the client disconnects or the call times out, running statements are
   * canceled.
   */
  stoppedBy(call: Cancellable): ApiDb {
    return new ApiDb(this.source, this.#cancelPool, call);
  }

  override transaction<T>(work: (tx: Db) => Promise<T>, options?: { retries?: boolean }): Promise<T> {
    return super.transaction(work, options).catch(fail);
  }

  override snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return super.snapshot(work).catch(fail);
  }

  override connection<T>(work: (db: Db, client: pg.ClientBase) => Promise<T>): Promise<T> {
    return super.connection(work).catch(fail);
  }

  protected override on(client: pg.ClientBase, inTransaction: boolean): ApiDb {
    return new ApiDb(client, this.#cancelPool, this.#call, inTransaction);
  }

  protected override queryOf(name: string, values: Values, fragments?: Fragments): Query {
    const query = super.queryOf(name, values, fragments);
    return fragments === undefined ? { name, ...query } : query;
  }

  protected override send(query: Query): Promise<pg.QueryResult> {
    const { source } = this;
    const signal = this.#call?.abortController().signal;
    if (!(source instanceof pg.Pool)) return sendOn(source, query, this.#cancelPool, signal);
    if (signal === undefined) return source.query(query).catch(fail);
    return sendFor(signal, source, query, this.#cancelPool).catch(fail);
  }
}

/** Sends a statement on a connection from the pool, unless the client disconnected while waiting for one. */
async function sendFor(
  signal: AbortSignal,
  pool: Pool,
  query: Query,
  cancelPool: Pool,
): Promise<pg.QueryResult> {
  requireCaller(signal);
  const result = await onConnection(pool, async client =>
    signal.aborted ? undefined : sendOn(client, query, cancelPool, signal),
  );
  if (result === undefined) throw noCaller();
  return result;
}

/**
 * Sends a statement. When the caller gives up, the server cancels the statement. When this returns, both the
 * statement and its cancellation have ended.
 */
async function sendOn(
  client: pg.ClientBase,
  query: Query,
  cancelPool: Pool,
  signal: AbortSignal | undefined,
): Promise<pg.QueryResult> {
  if (signal === undefined) return client.query(query);
  requireCaller(signal);
  let canceling: Promise<unknown> | undefined;
  const stop = () => {
    const { processID } = client as unknown as { processID: number };
    // If canceling fails, the statement runs until its timeout.
    canceling = cancelPool.query('select pg_cancel_backend($1)', [processID]).catch(() => {});
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await client.query(query);
  } finally {
    signal.removeEventListener('abort', stop);
    await canceling;
  }
}

function requireCaller(signal: AbortSignal): void {
  if (signal.aborted) throw noCaller();
}

const noCaller = (): PlatError => unavailable('The client stopped waiting for the response.');

function fail(error: unknown): never {
  if (error instanceof PlatError || !isAway(error)) throw error;
  throw unavailable(
    errorCode(error) === SQLSTATE.canceled
      ? 'The database took too long. Request less at once, or try again later.'
      : 'The service cannot reach its database. Try again shortly.',
    error,
  );
}

/** Whether a statement was rolled back because it waited or ran too long. */
export const isTransientError = (error: unknown): boolean =>
  error instanceof PlatError && isTooSlow(error.cause);

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
