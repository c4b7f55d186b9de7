import { tmpdir } from 'node:os';
import { PlatError } from '../../shared/errors.ts';
import type { Extent } from '../../shared/kernels/geometry/types.ts';
import { declaredBy } from '../ingest/elevation.ts';
import { namedTiles } from '../ingest/open/tiles.ts';
import { readTiles } from '../ingest/stage/stage-tiles.ts';
import type { Fault } from './check-part.ts';
import { tileProblems } from './check-place.ts';
import type { ElevationFeed } from './feed.ts';

export type TileCheck = {
  source: string;
  width: number;
  height: number;
  /** Size of a cell, in units of the CRS. */
  cell: [number, number];
  crs: string;
  /** Metres of one unit of height. */
  unitM: number;
  nodata: number | null;
  /** Degrees. */
  extent: Extent;
};

export type TilesCheck = {
  /** Files that the feed names, and how many of them were looked at. */
  named: number;
  read: number;
  /** Of a template: not there. */
  absent: number;
  rejected: Fault[];
  tiles: TileCheck[];
};

/** @throws PlatError of the index, or of a file that the feed names itself */
async function checkTiles(feed: ElevationFeed, limit: number): Promise<TilesCheck> {
  const { signal } = new AbortController();
  const named = await namedTiles(feed, undefined, { baseDir: feed.baseDir, tmpDir: tmpdir(), signal });
  const check: TilesCheck = { named: named.tiles.length, read: 0, absent: 0, rejected: [], tiles: [] };
  const some = { by: named.by, tiles: named.tiles.slice(0, limit) };
  for await (const [{ rowNo }, outcome] of readTiles(some, declaredBy(feed.elevation), signal)) {
    check.read++;
    if ('absent' in outcome) check.absent++;
    else if ('tile' in outcome) {
      const { source, width, height, stepX, stepY, crs, unitM, nodata, extent } = outcome.tile;
      check.tiles.push({ source, width, height, cell: [stepX, Math.abs(stepY)], crs, unitM, nodata, extent });
    } else {
      const known = check.rejected.find(({ reason }) => reason === outcome.reason);
      if (known) known.count++;
      else check.rejected.push({ ...outcome, field: 'source', count: 1, rowNo });
    }
  }
  return check;
}

function readingProblems({ named, read, tiles, rejected }: TilesCheck, maxRejectPercent: number): string[] {
  if (named === 0) return ['elevation: the index names no tiles.'];
  if (tiles.length === 0) return ['elevation: none of the tiles can be read.'];
  const refused = rejected.reduce((sum, { count }) => sum + count, 0);
  const percent = (100 * refused) / read;
  if (percent <= maxRejectPercent) return [];
  return [
    `elevation: ${refused} of ${read} tiles would be rejected (${percent.toFixed(1)} %, at most ${maxRejectPercent} %).`,
  ];
}

/** Reads the headers of a feed's first tiles; what keeps it from running is added to the problems, and is no error. */
export async function checkElevation(
  feed: ElevationFeed,
  limit: number,
  problems: string[],
): Promise<TilesCheck | null> {
  try {
    const check = await checkTiles(feed, limit);
    problems.push(...readingProblems(check, feed.gates.maxRejectPercent), ...tileProblems(check.tiles, feed));
    return check;
  } catch (error) {
    if (!(error instanceof PlatError)) throw error;
    problems.push(...error.message.split('\n').map(line => `elevation: ${line}`));
    return null;
  }
}
