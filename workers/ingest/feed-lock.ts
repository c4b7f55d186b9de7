import type { Pool } from '../../shared/db.ts';

/** The class of advisory locks that stands for feeds; any number that nothing else uses. */
const FEED_LOCK = 7_152_803;

/**
 * Runs `work` while no other run of the feed is under way, in this process or another. The lock belongs to a
 * connection, so a worker that dies gives it back at once.
 */
export async function withFeedLock<T>(pool: Pool, feedId: number, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('select pg_advisory_lock($1, $2)', [FEED_LOCK, feedId]);
    const result = await work();
    await client.query('select pg_advisory_unlock($1, $2)', [FEED_LOCK, feedId]);
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}
