import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './db.ts';
import { PlatError } from './errors.ts';

/**
 * Every advisory lock in Plat, listed here so that no two have the same number. In PostgreSQL, locks with one
 * number never conflict with locks with two numbers.
 */
export const LOCKS = {
  /** One process migrates while the others wait. */
  migrate: 7_152_801,
  /** One recompute of statistics at a time. */
  marketRecompute: 7_152_802,
  /** With the feed's id: one run of a feed at a time. */
  feed: 7_152_803,
  /** With the county: writing the county's search words. */
  words: 7_152_804,
  /** Creating the partitions of a state. */
  partitions: 7_152_805,
  /**
   * With the county: shared while chunks of land attributes are written, exclusive while the roll is merged.
   */
  countyAttributes: 7_152_806,
  /** With the county: writing its valuations. */
  countyValuations: 7_152_811,
  /** Assigning numbers to changes. This is always the last lock that a transaction takes. */
  changes: 7_152_812,
  /** Writing the history of statistics. */
  marketHistory: 7_152_813,
  /** With the county: comparing the county's parcels with the roll and writing them. */
  countyRoll: 7_152_815,
  /** One worker at a time checks saved searches for changes. */
  searches: 7_152_814,
} as const;

type LockFunction = 'pg_try_advisory_lock' | 'pg_try_advisory_xact_lock' | 'pg_try_advisory_xact_lock_shared';

const POLL_MS = 100;

/**
 * Polls for a lock rather than waiting in the server, because a waiting statement couldn't be interrupted
 * when the worker stops.
 * @throws the signal's reason
 */
export async function takeLock(
  db: Db,
  lock: readonly number[],
  signal: AbortSignal | undefined,
  ask: LockFunction = 'pg_try_advisory_lock',
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const [row] = await db.run<{ held: boolean }>('platform/try_lock', {}, { ask, lock: lock.join(', ') });
    if (row!.held) return;
    await sleep(POLL_MS);
  }
}

/**
 * Runs `work` while holding the lock. The lock belongs to the connection, so PostgreSQL releases it if the
 * worker dies.
 * @param work gets the lock's connection, and a signal that is aborted if the connection and its lock are
 * lost
 */
export function withLock<T>(
  db: Db,
  lock: readonly number[],
  signal: AbortSignal | undefined,
  work: (connection: Db, lost: AbortSignal) => Promise<T>,
): Promise<T> {
  return db.connection(async (connection, client) => {
    const lost = new AbortController();
    const lose = (cause?: Error) =>
      lost.abort(new PlatError('lock_lost', LOCK_LOST, { retryable: true, cause }));
    client.once('error', lose).once('end', lose);
    try {
      await takeLock(connection, lock, signal);
      const result = await work(connection, lost.signal);
      await connection.run('platform/unlock', {}, { lock: lock.join(', ') });
      return result;
    } finally {
      client.off('error', lose).off('end', lose);
    }
  });
}

const LOCK_LOST = 'The connection that held a lock was lost, so another process may have taken over.';
