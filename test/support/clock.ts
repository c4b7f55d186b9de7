import type { TestDatabase } from './database.ts';
import { onServer } from './server.ts';

/** A clock that stays at one time until it is set. */
export type TestClock = { now(): Date; set(moment: Date | string): Promise<void> };

/**
 * Overrides PostgreSQL's clock: in connections opened after this, `now()` returns the test's time. Rate
 * limits don't refill while it is stopped.
 */
export async function stopClock(db: TestDatabase, moment: string): Promise<TestClock> {
  let current = new Date(moment);
  await onServer(db.url, async client => {
    await client.query(`
      create schema clock;
      create table clock.time (at timestamptz not null);
      create function clock.now() returns timestamptz language sql stable as 'select at from clock.time';
      alter database ${db.name} set search_path = clock, pg_catalog, public`);
    await client.query('insert into clock.time values ($1)', [current]);
  });
  return {
    now: () => current,
    async set(next) {
      current = new Date(next);
      await db.pool.query('update clock.time set at = $1', [current]);
    },
  };
}
