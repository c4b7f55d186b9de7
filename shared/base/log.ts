import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

export type { Logger };

/** JSON lines on standard error, without headers of authorization, cookies, keys and connection strings. */
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
          // What ioredis was asked when it failed: AUTH with its password among it.
          '*.command',
          // What pg hangs on the error of a lost connection: the whole client, its secrets among it.
          '*.client',
        ],
        censor: '[removed]',
      },
    },
    pino.destination({ fd: 2, sync: false }),
  );
}

/**
 * API keys, which a client may put where they do not belong: in a path, in its request id; and the tokens
 * of one-time links.
 */
export function redactKeys(text: string): string {
  return text
    .replaceAll(/plat_[\w-]{43}/g, 'plat_[removed]')
    .replaceAll(/\/[\w-]{43}(?![\w-])/g, '/[removed]');
}
