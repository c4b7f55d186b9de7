import { BaseDecoder, type GeoTIFFImage, type TypedArray } from 'geotiff';
import sharp from 'sharp';
import { PlatError } from '../errors.ts';
import { formatError } from '../net/context.ts';
import { inTurns } from '../turns.ts';
import type { ByteSource } from './byte-source.ts';
import { type Decoder, decoderOf, sizesOf, withTiff } from './image.ts';
import type { Pixels, Source } from './warp.ts';

/** An image of a file in one of its sizes. */
export type Level = {
  image: GeoTIFFImage;
  /** Its number in the file. */
  page: number;
  width: number;
  height: number;
  blockWidth: number;
  blockHeight: number;
  /** Values a pixel: 1 is grey, 3 colours, a fourth is alpha or near infrared. */
  samples: number;
  decoder: Decoder;
};

/** How the values of a file become colours. */
export type Colouring = {
  /** Values of more than 8 bits that become black and white. */
  range: [number, number] | null;
  /** Pixels all of whose colours have this value are none. */
  nodata: number | null;
  /** Whether the fourth sample tells where there is nothing. */
  alpha: boolean;
};

const JPEG = 7;
const YCBCR = 6;
const WEBP = 50001;

/** More sizes than overviews by two of the largest images have. */
const MOST_IMAGES = 40;

/**
 * The full resolution and the overviews of a file, the largest first; masks are left out.
 * @throws PlatError `feed_format` when it is no TIFF that can be read; what the source throws
 */
export function openLevels(source: ByteSource): Promise<[Level, ...Level[]]> {
  return withTiff(source, async tiff => {
    const first = await levelOf(await tiff.getImage(0), 0);
    const count = Math.min(await tiff.getImageCount(), MOST_IMAGES);
    const overviews: Level[] = [];
    for (let i = 1; i < count; i++) {
      const image = await tiff.getImage(i);
      // Bit 0 of NewSubfileType is a reduced image, bit 2 a mask (TIFF 6.0, page 36).
      const isOverview = (Number(image.fileDirectory.getValue('NewSubfileType') ?? 0) & 5) === 1;
      if (isOverview && image.getSamplesPerPixel() === first.samples) overviews.push(await levelOf(image, i));
    }
    return [first, ...overviews.sort((a, b) => b.width - a.width)];
  });
}

async function levelOf(image: GeoTIFFImage, page: number): Promise<Level> {
  return {
    ...sizesOf(image),
    page,
    samples: image.getSamplesPerPixel(),
    decoder: await pixelDecoderOf(image),
  };
}

/** libjpeg and libwebp by way of sharp: geotiff.js's own JPEG takes five times as long and leaves YCbCr as it is, its WebP needs a browser. */
class SharpDecoder extends BaseDecoder {
  readonly #assemble: (bytes: Buffer) => Buffer;
  readonly #samples: number;

  constructor(image: GeoTIFFImage, assemble: (bytes: Buffer) => Buffer) {
    const [tileWidth, tileHeight] = [image.getTileWidth(), image.getTileHeight()];
    super({ tileWidth, tileHeight, predictor: 1, bitsPerSample: 8, planarConfiguration: 1 });
    this.#assemble = assemble;
    this.#samples = image.getSamplesPerPixel();
  }

  override async decodeBlock(bytes: ArrayBufferLike): Promise<ArrayBufferLike> {
    const { tileWidth, tileHeight } = this.parameters;
    const { data, info } = await sharp(this.#assemble(Buffer.from(bytes)), {
      limitInputPixels: tileWidth * tileHeight,
    })
      .raw()
      .toBuffer({ resolveWithObject: true });
    if (info.width !== tileWidth || info.channels !== this.#samples)
      throw new Error(`it holds ${info.width} pixels across of ${info.channels} values`);
    return new Uint8Array(data).buffer;
  }
}

async function pixelDecoderOf(image: GeoTIFFImage): Promise<Decoder> {
  const { fileDirectory } = image;
  const compression = Number(fileDirectory.getValue('Compression') ?? 1);
  if (compression === WEBP) return new SharpDecoder(image, bytes => bytes);
  // Of four samples libjpeg makes inks.
  if (compression !== JPEG || image.getSamplesPerPixel() > 3) return decoderOf(image);
  const tables = await fileDirectory.loadValue('JPEGTables');
  const isYCbCr = Number(fileDirectory.getValue('PhotometricInterpretation')) === YCBCR;
  const head = tables ? Buffer.from(tables as unknown as Uint8Array).subarray(2, -2) : Buffer.alloc(0);
  return new SharpDecoder(image, bytes =>
    Buffer.concat([bytes.subarray(0, 2), adobeMarker(isYCbCr), head, bytes.subarray(2)]),
  );
}

