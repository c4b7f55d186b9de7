import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Pool } from '../../shared/db.ts';
import { ANNOUNCEMENTS } from '../../shared/jobs.ts';
import type { Logger } from '../../shared/log.ts';

/** Until the connection is tried again the sweep finds what was announced. */
const AGAIN_MS = 5_000;

/** Hands announced jobs to their queues, on a connection of its own, until the signal is aborted. */
export async function listenForJobs(
  pool: Pool,
  deliver: (ids: string[]) => Promise<unknown>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(pool, deliver, log, signal).catch(error => {
      if (!signal.aborted) log.warn({ err: error }, 'announced jobs are not heard: they wait for the sweep');
    });
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

/** Until the connection is lost or the signal is aborted. */
async function listenOnce(
  pool: Pool,
  deliver: (ids: string[]) => Promise<unknown>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const client: Client = await pool.connect();
  try {
    await new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('end', resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      client.on('notification', ({ payload }) => {
        deliver([payload ?? '']).catch(error =>
          log.warn({ err: error }, 'an announced job waits for the sweep'),
        );
      });
      client.query(`listen ${ANNOUNCEMENTS}`).catch(reject);
    });
  } finally {
    // Not to be used by others: it listens.
    client.release(true);
  }
}
