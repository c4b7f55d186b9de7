import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { BaseDecoder, GeoTIFF, type GeoTIFFImage, getDecoder, type TypedArray } from 'geotiff';
import { messageOf, PlatError } from '../base/errors.ts';
import { formatError } from '../net/download-context.ts';
import type { ByteSource } from './byte-source.ts';

/** The full-resolution image of a GeoTIFF; blocks are its tiles or strips. */
export type ElevationImage = {
  image: GeoTIFFImage;
  width: number;
  height: number;
  blockWidth: number;
  blockHeight: number;
  bytesPerCell: number;
  decoder: Decoder;
};

/** Cells by rows, as they are in the file, or null where a sparse file has left the block out. */
export type Block = { values: TypedArray; stride: number; width: number; height: number } | null;

/**
 * Bytes of a number are kept as this machine has them; all that Node runs on have the low one
 * first, but for IBM's.
 */
export const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Headers, directories and their arrays of a cloud-optimized file lie in its first bytes; other files
 * cost a few reads more.
 */
const HEAD_BYTES = 32 * 1024;

/** What geotiff.js asks for when it does not know how long a directory is. */
const GUESS_BYTES = 4048;

/**
 * The first image is the full resolution (TIFF). @throws PlatError `feed_format` when it is no TIFF;
 * what the source throws
 */
export function openImage(source: ByteSource): Promise<ElevationImage> {
  return withTiff(source, async tiff => {
    const image = await tiff.getImage(0);
    return {
      ...sizesOf(image),
      bytesPerCell: image.getBytesPerPixel(),
      decoder: await decoderOf(image),
    };
  });
}

export function sizesOf(image: GeoTIFFImage) {
  const [width, height] = [image.getWidth(), image.getHeight()];
  return { image, width, height, blockWidth: image.getTileWidth(), blockHeight: image.getTileHeight() };
}

/** Reads something from the directories of a file. @throws PlatError as `openImage` */
export async function withTiff<T>(source: ByteSource, read: (tiff: GeoTIFF) => Promise<T>): Promise<T> {
  const head = await source.read(0, HEAD_BYTES);
  try {
    const tiff = await GeoTIFF.fromSource(tiffSource(source, head));
    // All arrays at once: read one by one, 3.0.5 takes those of big-endian files for little-endian.
    tiff.parser.eager = true;
    return await read(tiff);
  } catch (cause) {
    if (cause instanceof PlatError || (cause instanceof Error && cause.name === 'AbortError')) throw cause;
    throw formatError(
      `${source.name} is not a GeoTIFF that can be read (${messageOf(cause)}). Convert it with gdal_translate -of COG.`,
      cause,
    );
  }
}

/**
 * Blocks at the right and lower rim are as wide and high as the image. @throws PlatError `feed_format`;
 * what the source throws
 */
export async function readBlock(
  { image, width, height, blockWidth, blockHeight, decoder }: ElevationImage,
  column: number,
  row: number,
  name: string,
): Promise<Block> {
  const left = column * blockWidth;
  const top = row * blockHeight;
  const right = Math.min(left + blockWidth, width);
  const bottom = Math.min(top + blockHeight, height);
  try {
    // geotiff.js fills absent blocks with the file's nodata, or 0 when that is NaN or not stated: a
    // height like any other.
    const index = row * Math.ceil(width / blockWidth) + column;
    const counts = image.isTiled ? 'TileByteCounts' : 'StripByteCounts';
    if (Number(await image.fileDirectory.loadValueIndexed(counts, index)) === 0) return null;
    const size = { width: right - left, height: bottom - top };
    if (image.littleEndian === LITTLE_ENDIAN && !isHalfFloat(image)) {
      const { data } = await image.getTileOrStrip(column, row, 0, decoder);
      const values = image.getArrayForSample(0, data);
      if (values.length < blockWidth * size.height) throw new Error('it holds too few cells');
      return { values, stride: blockWidth, ...size };
    }
    // Other orders of bytes, and half floats, are read one by one.
    const window = [left, top, right, bottom];
    const values = await image.readRasters({ window, samples: [0], interleave: true });
    return { values, stride: size.width, ...size };
  } catch (cause) {
    if (cause instanceof PlatError || (cause instanceof Error && cause.name === 'AbortError')) throw cause;
    throw formatError(
      `${name}: the block of cells ${left}-${right - 1}, ${top}-${bottom - 1} cannot be decoded (${messageOf(cause)}). Fetch or write the file again.`,
      cause,
    );
  }
}