/** APP14 "Adobe": what libjpeg tells YCbCr (1) from colours stored as they are (0) by; a TIFF says it in its directory instead. */
function adobeMarker(isYCbCr: boolean): Buffer {
  return Buffer.from([0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, isYCbCr ? 1 : 0]);
}

/** A rectangle of a level's pixels: [left, right) x [top, bottom). */
export type PixelWindow = { left: number; top: number; right: number; bottom: number };

/** None, LZW, JPEG, and deflate under both of its codes. */
const VIPS_COMPRESSIONS = new Set([1, 5, JPEG, 8, 32946]);

/**
 * Reads a window of a file on disk by libvips, in half the time of `readPixels` and with less to collect.
 * @returns null for what libvips reads otherwise or not at all: masks, 16 bits, one band, sparse and damaged files
 */
export async function readOnDisk(
  path: string,
  level: Level,
  window: PixelWindow,
  colouring: Colouring,
): Promise<Source | null> {
  const { image, page, samples } = level;
  const tag = (name: 'Compression' | 'PhotometricInterpretation') =>
    Number(image.fileDirectory.getValue(name) ?? 1);
  const isColour = [2, YCBCR].includes(tag('PhotometricInterpretation')) && (samples === 3 || samples === 4);
  if (!isColour || !VIPS_COMPRESSIONS.has(tag('Compression'))) return null;
  // By an associated alpha (1), which may be near infrared, libvips would divide.
  if (Number(image.fileDirectory.getValue('ExtraSamples')?.[0] ?? 0) === 1) return null;
  const { range, nodata, alpha } = colouring;
  if (range !== null || alpha) return null;
  const { left, top, bottom } = window;
  const [width, height] = [window.right - left, bottom - top];
  const readRows = (from: number, to: number) =>
    sharp(path, { page, ignoreIcc: true, limitInputPixels: false })
      .extract({ left, top: from, width, height: to - from })
      .removeAlpha()
      .raw()
      .toBuffer();
  // libvips unpacks on one core: two halves, between blocks, are read at once.
  const middle = Math.round((top + bottom) / 2 / level.blockHeight) * level.blockHeight;
  const halves =
    middle > top && middle < bottom
      ? [readRows(top, middle), readRows(middle, bottom)]
      : [readRows(top, bottom)];
  const data = await Promise.all(halves).then(
    parts => Buffer.concat(parts),
    () => null,
  );
  if (data?.length !== 3 * width * height) return null;
  if (nodata === null || !holds(data, nodata)) return { width, height, channels: 3, data };
  const pixels: Source = { width, height, channels: 4, data: new Uint8Array(4 * width * height) };
  const block = { planes: [data, data.subarray(1), data.subarray(2)], step: 3, stride: 3 * width };
  drawBlock(block, level, window, [left, top], colouring, { ...pixels, at: 0 });
  return pixels;
}

/** Whether a pixel is nothing but this value. */
function holds(data: Uint8Array, value: number): boolean {
  for (let at = 0; at < data.length; at += 3)
    if (data[at] === value && data[at + 1] === value && data[at + 2] === value) return true;
  return false;
}

/** Blocks that are held decoded at a time. */
const BLOCKS_AT_ONCE = 4;

/**
 * Reads a window of a level, every `shrink` x `shrink` of its pixels as their mean, so that what is held is as small as what is wanted.
 * @param name of the file, for messages
 * @throws PlatError `feed_format` when a block cannot be decoded; what the source throws
 */
export async function readPixels(
  level: Level,
  { left, top, right, bottom }: PixelWindow,
  shrink: number,
  colouring: Colouring,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<Source> {
  const width = Math.ceil((right - left) / shrink);
  const height = Math.ceil((bottom - top) / shrink);
  const pixels: Source = { width, height, channels: 4, data: new Uint8Array(4 * width * height) };
  const sums = shrink > 1 ? new Uint32Array(4 * width * height) : null;
  const inTurn = inTurns(BLOCKS_AT_ONCE);
  const work: Promise<void>[] = [];
  for (let row = Math.floor(top / level.blockHeight); row * level.blockHeight < bottom; row++) {
    for (let column = Math.floor(left / level.blockWidth); column * level.blockWidth < right; column++) {
      const one = inTurn(async () => {
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
          return drawBlock(block, level, place, [x0, y0], colouring, to);
        }
        const own = place.right - column0;
        const part = { width: own, data: new Uint8Array(4 * own * (place.bottom - row0)), at: 0 };
        drawBlock(block, level, place, [x0, y0], colouring, part);
        addColours(sums, width, part.data, place, { left, top }, shrink);
      });
      work.push(one);
    }
  }
  await Promise.all(work);
  if (sums !== null) settle(pixels, sums);
  return pixels;
}

