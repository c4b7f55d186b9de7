import { copyFileSync, existsSync, renameSync, statSync, truncateSync } from 'node:fs';

/** A log of this size is rotated. This many old ones are kept. */
export const LOG_FILES = { maxBytes: 10 * 2 ** 20, kept: 3 };
export type LogLimits = typeof LOG_FILES;

/**
 * Sets a full log aside: x.log becomes x.log.1, that x.log.2, and the oldest goes. It is copied and emptied,
 * as by logrotate's copytruncate, as who has it open keeps writing (pino-roll rotates only what pino writes).
 */
export function rotateLog(path: string, { maxBytes, kept }: LogLimits = LOG_FILES): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) return;
  for (let i = kept; i > 1; i--) {
    if (existsSync(`${path}.${i - 1}`)) renameSync(`${path}.${i - 1}`, `${path}.${i}`);
  }
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}
