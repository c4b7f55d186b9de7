import type { Limits } from '../net/context.ts';
import { openBytes } from './byte-source.ts';
import type { ElevationTile } from './header.ts';
import { type Block, openImage, readBlock } from './image.ts';
import { HIGHEST_M, LOWEST_M, nodataRange } from './limits.ts';

/** What a few blocks of a file hold. */
export type HeightSample = {
  cells: number;
  /** Metres; null where no cell has a height. */
  lowestM: number | null;
  highestM: number | null;
  /** Cells whose value no land has, and the first of those values, in the file's unit. */
  dropped: number;
  droppedValue: number | null;
};

/** Two blocks of a tiled file are enough; of one in strips of a row each, all that SHARES names are read. */
const ENOUGH_CELLS = 2 ** 16;

/** Where the blocks lie, as shares of the way from the first to the last one: fill values are at the rim, heights in the middle. */
const SHARES = [0, 1 / 2, 1, 1 / 4, 3 / 4, 1 / 8, 3 / 8, 5 / 8, 7 / 8];

/**
 * Reads a few blocks of a file along its diagonal, the first and the middle one at least.
 * @throws PlatError as `readBlock` does
 */
export async function sampleHeights(
  tile: ElevationTile,
  context: { signal: AbortSignal; limits?: Partial<Limits> },
): Promise<HeightSample> {
  const bytes = openBytes(tile.source, context);
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
    if (heightM < LOWEST_M || heightM > HIGHEST_M) {
      sample.dropped++;
      sample.droppedValue ??= value;
    } else {
      sample.lowestM = Math.min(sample.lowestM ?? heightM, heightM);
      sample.highestM = Math.max(sample.highestM ?? heightM, heightM);
    }
  }
}
