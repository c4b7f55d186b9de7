import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { OpenContext } from './download-context.ts';
import { fetchFileVersion } from './file-version.ts';
import { download } from './http.ts';

/** How long unused copies are kept. */
const RETENTION_MS = 7 * 86_400_000;

/**
 * The path of a cached copy of a file that several feeds use, such as a state's wetlands. The file is
 * downloaded again when the server has a new version. Returns null if the server sends no version or the
 * folder isn't writable.
 * @throws PlatError `feed_source`
 */
export async function cachedDownload(url: URL, folder: string, context: OpenContext): Promise<string | null> {
  const state = await fetchFileVersion(url, context);
  if (state?.version == null) return null;
  const name = createHash('sha256').update(`${url.href}\n${state.version}`).digest('hex').slice(0, 32);
  const target = join(folder, name);
  const existing = await onlyFile(target);
  if (existing) {
    await utimes(target, new Date(), new Date()).catch(() => {});
    return existing;
  }
  const scratch = await makeScratchFolder(folder);
  if (scratch === null) return null;
  try {
    await removeOld(folder, Date.now() - RETENTION_MS);
    const copy = (await download(url, { ...context, tmpDir: scratch }))!;
    await mkdir(join(scratch, 'whole'));
    await rename(copy.path, join(scratch, 'whole', basename(copy.path)));
    // Another worker may have created the same copy in the meantime.
    await rename(join(scratch, 'whole'), target).catch(error => {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
    });
    return await onlyFile(target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function onlyFile(folder: string): Promise<string | null> {
  const [name] = await readdir(folder).catch(() => []);
  return name === undefined ? null : join(folder, name);
}

async function makeScratchFolder(folder: string): Promise<string | null> {
  try {
    await mkdir(folder, { recursive: true });
    return await mkdtemp(join(folder, 'coming-'));
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

async function removeOld(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats && stats.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
}
