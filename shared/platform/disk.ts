import { access, constants, mkdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './errors.ts';
import { means } from './sqlstates.ts';

export type DiskSpace = { path: string; freeBytes: number; totalBytes: number; low: boolean };

/**
 * A disk with less free space than either of these counts as nearly full, because loading a county may need
 * several gigabytes at once.
 */
const LOW_SHARE = 0.05;
const LOW_BYTES = 2e9;

/** Free space available to this user on the disk that a folder is on. */
export async function diskSpace(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path);
  const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
  return { path, freeBytes, totalBytes, low: freeBytes < Math.max(LOW_BYTES, LOW_SHARE * totalBytes) };
}

export function describeDisk({ path, freeBytes, totalBytes }: DiskSpace): string {
  const gb = (bytes: number) => (bytes / 1e9).toFixed(1);
  return `${gb(freeBytes)} of ${gb(totalBytes)} GB free at ${path}`;
}

/** Whether the error means that a disk is full, on the database server or on this host. */
export function isDiskFull(error: unknown): boolean {
  if (means(errorCode(error), 'full')) return true;
  return error instanceof Error && error.cause !== undefined && isDiskFull(error.cause);
}

/** Writes a file completely or not at all. */
export async function writeFileAtomic(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(fresh, text);
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** The system's error code if a folder, which may not exist yet, isn't writable. null if it is. */
export async function writeErrorCode(folder: string): Promise<string | null> {
  try {
    if (!(await stat(folder)).isDirectory()) return 'ENOTDIR';
    await access(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    return code === 'ENOENT' && dirname(folder) !== folder ? writeErrorCode(dirname(folder)) : code;
  }
}
