import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

export type { Logger };

/**
 * Writes JSON lines to standard error, without authorization headers, cookies, keys, or connection strings.
 */
export function createLogger(config: Pick<Config, 'LOG_LEVEL'>, name: string): Logger {
  return pino(
    {
      name,
      level: config.LOG_LEVEL,
      redact: {
        paths: [
          'req.headers.authorization',
          'req.headers.cookie',
          '*.authorization',
          '*.password',
          '*.connectionString',
          '*.token',
          // ioredis's failed command, which can be AUTH with the password.
          '*.command',
          // pg attaches the whole client, including its secrets, to the error for a lost connection.
          '*.client',
        ],
        censor: '[removed]',
      },
    },
    pino.destination({ fd: 2, sync: false }),
  );
}

/**
 * Removes API keys that a client sent in the wrong place, such as a path or request id, and the tokens of
 * one-time links.
 */
export function redactKeys(text: string): string {
  return text
    .replaceAll(/plat_[\w-]{43}/g, 'plat_[removed]')
    .replaceAll(/\/[\w-]{43}(?![\w-])/g, '/[removed]');
}

/** The longest interval between log lines about an outage. */
const MAX_PAUSE_MS = 64_000;
const FIRST_PAUSE_MS = 1_000;

/** If there was no failure for this long, the next one is logged immediately. */
const QUIET_MS = 2 * MAX_PAUSE_MS;

/**
 * Logs a repeating warning at growing intervals: immediately, then after 1, 2, 4 … 64 seconds. An hour-long
 * outage takes about 60 lines instead of 10,000. Each message has its own intervals.
 */
export function sparseWarnings(log: Logger, now: () => number = Date.now) {
  const seen = new Map<string, { pause: number; next: number; last: number }>();
  return (error: unknown, message: string): void => {
    const time = now();
    const before = seen.get(message);
    const isNew = before === undefined || time - before.last > QUIET_MS;
    const { pause, next } = isNew ? { pause: FIRST_PAUSE_MS, next: time } : before;
    if (time < next) {
      seen.set(message, { pause, next, last: time });
      return;
    }
    seen.set(message, { pause: Math.min(2 * pause, MAX_PAUSE_MS), next: time + pause, last: time });
    log.warn({ err: error }, message);
  };
}