/** The values of a block: interleaved, or an array for each sample. Null where a sparse file has left it out. */
type Block = { planes: TypedArray[]; step: number; stride: number } | null;

/** The values of one block. @throws PlatError as `readPixels` */
export async function decodeBlock(level: Level, column: number, row: number, name: string): Promise<Block> {
  const { image, blockWidth, blockHeight, width, height, samples, decoder } = level;
  const colours = samples < 3 ? 1 : Math.min(4, samples);
  try {
    const planar = image.planarConfiguration === 2;
    const index = row * Math.ceil(width / blockWidth) + column;
    const counts = image.isTiled ? 'TileByteCounts' : 'StripByteCounts';
    if (Number(await image.fileDirectory.loadValueIndexed(counts, index)) === 0) return null;
    if (!image.littleEndian && image.getBitsPerSample() > 8)
      return await readOneByOne(level, column, row, colours);
    const read = async (sample: number) => {
      const { data } = await image.getTileOrStrip(column, row, sample, decoder);
      const values = image.getArrayForSample(sample, data);
      const rows = Math.min(blockHeight, height - row * blockHeight);
      if (values.length < blockWidth * rows * (planar ? 1 : samples))
        throw new Error('it holds too few pixels');
      return values;
    };
    if (planar) {
      const planes = await Promise.all(Array.from({ length: colours }, (_, sample) => read(sample)));
      return { planes, step: 1, stride: blockWidth };
    }
    const values = await read(0);
    const planes = Array.from({ length: colours }, (_, sample) => values.subarray(sample) as TypedArray);
    return { planes, step: samples, stride: blockWidth * samples };
  } catch (cause) {
    if (cause instanceof PlatError || (cause instanceof Error && cause.name === 'AbortError')) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw formatError(
      `${name}: block ${column}, ${row} of its pixels cannot be decoded (${reason}). Fetch or write the file again.`,
      cause,
    );
  }
}

/** Numbers of more than a byte with the high one first. */
async function readOneByOne(level: Level, column: number, row: number, colours: number): Promise<Block> {
  const { image, blockWidth, blockHeight, width, height } = level;
  const [left, top] = [column * blockWidth, row * blockHeight];
  const right = Math.min(left + blockWidth, width);
  const window = [left, top, right, Math.min(top + blockHeight, height)];
  const samples = Array.from({ length: colours }, (_, sample) => sample);
  const planes = (await image.readRasters({ window, samples, interleave: false })) as unknown as TypedArray[];
  return { planes: [...planes], step: 1, stride: right - left };
}

/** Draws the part of a block that is wanted; `at` is the pixel where it begins. */
function drawBlock(
  { planes, step, stride }: NonNullable<Block>,
  level: Level,
  { left, top, right, bottom }: PixelWindow,
  [blockLeft, blockTop]: [number, number],
  { range, nodata, alpha }: Colouring,
  to: { width: number; data: Uint8Array; at: number },
): void {
  const red = planes[0]!;
  const [green, blue] = planes.length < 3 ? [red, red] : [planes[1]!, planes[2]!];
  const mask = alpha && level.samples >= 4 ? planes[3] : undefined;
  const shades = range === null ? null : shadesOf(range);
  const { data } = to;
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

/** The 8 bits of each value of 16. */
function shadesOf([low, high]: [number, number]): Uint8ClampedArray {
  return Uint8ClampedArray.from({ length: 2 ** 16 }, (_, value) => ((value - low) * 255) / (high - low));
}

/** Adds colours to the sums of their cells. */
function addColours(
  sums: Uint32Array,
  width: number,
  colours: Uint8Array,
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
      if (colours[at + 3] === 0) continue;
      const to = 4 * (row + Math.floor((place.left + x - origin.left) / shrink));
      sums[to]! += colours[at]!;
      sums[to + 1]! += colours[at + 1]!;
      sums[to + 2]! += colours[at + 2]!;
      sums[to + 3]!++;
    }
  }
}

function settle({ data }: Pixels, sums: Uint32Array): void {
  for (let at = 0; at < data.length; at += 4) {
    const count = sums[at + 3]!;
    if (count === 0) continue;
    for (let sample = 0; sample < 3; sample++) data[at + sample] = Math.round(sums[at + sample]! / count);
    data[at + 3] = 255;
  }
}
