import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../../shared/errors.ts';

/** With the host's name: containers that share a folder for temporary files number their processes each from 1. */
const PREFIX = `plat-run_${hostname()}_`;

/** A new folder for what one run downloads and unpacks; its name says whose it is. @throws what the file system throws */
export function makeRunFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}_`));
}

/**
 * Removes what workers of this host left that were killed in a run. Only for a process that has not begun one: a folder of its own number is
 * from an earlier process.
 * @returns the folders that were removed
 */
export function sweepRunFolders(folder = tmpdir()): string[] {
  const left = readdirSync(folder)
    .filter(name => name.startsWith(PREFIX))
    .filter(name => hasEnded(Number.parseInt(name.slice(PREFIX.length), 10)))
    .map(name => join(folder, name));
  for (const path of left) rmSync(path, { recursive: true, force: true });
  return left;
}

function hasEnded(pid: number): boolean {
  if (!(pid > 0)) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}