function isHalfFloat(image: GeoTIFFImage): boolean {
  return image.getSampleFormat() === 3 && image.getBitsPerSample() === 16;
}

/** A source as geotiff.js takes it. */
function tiffSource(source: ByteSource, head: ArrayBuffer) {
  const read = async (offset: number, length: number): Promise<ArrayBuffer> => {
    if (offset + length <= head.byteLength) return head.slice(offset, offset + length);
    const bytes = await source.read(offset, length);
    if (bytes.byteLength < length && length > GUESS_BYTES) {
      throw formatError(`${source.name} is cut off. Fetch or copy it again.`);
    }
    return bytes;
  };
  return {
    fetch: (slices: { offset: number; length: number }[]) =>
      Promise.all(slices.map(({ offset, length }) => read(offset, length))),
    fetchSlice: async ({ offset, length }: { offset: number; length: number }) => ({
      data: await read(offset, length),
      offset,
      length,
    }),
    fileSize: null,
    close: async () => {},
  };
}

/** What geotiff.js hands a block's bytes to. */
export type Decoder = { decode(bytes: ArrayBufferLike): Promise<ArrayBufferLike> };

/** Deflate as TIFF 6.0 adopted it, and under its older code. */
const DEFLATE = new Set([8, 32946]);

/** The least that zlib takes for a chunk (Z_MIN_CHUNK). */
const MIN_CHUNK = 64;

type Parameters = ConstructorParameters<typeof BaseDecoder>[0];

const inflated = promisify<Uint8Array, { maxOutputLength: number; chunkSize: number }, Buffer>(inflate);

/**
 * Node's own zlib takes a third of the time of pako, geotiff.js's inflater, and does not hold
 * up the event loop.
 */
class ZlibDecoder extends BaseDecoder {
  override async decodeBlock(bytes: ArrayBufferLike): Promise<ArrayBufferLike> {
    const { tileWidth, tileHeight, bitsPerSample, planarConfiguration } = this.parameters;
    const bits = typeof bitsPerSample === 'number' ? [bitsPerSample] : Array.from(bitsPerSample);
    const samples = planarConfiguration === 2 ? 1 : bits.length;
    const size = (tileWidth * tileHeight * samples * bits[0]!) / 8;
    // No more than a block: a damaged or hostile file cannot fill the memory.
    const options = { maxOutputLength: size, chunkSize: Math.max(MIN_CHUNK, size) };
    return arrayBufferOf(await inflated(new Uint8Array(bytes), options));
  }
}

export function arrayBufferOf({ buffer, byteOffset, byteLength }: Buffer): ArrayBufferLike {
  return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
}

/** The decoder of an image whose directory is read. @throws Error when the compression is not known */
export async function decoderOf(image: GeoTIFFImage): Promise<Decoder> {
  const { fileDirectory } = image;
  const parameters: Parameters & { LercParameters?: unknown } = {
    tileWidth: image.getTileWidth(),
    tileHeight: image.getTileHeight(),
    predictor: Number((await fileDirectory.loadValue('Predictor')) ?? 1),
    bitsPerSample: Array.from({ length: image.getSamplesPerPixel() }, (_, i) => image.getBitsPerSample(i)),
    planarConfiguration: image.planarConfiguration,
    LercParameters: await fileDirectory.loadValue('LercParameters'),
  };
  const compression = Number(fileDirectory.getValue('Compression') ?? 1);
  return DEFLATE.has(compression) ? new ZlibDecoder(parameters) : getDecoder(compression, parameters);
}
