import { tmpdir } from 'node:os';
import type { Files } from '../../feeds/feed.ts';
import { namedTiles, readTiles } from '../stage/tiles.ts';
import { count, type Fault } from './part.ts';

export type FilesCheck = {
  named: number;
  read: number;
  /** Of a template: not there. */
  absent: number;
  rejected: Fault[];
};

/** Reads the headers of the first files that a feed names. @throws PlatError of the index, or of a file that the feed names itself */
export async function checkFiles<Header>(
  files: Files,
  baseDir: string,
  limit: number,
  read: (source: string, context: { signal: AbortSignal }) => Promise<Header>,
  use: (header: Header, context: { signal: AbortSignal }) => Promise<void> | void,
): Promise<FilesCheck> {
  const { signal } = new AbortController();
  const named = await namedTiles(files, { baseDir, tmpDir: tmpdir(), signal });
  const check: FilesCheck = { named: named.tiles.length, read: 0, absent: 0, rejected: [] };
  const some = { by: named.by, tiles: named.tiles.slice(0, limit) };
  for await (const [{ rowNo }, outcome] of readTiles(some, source => read(source, { signal }))) {
    check.read++;
    if ('absent' in outcome) check.absent++;
    else if ('reason' in outcome) count(check.rejected, rowNo, { ...outcome, field: 'source' });
    else await use(outcome.tile, { signal });
  }
  return check;
}
