import { copyFileSync, existsSync, renameSync, statSync, truncateSync } from 'node:fs';

/** A log that has grown this far is set aside; this many are kept beside the one that is written. */
export const LOG_FILES = { maxBytes: 10 * 2 ** 20, kept: 3 };
export type LogLimits = typeof LOG_FILES;

/**
 * Sets a log that nobody writes aside when it is full: x.log becomes x.log.1, that x.log.2, and the oldest goes.
 * @throws what the file system throws
 */
export function rotateLog(path: string, limits: LogLimits = LOG_FILES): void {
  if (!isFull(path, limits)) return;
  shift(path, limits);
  renameSync(path, `${path}.1`);
}

/**
 * The same for a log that others write at its end (O_APPEND): they keep their file, which is copied and emptied, as by logrotate's copytruncate.
 * Lines that are written in between, within milliseconds, are lost.
 * @throws what the file system throws
 */
export function rotateOpenLog(path: string, limits: LogLimits = LOG_FILES): void {
  if (!isFull(path, limits)) return;
  shift(path, limits);
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

function isFull(path: string, { maxBytes }: LogLimits): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes;
}

/** Makes room for x.log.1. */
function shift(path: string, { kept }: LogLimits): void {
  for (let i = kept; i > 1; i--) {
    if (existsSync(`${path}.${i - 1}`)) renameSync(`${path}.${i - 1}`, `${path}.${i}`);
  }
}
