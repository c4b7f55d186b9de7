import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { ExportRequest } from '../../shared/exports/export-request.ts';
import type { Db } from '../../shared/platform/db.ts';
import { errorCode, PlatError } from '../../shared/platform/errors.ts';
import { writeFile } from './write-file.ts';

export type SavedFile = { path: string; rows: number; bytes: number; sha256: string };

/**
 * Saves an export to this machine's disk, for operators. It is free and doesn't mark rows as paid for. The
 * file appears only once it is complete.
 * @throws PlatError `export_file` if it can't be written
 */
export async function saveFile(db: Db, request: ExportRequest, path: string): Promise<SavedFile> {
  const draft = `${path}.part`;
  const file = await open(draft, 'w').catch(error => {
    const why = { ENOENT: 'the folder does not exist', EACCES: 'no permission' }[errorCode(error) ?? ''];
    throw new PlatError('export_file', `Can't write ${path}: ${why ?? (error as Error).message}.`, {
      cause: error,
    });
  });
  const sha256 = createHash('sha256');
  let bytes = 0;
  try {
    const { rows } = await writeFile({
      db,
      request,
      companyId: null,
      asOf: new Date(),
      signal: new AbortController().signal,
      progress: () => {},
      async keep(chunk) {
        sha256.update(chunk);
        bytes += chunk.length;
        await file.writeFile(chunk);
      },
    });
    await file.sync();
    await file.close();
    await rename(draft, path);
    return { path, rows, bytes, sha256: sha256.digest('hex') };
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}
