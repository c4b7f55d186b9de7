import type { OpenContext } from '../../../shared/platform/http/download-context.ts';
import { countFault } from '../engine/check-part.ts';
import type { FilesCheck } from '../engine/dry-run.ts';
import type { Files } from './files-schema.ts';
import { namedTiles, readTiles } from './stage-tiles.ts';

/** Reads the first files' headers. @throws PlatError of the index, or of a file that the feed names itself */
export async function checkFiles<Header>(
  files: Files,
  context: OpenContext,
  limit: number,
  read: (source: string) => Promise<Header>,
  use: (header: Header) => Promise<void> | void,
): Promise<FilesCheck> {
  const named = await namedTiles(files, context);
  const check: FilesCheck = { named: named.tiles.length, read: 0, absent: 0, rejected: [] };
  const some = { by: named.by, tiles: named.tiles.slice(0, limit) };
  for await (const [{ rowNo }, outcome] of readTiles(some, read)) {
    check.read++;
    if ('absent' in outcome) check.absent++;
    else if ('reason' in outcome) countFault(check.rejected, rowNo, { ...outcome, field: 'source' });
    else await use(outcome.tile);
  }
  return check;
}
