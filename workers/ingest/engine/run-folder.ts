import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../shared/platform/config.ts';
import { errorCode } from '../../../shared/platform/errors.ts';

/**
 * Includes the host name, because containers that share a folder all number their processes starting at 1.
 */
const PREFIX = `plat-run_${hostname()}_`;

/** A folder for everything that one run downloads and unpacks, named after its process. */
export const makeRunFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}_`));

const WORK_PREFIX = `plat-work_${hostname()}_`;
/** If a feed does not run again within this time, its folder is removed. */
const WORK_DAYS = 3;

export const sharedFolder = ({ PLAT_DIR }: Pick<Config, 'PLAT_DIR'>): string => join(PLAT_DIR, 'downloads');

/** A folder for files that must outlast a worker. Each installation has its own. Created when needed. */
export function workFolder(
  { DATABASE_URL, PLAT_DIR }: Pick<Config, 'DATABASE_URL' | 'PLAT_DIR'>,
  feed: string,
): string {
  const installation = createHash('sha256').update(`${DATABASE_URL} ${PLAT_DIR}`).digest('hex').slice(0, 12);
  return join(tmpdir(), `${WORK_PREFIX}${installation}_${feed}`);
}

/**
 * Removes what killed workers on this host left behind. Call this before a run, because this process may have
 * the same id as a killed one.
 */
export function sweepRunFolders(folder = tmpdir()): string[] {
  const ended = (name: string) =>
    name.startsWith(PREFIX) && hasEnded(Number.parseInt(name.slice(PREFIX.length), 10));
  const old = (name: string) => {
    if (!name.startsWith(WORK_PREFIX)) return false;
    // Another worker may have already removed it.
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats !== undefined && Date.now() - stats.mtimeMs > WORK_DAYS * 86_400_000;
  };
  const removed = readdirSync(folder)
    .filter(name => ended(name) || old(name))
    .map(name => join(folder, name));
  for (const path of removed) rmSync(path, { recursive: true, force: true });
  return removed;
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
