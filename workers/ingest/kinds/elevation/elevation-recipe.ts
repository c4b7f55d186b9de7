import { boxSql, boxToE7 } from '../../../../shared/geo/box.ts';
import { PlatError } from '../../../../shared/platform/errors.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { openByteSource } from '../../../../shared/raster/byte-source.ts';
import { type Block, openImage, readBlock } from '../../../../shared/raster/image.ts';
import { MAX_HEIGHT_M, MIN_HEIGHT_M, nodataRange } from '../../../../shared/raster/limits.ts';
import {
  type ElevationTile,
  readTileHeader,
  type TileHeader,
} from '../../../../shared/raster/tiff-header.ts';
import { addProblem } from '../../engine/check-part.ts';
import {
  checkContext,
  type DryRun,
  type HeightSample,
  type TileCheck,
  type TilesCheck,
} from '../../engine/dry-run.ts';
import type { Recipe } from '../../engine/recipe.ts';
import { checkFiles, tileProblems } from '../../layers/check-files.ts';
import { compareFiles } from '../../layers/layer-editions.ts';
import { stageTiles, tilesOf } from '../../layers/stage-tiles.ts';
import type { ElevationFeed } from './elevation-feed.ts';

/** Only headers are stored. Heights are read one window at a time when attributes are computed. */
export const elevationRecipe: Recipe<ElevationFeed, TileHeader[]> = {
  tables: [sql('land/create_tile_stage')],
  stage: (run, { elevation: input }) => {
    const files = tilesOf(run, 'elevation', input.tiles, source =>
      readTileHeader(source, input, { signal: run.signal }),
    );
    return stageTiles(run, 'elevation', files, 'land/stage_tiles', elevationRow);
  },
  compare: (db, run, feed, tiles) =>
    compareFiles(db, run, feed, tiles, {
      words: 'tiles',
      tables: { staged: 'stage_tile', stored: 'elevation_tiles' },
      // A feed has no more than a few thousand tiles, so rewrite them all.
      async merge(tx) {
        await tx.run('land/delete_tiles', { feed_id: run.feedId });
        await tx.run('land/insert_tiles');
      },
    }),
  check: checkElevation,
};

function elevationRow(tile: TileHeader): object {
  const { source, fingerprint, width, height, crs, nodata } = tile;
  const [origin_x, origin_y, step_x, step_y] = [tile.originX, tile.originY, tile.stepX, tile.stepY];
  const place = { width, height, origin_x, origin_y, step_x, step_y, extent: boxSql(boxToE7(tile.extent)) };
  return { source, fingerprint, ...place, crs, unit_m: tile.unitM, nodata };
}

/** Number of files to sample. A tiled file takes two HTTP requests to sample. */
const SAMPLED = 50;

/**
 * Samples the heights, because a file with a valid header can still be damaged, and parcels there would get
 * no figures.
 */
async function heightsOf(
  tile: TileHeader,
  context: { signal: AbortSignal },
  warnings: string[],
): Promise<HeightSample | null> {
  try {
    return await sampleHeights(tile, context);
  } catch (error) {
    if (!(error instanceof PlatError)) throw error;
    warnings.push(`elevation: ${error.message}`);
    return null;
  }
}

/** The lowest land in the United States is at -86 m. Lower values are the sea floor or a fill value. */
const DEEP_M = -100;

const FILLS_SHOWN = 3;

/** Warnings about values that may mean empty cells but are not declared as nodata. */
function fillWarnings(tiles: readonly TileCheck[]): string[] {
  return tiles.flatMap(({ source, heights }) => {
    if (heights === null) return [];
    const { cells, dropped, droppedValue, lowestM } = heights;
    if (dropped > 0)
      return [
        `elevation: ${dropped} of ${cells} sampled cells of ${source} have impossible elevations (first: ${droppedValue}; in meters, outside ${MIN_HEIGHT_M} to ${MAX_HEIGHT_M}). Plat treats them as empty. Set the value for empty cells as elevation.nodata, or the unit as elevation.vertical_unit.`,
      ];
    if (lowestM !== null && lowestM < DEEP_M)
      return [
        `elevation: ${source} has elevations down to ${lowestM.toFixed(1)} m, but no land in the United States is below -86 m. If the value marks empty cells, set it as elevation.nodata. The sea floor is fine.`,
      ];
    return [];
  });
}

