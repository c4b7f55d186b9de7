import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from './connection-pool.ts';
import { isRetryable, messageOf, PlatError } from './errors.ts';
import { type Logger, sparseWarnings } from './log.ts';

/** How often to retry the database during an outage. */
const RETRY_MS = 1_000;
/** How often a process checks its database. */
const CHECK_MS = 5_000;
/** A server that accepts connections but doesn't respond counts as unavailable. */
const ANSWER_MS = 10_000;

/** The error when the process gives up. */
const lostError = (limitMs: number, cause: unknown): PlatError =>
  new PlatError(
    'database_lost',
    `Couldn't connect to the database for ${Math.round(limitMs / 1000)} seconds (DATABASE_WAIT_MS). Check that it is running and that DATABASE_URL is correct.`,
    { cause, status: 503, retryable: true },
  );

export type Wait = { log: Logger; limitMs: number; signal?: AbortSignal | undefined };

/**
 * Calls `look` until the database outage is over. Any other error is thrown immediately.
 * @throws PlatError `database_lost` after `limitMs`; the signal's reason
 */
export async function waitForDatabase<T>(look: () => Promise<T>, wait: Wait): Promise<T> {
  const { log, limitMs, signal } = wait;
  const deadline = Date.now() + limitMs;
  const warn = sparseWarnings(log);
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await look();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (Date.now() >= deadline) throw lostError(limitMs, error);
      warn(error, 'the database is unreachable; trying again');
      const left = Math.max(0, deadline - Date.now());
      await sleep(Math.min(RETRY_MS, left), undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * Checks the database while the process runs, and logs outages.
 * @param lost called when the database has been unavailable for `limitMs`
 * @returns a function that stops the checks
 */
export function watchDatabase(
  pool: Pool,
  { log, limitMs }: Wait,
  lost: (error: unknown) => void,
): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const query = { text: 'select 1', query_timeout: ANSWER_MS };
  const watch = async () => {
    while (!signal.aborted) {
      const since = Date.now();
      let failures = 0;
      const look = () =>
        pool.query(query).catch(cause => {
          failures++;
          // Treat any failure as an outage, including a changed password.
          throw new PlatError('database_away', messageOf(cause), { retryable: true, cause });
        });
      await waitForDatabase(look, { log, limitMs, signal });
      if (failures > 0)
        log.info({ seconds: Math.round((Date.now() - since) / 1000) }, 'the database is reachable again');
      await sleep(Math.min(CHECK_MS, limitMs), undefined, { signal });
    }
  };
  watch().catch(error => signal.aborted || lost(error));
  return () => ended.abort();
}
