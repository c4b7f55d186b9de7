import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../shared/platform/db.ts';
import type { sparseWarnings } from '../../shared/platform/log.ts';

type Warn = ReturnType<typeof sparseWarnings>;
/** Handlers of announcements, by database channel. */
export type ChannelHandlers = Record<string, (payload: string) => unknown>;

/** Pause before reconnecting. In the meantime, the sweep finds announced jobs. */
const RECONNECT_MS = 5_000;

/** Handles announcements on its own connection until the signal is aborted. */
export async function listen(
  db: Db,
  handlers: ChannelHandlers,
  warn: Warn,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(db, handlers, signal).catch(error => {
      if (!signal.aborted)
        warn(error, 'lost the connection that announces jobs; new jobs wait for the sweep');
    });
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
  }
}

/** Listens until the connection is lost or the signal is aborted. */
function listenOnce(db: Db, handlers: ChannelHandlers, signal: AbortSignal): Promise<void> {
  return db.connection(async (connection, client) => {
    await new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('end', resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      client.on('notification', ({ channel, payload }) => handlers[channel]?.(payload ?? ''));
      const channels = Object.keys(handlers).map(channel => `listen ${channel}`);
      connection.execute(channels.join('; ')).catch(reject);
    });
    // Throw to close the connection, because it must not return to the pool while it is listening.
    signal.throwIfAborted();
  });
}
