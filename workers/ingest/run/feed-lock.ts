import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, withConnection } from '../../../shared/db.ts';
import { LOCKS } from '../../../shared/locks.ts';
import { interrupted } from './read.ts';

/** Asked for again and again rather than waited for: a waiting statement could not be told that the worker stops. */
const ASK_MS = 250;

/**
 * Runs `work` while no other run of the feed is under way, in this process or another. The lock belongs to a
 * connection, so a worker that dies gives it back at once.
 * @throws PlatError `interrupted` when the worker has to stop while another run is under way
 */
export function withFeedLock<T>(
  pool: Pool,
  feedId: number,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return withConnection(pool, async client => {
    const lock = [LOCKS.feed, feedId];
    const ask = 'select pg_try_advisory_lock($1, $2) as held';
    while (!(await client.query<{ held: boolean }>(ask, lock)).rows[0]!.held) {
      if (signal.aborted) throw interrupted();
      await sleep(ASK_MS);
    }
    const result = await work();
    await client.query('select pg_advisory_unlock($1, $2)', lock);
    return result;
  });
}
