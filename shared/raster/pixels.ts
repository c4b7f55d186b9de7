import type { GeoTIFFImage, TypedArray } from 'geotiff';
import pLimit from 'p-limit';
import { PlatError } from '../platform/errors.ts';
import { formatError } from '../platform/http/download-context.ts';
import { blockDecoderOf } from './block-decoder.ts';
import type { ByteSource } from './byte-source.ts';
import { type Decoder, imageSizes, LITTLE_ENDIAN, withTiff } from './image.ts';
import { type Pixels, pixelWords } from './warp.ts';

/** One resolution of an image. */
export type Level = {
  image: GeoTIFFImage;
  width: number;
  height: number;
  blockWidth: number;
  blockHeight: number;
  /** Number of values per pixel: 1 is gray, 3 are colors, and a fourth is alpha or near infrared. */
  samples: number;
  decoder(rows: number): Decoder;
};

/** How a file's values become colors. */
export type ColorModel = {
  /** The values that become black and white, or null for 8-bit values. */
  range: [number, number] | null;
  /** Pixels with this value in all colors are empty. */
  nodata: number | null;
  /** Whether the fourth sample is alpha. */
  alpha: boolean;
};

/** More than the number of overviews in the largest images. */
const MAX_IMAGES = 40;

/**
 * The full resolution and the overviews, largest first.
 * @throws PlatError `feed_format`; errors from the source
 */
export function openLevels(source: ByteSource): Promise<[Level, ...Level[]]> {
  return withTiff(source, async tiff => {
    const first = await levelOf(await tiff.getImage(0));
    const count = Math.min(await tiff.getImageCount(), MAX_IMAGES);
    const overviews: Level[] = [];
    for (let i = 1; i < count; i++) {
      const image = await tiff.getImage(i);
      // NewSubfileType: bit 0 marks a reduced image, bit 2 a mask (TIFF 6.0, page 36).
      const isOverview = (Number(image.fileDirectory.getValue('NewSubfileType') ?? 0) & 5) === 1;
      if (isOverview && image.getSamplesPerPixel() === first.samples) overviews.push(await levelOf(image));
    }
    return [first, ...overviews.sort((a, b) => b.width - a.width)];
  });
}

async function levelOf(image: GeoTIFFImage): Promise<Level> {
  const samples = image.getSamplesPerPixel();
  return { ...imageSizes(image), samples, decoder: await blockDecoderOf(image) };
}

/** A rectangle of a level's pixels: [left, right) x [top, bottom). */
export type PixelWindow = { left: number; top: number; right: number; bottom: number };

/** Number of blocks to decode in memory at a time. */
const MAX_CONCURRENT_BLOCKS = 4;

/**
 * Reads a window of a level, averaging `shrink` x `shrink` pixels into one. @throws PlatError `feed_format`;
 * errors from the source
 */
