import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorCode } from '../base/errors.ts';
import type { OpenContext } from './download-context.ts';
import { fileState } from './file-version.ts';
import { download } from './http.ts';

/** Copies that were not read for this long are removed. */
const RETENTION_MS = 7 * 86_400_000;

/**
 * The path of a copy of a file that several feeds read a part of each, such as the wetlands of a state,
 * fetched again when the server says that it has changed. Null where nothing tells its state, or the folder
 * cannot be written. @throws PlatError `feed_source`
 */
export async function sharedCopy(url: URL, folder: string, context: OpenContext): Promise<string | null> {
  const state = await fileState(url, context);
  if (state?.version == null) return null;
  const name = createHash('sha256').update(`${url.href}\n${state.version}`).digest('hex').slice(0, 32);
  const target = join(folder, name);
  const existing = await onlyFile(target);
  if (existing) {
    await utimes(target, new Date(), new Date()).catch(() => {});
    return existing;
  }
  const scratch = await scratchIn(folder);
  if (scratch === null) return null;
  try {
    await removeOld(folder, Date.now() - RETENTION_MS);
    const copy = (await download(url, { ...context, tmpDir: scratch }))!;
    await mkdir(join(scratch, 'whole'));
    await rename(copy.path, join(scratch, 'whole', basename(copy.path)));
    // Another worker may have been faster, with the same bytes.
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

async function scratchIn(folder: string): Promise<string | null> {
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
