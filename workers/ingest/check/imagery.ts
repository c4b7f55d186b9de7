import { tmpdir } from 'node:os';
import { PlatError } from '../../../shared/errors.ts';
import type { Box } from '../../../shared/geo/types.ts';
import { readImageryHeader } from '../../../shared/raster/imagery.ts';
import type { ImageryFeed } from '../../feeds/feed.ts';
import { describeServer } from '../stage/imagery-server.ts';
import { namedTiles, readTiles } from '../stage/tiles.ts';
import { count, type Fault } from './part.ts';
import { tileProblems } from './place.ts';

export type ImageryCheck = {
  /** Files that the feed names, or its server, and how many of them were looked at. */
  named: number;
  read: number;
  absent: number;
  rejected: Fault[];
  sources: {
    source: string;
    /** Metres on the ground. */
    pixelM: number;
    /** Degrees. */
    extent: Box;
    /** Of a file: its size, and what it holds. */
    file: {
      width: number;
      height: number;
      bands: number;
      bits: number;
      overviews: number;
      crs: string;
    } | null;
  }[];
};

/** A larger file without overviews is read in full where large parcels lie. */
const NEEDS_OVERVIEWS = 4096;

/** Reads the headers of a feed's first files, or asks its server what it has; what keeps it from running is added to the problems. */
export async function checkImagery(
  feed: ImageryFeed,
  limit: number,
  problems: string[],
  warnings: string[],
): Promise<ImageryCheck | null> {
  const { signal } = new AbortController();
  const { imagery, baseDir } = feed;
  const check: ImageryCheck = { named: 1, read: 1, absent: 0, rejected: [], sources: [] };
  try {
    if (imagery.type !== 'cog') {
      const { source, pixel_m: pixelM, extent } = await describeServer(feed, signal);
      check.sources.push({ source, pixelM, extent, file: null });
      return check;
    }
    const named = await namedTiles(imagery.tiles, baseDir, undefined, { baseDir, tmpDir: tmpdir(), signal });
    Object.assign(check, { named: named.tiles.length, read: 0 });
    const some = { by: named.by, tiles: named.tiles.slice(0, limit) };
    for await (const [{ rowNo }, outcome] of readTiles(some, source =>
      readImageryHeader(source, imagery, { signal }),
    )) {
      check.read++;
      if ('absent' in outcome) check.absent++;
      else if ('reason' in outcome) count(check.rejected, rowNo, { ...outcome, field: 'source' });
      else {
        const { source, pixelM, extent, ...file } = outcome.tile;
        check.sources.push({ source, pixelM, extent, file });
        if (file.overviews === 0 && Math.max(file.width, file.height) > NEEDS_OVERVIEWS)
          warnings.push(
            `imagery: ${source} has no overviews, and pictures of large parcels need them. Add some with gdaladdo -r average.`,
          );
      }
    }
    if (check.sources.length === 0) problems.push('imagery: none of the files can be read.');
    problems.push(...tileProblems(check.sources, feed));
    return check;
  } catch (error) {
    if (!(error instanceof PlatError)) throw error;
    problems.push(...error.message.split('\n').map(line => `imagery: ${line}`));
    return null;
  }
}