function readingProblems({ named, read, tiles, rejected }: TilesCheck, max_reject_percent: number): string[] {
  if (named === 0) return ['elevation: the index lists no tiles.'];
  if (tiles.length === 0) return ['elevation: none of the tiles can be read.'];
  const refused = rejected.reduce((sum, { count }) => sum + count, 0);
  const percent = (100 * refused) / read;
  if (percent <= max_reject_percent) return [];
  return [
    `elevation: ${refused} of ${read} tiles would be rejected (${percent.toFixed(1)}%, limit ${max_reject_percent}%).`,
  ];
}

/** Adds the reasons why the feed cannot run to the problems. */
async function checkElevation({ limit, result }: DryRun, feed: ElevationFeed): Promise<void> {
  const { elevation, gates } = feed;
  const { problems, warnings } = result;
  const tiles: TileCheck[] = [];
  const context = checkContext(feed.baseDir);
  const read = (source: string) => readTileHeader(source, elevation, context);
  try {
    const files = await checkFiles(elevation.tiles, context, limit, read, async header => {
      const { source, width, height, stepX, stepY, crs, unitM, unitStated, nodata, extent } = header;
      const heights = tiles.length < SAMPLED ? await heightsOf(header, context, warnings) : null;
      const cell: TileCheck['cell'] = [stepX, Math.abs(stepY)];
      tiles.push({ source, width, height, cell, crs, unitM, unitStated, nodata, heights, extent });
    });
    const check = { ...files, tiles };
    const fills = fillWarnings(tiles);
    warnings.push(...fills.slice(0, FILLS_SHOWN));
    if (fills.length > FILLS_SHOWN)
      warnings.push(`elevation: and ${fills.length - FILLS_SHOWN} more files like these.`);
    problems.push(...readingProblems(check, gates.max_reject_percent), ...tileProblems(tiles, feed));
    result.tiles = check;
  } catch (error) {
    addProblem(problems, 'elevation', error);
  }
}

/**
 * Sampling stops after this many cells. Two blocks of a tiled file are enough. For a file in strips of one
 * row, all blocks in SHARES are read.
 */
const ENOUGH_CELLS = 2 ** 16;

/**
 * Positions of the sampled blocks between the first and the last. Fill values are at the edges, and heights
 * are in the middle.
 */
const SHARES = [0, 1 / 2, 1, 1 / 4, 3 / 4, 1 / 8, 3 / 8, 5 / 8, 7 / 8];

/**
 * Reads blocks along the diagonal, including at least the first and the middle one.
 * @throws the PlatErrors of `readBlock`
 */
async function sampleHeights(tile: ElevationTile, context: { signal: AbortSignal }): Promise<HeightSample> {
  const bytes = openByteSource(tile.source, context);
  const image = await openImage(bytes);
  const across = Math.ceil(image.width / image.blockWidth);
  const down = Math.ceil(image.height / image.blockHeight);
  const sample: HeightSample = { cells: 0, lowestM: null, highestM: null, dropped: 0, droppedValue: null };
  const read = new Set<number>();
  for (const share of SHARES) {
    if (read.size > 1 && sample.cells >= ENOUGH_CELLS) break;
    const [column, row] = [Math.round(share * (across - 1)), Math.round(share * (down - 1))];
    if (read.has(row * across + column)) continue;
    read.add(row * across + column);
    addBlock(sample, tile, await readBlock(image, column, row, bytes.name));
  }
  return sample;
}

function addBlock(sample: HeightSample, { unitM, nodata }: ElevationTile, block: Block): void {
  if (block === null) return;
  const { values, stride, width, height } = block;
  const [lowNodata, highNodata] = nodataRange(nodata, values);
  sample.cells += width * height;
  for (let i = 0; i < width * height; i++) {
    const value = values[Math.floor(i / width) * stride + (i % width)]!;
    if ((value >= lowNodata && value <= highNodata) || !Number.isFinite(value)) continue;
    const heightM = value * unitM;
    if (heightM < MIN_HEIGHT_M || heightM > MAX_HEIGHT_M) {
      sample.dropped++;
      sample.droppedValue ??= value;
    } else {
      sample.lowestM = Math.min(sample.lowestM ?? heightM, heightM);
      sample.highestM = Math.max(sample.highestM ?? heightM, heightM);
    }
  }
}
