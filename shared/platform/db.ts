import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isConflict } from './errors.ts';
import type { Values } from './named-parameters.ts';
import { type Fragments, sql, statement } from './statements.ts';

/** Maximum number of attempts for a transaction that conflicts with others. */
const MAX_TRIES = 5;
const PAUSE_MS = 50;

/** Every column in PostgreSQL's binary format, as bytes. */
const BINARY = { binary: true, types: { getTypeParser: () => (value: unknown) => value } } as const;

export type Query = pg.QueryConfig & { binary?: true };

/**
 * The database. Functions take a `Db` and run statements in sql/queries by name. A `Db` normally uses any
 * connection in a pool. The one that `transaction`, `snapshot`, and `connection` pass to `work` uses a single
 * connection.
 */
export class Db {
  protected readonly source: pg.Pool | pg.ClientBase;
  readonly #inTransaction: boolean;

  /** @param source a pool, or the only connection to use */
  constructor(source: pg.Pool | pg.ClientBase, inTransaction = false) {
    this.source = source;
    this.#inTransaction = inTransaction;
  }

  /** The rows that a statement returns. `fragments` fill its placeholders. */
  async run<Row extends object>(name: string, values: Values = {}, fragments?: Fragments): Promise<Row[]> {
    return (await this.send(this.queryOf(name, values, fragments))).rows as Row[];
  }

  /** Runs a statement, and returns how many rows it changed or found. */
  async rowCount(name: string, values: Values = {}, fragments?: Fragments): Promise<number> {
    return (await this.send(this.queryOf(name, values, fragments))).rowCount ?? 0;
  }

  /**
   * Returns rows with every column in PostgreSQL's binary format (UTF-8 only). This saves converting JSON in
   * a bytea to hex and back.
   */
  async runBinary<Row extends Record<keyof Row, Buffer>>(name: string, values: Values = {}): Promise<Row[]> {
    return (await this.send({ ...this.queryOf(name, values), ...BINARY })).rows as Row[];
  }

  /** Runs SQL that is not in sql/queries, such as `set`, `analyze`, or `create schema`. */
  async execute(text: string): Promise<void> {
    await this.send({ text });
  }

  /**
   * Returns a statement's rows in batches, for results that don't fit in memory. Only works in a transaction.
   */
  async *batches<Row extends object>(name: string, size: number): AsyncGenerator<Row[]> {
    await this.execute(`declare batches no scroll cursor for ${sql(name)}`);
    for (;;) {
      const { rows } = await this.send({ text: `fetch ${size} from batches` });
      if (rows.length === 0) break;
      yield rows as Row[];
    }
    await this.execute('close batches');
  }

  /** Starts a COPY. @throws Error on a pool, because COPY needs a single connection */
  copy<Stream extends pg.Submittable>(stream: Stream): Stream {
    if (this.source instanceof pg.Pool) throw new Error('COPY needs one connection: db.connection(…)');
    return this.source.query(stream);
  }

  /**
   * Runs `work` in one transaction on one connection. Any error rolls it back and is rethrown. After a
   * conflict with another transaction, `work` runs again from the start, so it must change nothing but the
   * database.
   *
   * To prevent deadlocks, lock rows in the following order of tables, and rows of one table by ascending key.
   * Queue jobs, changes, and messages come after all of them.
   * 1. companies: adding lists, their rows, searches, exports, and markets
   * 2. exports: creating, billing, and ending one
   * 3. lists, then list_rows
   * 4. given_rows by county, then given_others: paid rows
   * 5. accounts, usage_periods, usage_daily: charges, late because every call of an account needs them
   * 6. idempotent_calls: stored responses
   * @param retries false for work that can't run twice
   */
  async transaction<T>(work: (tx: Db) => Promise<T>, { retries = true } = {}): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.within('begin', work);
      } catch (error) {
        if (!retries || tries === MAX_TRIES || !isConflict(error)) throw error;
      }
      await sleep(PAUSE_MS * tries * Math.random());
    }
  }

  /**
   * Runs `work` in a read-only snapshot: all of its statements see the database at the same point in time.
   */
  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.within('begin isolation level repeatable read read only', work);
  }

  /**
   * Runs `work` on one connection. If it fails, the connection is closed, which releases its locks and
   * settings. `client` is for features that need the connection itself, such as LISTEN.
   */
  async connection<T>(work: (db: Db, client: pg.ClientBase) => Promise<T>): Promise<T> {
    if (!(this.source instanceof pg.Pool)) return work(this, this.source);
    return onConnection(this.source, client => work(this.on(client, false), client));
  }

  protected on(client: pg.ClientBase, inTransaction: boolean): Db {
    return new Db(client, inTransaction);
  }

  protected queryOf(name: string, values: Values, fragments?: Fragments): Query {
    return statement(name, values, fragments);
  }

  protected send(query: Query): Promise<pg.QueryResult> {
    return this.source.query(query);
  }

  private async within<T>(begin: string, work: (tx: Db) => Promise<T>): Promise<T> {
    if (this.#inTransaction) throw new Error("A transaction can't start inside another one.");
    const taken = this.source instanceof pg.Pool ? await this.source.connect() : undefined;
    const client = taken ?? this.source;
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const result = await work(this.on(client as pg.ClientBase, true));
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      taken?.release(broken);
    }
  }
}

/** Runs `work` on a connection from the pool, and closes the connection if `work` fails. */
export async function onConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
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

/** Runs `work` on a new connection, which is closed afterward. */
export async function withConnection<T>(
  connectionString: string,
  application_name: string,
  work: (db: Db, client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString, application_name });
  await client.connect();
  try {
    return await work(new Db(client), client);
  } finally {
    await client.end();
  }
}