export async function readPixels(
  level: Level,
  { left, top, right, bottom }: PixelWindow,
  shrink: number,
  coloring: ColorModel,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<Pixels> {
  const width = Math.ceil((right - left) / shrink);
  const height = Math.ceil((bottom - top) / shrink);
  const pixels: Pixels = { width, height, data: new Uint8Array(4 * width * height) };
  const sums = shrink > 1 ? new Uint32Array(4 * width * height) : null;
  const limit = pLimit(MAX_CONCURRENT_BLOCKS);
  const work: Promise<void>[] = [];
  for (let row = Math.floor(top / level.blockHeight); row * level.blockHeight < bottom; row++) {
    for (let column = Math.floor(left / level.blockWidth); column * level.blockWidth < right; column++) {
      const one = limit(async () => {
        signal.throwIfAborted();
        const block = await decodeBlock(level, column, row, name);
        if (block === null) return;
        const [x0, y0] = [column * level.blockWidth, row * level.blockHeight];
        const place = {
          left: Math.max(left, x0),
          top: Math.max(top, y0),
          right: Math.min(right, x0 + level.blockWidth, level.width),
          bottom: Math.min(bottom, y0 + level.blockHeight, level.height),
        };
        const { left: column0, top: row0 } = place;
        if (sums === null) {
          const to = { ...pixels, at: (row0 - top) * width + column0 - left };
          return drawBlock(block, level, place, [x0, y0], coloring, to);
        }
        const own = place.right - column0;
        const part = { width: own, data: new Uint8Array(4 * own * (place.bottom - row0)), at: 0 };
        drawBlock(block, level, place, [x0, y0], coloring, part);
        addColors(sums, width, part.data, place, { left, top }, shrink);
      });
      work.push(one);
    }
  }
  await Promise.all(work);
  if (sums !== null) writeMeans(pixels, sums);
  return pixels;
}

/** The values of a block, interleaved or as one array per sample. Null if a sparse file omits the block. */
type Block = { planes: TypedArray[]; step: number; stride: number } | null;

/** Decodes one block. @throws PlatError as `readPixels` */
export async function decodeBlock(level: Level, column: number, row: number, name: string): Promise<Block> {
  const { image, blockWidth, blockHeight, width, height, samples, decoder } = level;
  const colors = samples < 3 ? 1 : Math.min(4, samples);
  try {
    const planar = image.planarConfiguration === 2;
    const index = row * Math.ceil(width / blockWidth) + column;
    const counts = image.isTiled ? 'TileByteCounts' : 'StripByteCounts';
    if (Number(await image.fileDirectory.loadValueIndexed(counts, index)) === 0) return null;
    const rows = Math.min(blockHeight, height - row * blockHeight);
    const read = async (sample: number) => {
      // The last strip is short, while tiles at the edge are padded.
      const { data } = await image.getTileOrStrip(
        column,
        row,
        sample,
        decoder(image.isTiled ? blockHeight : rows),
      );
      const values = image.getArrayForSample(sample, data);
      if (values.length < blockWidth * rows * (planar ? 1 : samples))
        throw new Error('it has too few pixels');
      return values;
    };
    if (planar) {
      const planes = await Promise.all(Array.from({ length: colors }, (_, sample) => read(sample)));
      return { planes, step: 1, stride: blockWidth };
    }
    const values = await read(0);
    const planes = Array.from({ length: colors }, (_, sample) => values.subarray(sample) as TypedArray);
    return { planes, step: samples, stride: blockWidth * samples };
  } catch (cause) {
    if (cause instanceof PlatError || (cause instanceof Error && cause.name === 'AbortError')) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw formatError(
      `${name}: block ${column}, ${row} of its pixels can't be decoded (${reason}). Download or write the file again.`,
      cause,
    );
  }
}

/** The alpha byte within a pixel's 32 bits. */
const OPAQUE = LITTLE_ENDIAN ? 0xff000000 : 0xff;

/** Draws the visible part of a block. `at` is the target pixel where it starts. */
function drawBlock(
  { planes, step, stride }: NonNullable<Block>,
  level: Level,
  { left, top, right, bottom }: PixelWindow,
  [blockLeft, blockTop]: [number, number],
  { range, nodata, alpha }: ColorModel,
  to: { width: number; data: Uint8Array; at: number },
): void {
  const red = planes[0]!;
  const [green, blue] = planes.length < 3 ? [red, red] : [planes[1]!, planes[2]!];
  const mask = alpha && level.samples >= 4 ? planes[3] : undefined;
  const shades = range === null ? null : shadeTable(range);
  const { data } = to;
  if (step === 4 && red.BYTES_PER_ELEMENT === 1 && nodata === null && mask === undefined) {
    // 8-bit colors are copied as words, four values at once.
    const [from, into] = [pixelWords({ data: red as Uint8Array }), pixelWords(to)];
    for (let y = top; y < bottom; y++) {
      const shift = (y - blockTop) * (stride >> 2) - blockLeft;
      const at = to.at + (y - top) * to.width - left;
      for (let x = left; x < right; x++) into[at + x] = from[shift + x]! | OPAQUE;
    }
    return;
  }
  for (let y = top; y < bottom; y++) {
    let from = (y - blockTop) * stride + (left - blockLeft) * step;
    let at = 4 * (to.at + (y - top) * to.width);
    for (let x = left; x < right; x++, from += step, at += 4) {
      const [r, g, b] = [red[from]!, green[from]!, blue[from]!];
      if ((r === nodata && g === nodata && b === nodata) || (mask !== undefined && mask[from] === 0))
        continue;
      data[at] = shades === null ? r : shades[r]!;
      data[at + 1] = shades === null ? g : shades[g]!;
      data[at + 2] = shades === null ? b : shades[b]!;
      data[at + 3] = 255;
    }
  }
}

function shadeTable([low, high]: [number, number]): Uint8ClampedArray {
  return Uint8ClampedArray.from({ length: 2 ** 16 }, (_, value) => ((value - low) * 255) / (high - low));
}

function addColors(
  sums: Uint32Array,
  width: number,
  colors: Uint8Array,
  place: PixelWindow,
  origin: { left: number; top: number },
  shrink: number,
): void {
  const columns = place.right - place.left;
  for (let y = place.top; y < place.bottom; y++) {
    const from = 4 * (y - place.top) * columns;
    const row = Math.floor((y - origin.top) / shrink) * width;
    for (let x = 0; x < columns; x++) {
      const at = from + 4 * x;
      if (colors[at + 3] === 0) continue;
      const to = 4 * (row + Math.floor((place.left + x - origin.left) / shrink));
      sums[to]! += colors[at]!;
      sums[to + 1]! += colors[at + 1]!;
      sums[to + 2]! += colors[at + 2]!;
      sums[to + 3]!++;
    }
  }
}

function writeMeans({ data }: Pixels, sums: Uint32Array): void {
  for (let at = 0; at < data.length; at += 4) {
    const count = sums[at + 3]!;
    if (count === 0) continue;
    for (let sample = 0; sample < 3; sample++) data[at + sample] = Math.round(sums[at + sample]! / count);
    data[at + 3] = 255;
  }
}
