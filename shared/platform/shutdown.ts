import type { Logger } from './log.ts';

/**
 * On SIGINT or SIGTERM, or when the parent process is gone, runs `stop` and exits: with 0 if `stop` finished
 * before the deadline, otherwise with 1. A second signal exits immediately.
 */
export function onShutdown(log: Logger, deadlineMs: number, stop: () => Promise<void>): void {
  let stopping = false;
  const startShutdown = (reason: string) => {
    if (stopping) {
      log.warn({ reason }, 'stopping at once');
      process.exit(1);
    }
    stopping = true;
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
  process.on('SIGINT', () => startShutdown('SIGINT'));
  process.on('SIGTERM', () => startShutdown('SIGTERM'));
  // Only a forked process has a channel to its parent.
  if (!process.send) return;
  // During a shutdown, ignore the loss of the parent. It isn't a second signal.
  process.on('disconnect', () => stopping || startShutdown('parent gone'));
  if (!process.connected) startShutdown('parent gone');
}
