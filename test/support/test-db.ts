import type pg from 'pg';
import { ApiDb } from '../../api/http/database.ts';
import type { Config } from '../../shared/platform/config.ts';
import { createPool, type PoolOptions } from '../../shared/platform/connection-pool.ts';
import { Db } from '../../shared/platform/db.ts';
import { createLogger } from '../../shared/platform/log.ts';

/** A database as the program uses it, which can also run SQL text from tests. */
export class TestDb extends Db {
  readonly query = ((...given: Parameters<pg.Pool['query']>) =>
    this.source.query(...given)) as pg.Pool['query'];

  get pool(): pg.Pool {
    return this.source as pg.Pool;
  }

  connect(): Promise<pg.PoolClient> {
    return this.pool.connect();
  }

  /** The same database in the form that the API uses. */
  forApi(): ApiDb {
    return new ApiDb(this.pool, this.pool);
  }

  end(): Promise<void> {
    return this.pool.end();
  }

  override transaction<T>(work: (tx: TestDb) => Promise<T>, options?: { retries?: boolean }): Promise<T> {
    return super.transaction(work as (tx: Db) => Promise<T>, options);
  }

  protected override on(client: pg.ClientBase, inTransaction: boolean): TestDb {
    return new TestDb(client, inTransaction);
  }
}

/** Opens a database with its own pool, which the caller must end. */
export const openTestDb = (config: Config, options?: Partial<PoolOptions>): TestDb =>
  new TestDb(
    createPool(config, createLogger(config, 'test'), {
      applicationName: 'plat test',
      connectTimeoutMs: 60_000,
      ...options,
    }),
  );
