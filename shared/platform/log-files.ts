import { copyFileSync, existsSync, renameSync, statSync, truncateSync } from 'node:fs';

/** A log is rotated at `maxBytes`. `kept` is the number of old logs to keep. */
export const LOG_FILES = { maxBytes: 10 * 2 ** 20, kept: 3 };
export type LogLimits = typeof LOG_FILES;

/**
 * Rotates a full log: x.log becomes x.log.1, x.log.1 becomes x.log.2, and the oldest log is deleted. The file
 * is copied and truncated, like logrotate's copytruncate, because the process that writes to it keeps it
 * open. (pino-roll rotates only pino's own output.)
 */
export function rotateLog(path: string, { maxBytes, kept }: LogLimits = LOG_FILES): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) return;
  for (let i = kept; i > 1; i--) {
    if (existsSync(`${path}.${i - 1}`)) renameSync(`${path}.${i - 1}`, `${path}.${i}`);
  }
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}
