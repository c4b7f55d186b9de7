import type { Logger } from './log.ts';

/**
 * On SIGINT or SIGTERM, or when the parent process has gone, runs `stop` within a deadline and exits: 0 when it
 * ended in time, 1 when it did not. A second signal exits at once.
 * @returns an aborted signal from the first of them on
 */
export function onShutdown(log: Logger, deadlineMs: number, stop: () => Promise<void>): AbortSignal {
  const stopping = new AbortController();
  const begin = (reason: string) => {
    if (stopping.signal.aborted) {
      log.warn({ reason }, 'stopping at once');
      process.exit(1);
    }
    stopping.abort();
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error({ deadlineMs }, 'did not stop in time');
      process.exit(1);
    }, deadlineMs).unref();
    stop().then(
      () => process.exit(0),
      error => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => begin('SIGINT'));
  process.on('SIGTERM', () => begin('SIGTERM'));
  if (process.send) process.on('disconnect', () => begin('parent gone'));
  return stopping.signal;
}
