import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Pool } from '../../shared/platform/db.ts';
import type { sparseWarnings } from '../../shared/platform/log.ts';

type Warn = ReturnType<typeof sparseWarnings>;
/** What to do with an announcement, by the channel of the database. */
export type ChannelHandlers = Record<string, (payload: string) => unknown>;

/** Pause before reconnecting. In the meantime the sweep finds the announced jobs. */
const RECONNECT_MS = 5_000;

/** Handles announcements, on a connection of its own, until the signal is aborted. */
export async function listen(
  pool: Pool,
  handlers: ChannelHandlers,
  warn: Warn,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(pool, handlers, signal).catch(error => {
      if (!signal.aborted)
        warn(error, 'lost the connection that announces jobs; new jobs wait for the sweep');
    });
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
  }
}

/** Until the connection is lost or the signal is aborted. */
async function listenOnce(pool: Pool, handlers: ChannelHandlers, signal: AbortSignal): Promise<void> {
  const client: Client = await pool.connect();
  try {
    await new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('end', resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      client.on('notification', ({ channel, payload }) => handlers[channel]?.(payload ?? ''));
      const channels = Object.keys(handlers).map(channel => `listen ${channel}`);
      client.query(channels.join('; ')).catch(reject);
    });
  } finally {
    // Closed, because others must not get a connection that listens.
    client.release(true);
  }
}
