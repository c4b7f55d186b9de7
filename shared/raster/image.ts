import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { BaseDecoder, GeoTIFF, type GeoTIFFImage, getDecoder, type TypedArray } from 'geotiff';
import { messageOf, PlatError } from '../platform/errors.ts';
import { formatError } from '../platform/http/download-context.ts';
import type { ByteSource } from './byte-source.ts';

/** The full-resolution image of a GeoTIFF. Blocks are its tiles or strips. */
export type ElevationImage = {
  image: GeoTIFFImage;
  width: number;
  height: number;
  blockWidth: number;
  blockHeight: number;
  bytesPerCell: number;
  decoder: Decoder;
};

/** Raw cells, row by row, or null if a sparse file omits the block. */
export type Block = { values: TypedArray; stride: number; width: number; height: number } | null;

/** This machine's byte order, which is little-endian on all Node platforms except s390x and AIX. */
export const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Number of bytes to read first. In a cloud-optimized file, these contain the header and directories. Other
 * files take a few more reads.
 */
const HEAD_BYTES = 32 * 1024;

/** The number of bytes that geotiff.js requests if it doesn't know a directory's length. */
const GEOTIFF_GUESS_BYTES = 4048;

/**
 * Opens the first image, which is the full resolution. @throws PlatError `feed_format` if the file isn't a
 * TIFF; errors from the source
 */
export function openImage(source: ByteSource): Promise<ElevationImage> {
  return withTiff(source, async tiff => {
    const image = await tiff.getImage(0);
    return {
      ...imageSizes(image),
      bytesPerCell: image.getBytesPerPixel(),
      decoder: await decoderOf(image),
    };
  });
}

export function imageSizes(image: GeoTIFFImage) {
  const [width, height] = [image.getWidth(), image.getHeight()];
  return { image, width, height, blockWidth: image.getTileWidth(), blockHeight: image.getTileHeight() };
}

/** Calls `read` with the opened file. @throws PlatError as `openImage` */
export async function withTiff<T>(source: ByteSource, read: (tiff: GeoTIFF) => Promise<T>): Promise<T> {
  const head = await source.read(0, HEAD_BYTES);
  try {
    const tiff = await GeoTIFF.fromSource(tiffSource(source, head));
    // Load all arrays at once, because geotiff.js 3.0.5 reads single values in big-endian files as
    // little-endian.
    tiff.parser.eager = true;
    return await read(tiff);
  } catch (cause) {
    if (cause instanceof PlatError || (cause instanceof Error && cause.name === 'AbortError')) throw cause;
    throw formatError(
      `${source.name} is not a readable GeoTIFF (${messageOf(cause)}). Convert it with gdal_translate -of COG.`,
      cause,
    );
  }
}

/** Reads a block. Blocks at the right and lower edges are cropped to the image. */
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
    // Skip absent blocks here, because geotiff.js fills them with the file's nodata value, or with 0, which
    // would be a height.
    const index = row * Math.ceil(width / blockWidth) + column;
    const counts = image.isTiled ? 'TileByteCounts' : 'StripByteCounts';
    if (Number(await image.fileDirectory.loadValueIndexed(counts, index)) === 0) return null;
    const size = { width: right - left, height: bottom - top };
    if (image.littleEndian === LITTLE_ENDIAN && !isHalfFloat(image)) {
      const { data } = await image.getTileOrStrip(column, row, 0, decoder);
      const values = image.getArrayForSample(0, data);
      if (values.length < blockWidth * size.height) throw new Error('it has too few cells');
      return { values, stride: blockWidth, ...size };
    }
    // Files in the other byte order and half floats are read value by value, which is slower.
    const window = [left, top, right, bottom];
    const values = await image.readRasters({ window, samples: [0], interleave: true });
    return { values, stride: size.width, ...size };
  } catch (cause) {
    if (cause instanceof PlatError || (cause instanceof Error && cause.name === 'AbortError')) throw cause;
    throw formatError(
      `${name}: the block of cells ${left}-${right - 1}, ${top}-${bottom - 1} can't be decoded (${messageOf(cause)}). Download or write the file again.`,
      cause,
    );
  }
}

function isHalfFloat(image: GeoTIFFImage): boolean {
  return image.getSampleFormat() === 3 && image.getBitsPerSample() === 16;
}

/** Adapts a source to the interface of geotiff.js. */
function tiffSource(source: ByteSource, head: ArrayBuffer) {
  const read = async (offset: number, length: number): Promise<ArrayBuffer> => {
    if (offset + length <= head.byteLength) return head.slice(offset, offset + length);
    const bytes = await source.read(offset, length);
    if (bytes.byteLength < length && length > GEOTIFF_GUESS_BYTES) {
      throw formatError(`${source.name} is incomplete. Download or copy it again.`);
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

/** The interface of geotiff.js's decoders. */
export type Decoder = { decode(bytes: ArrayBufferLike): Promise<ArrayBufferLike> };

/** The two codes for deflate: the one in TIFF 6.0's supplement and the older one. */
const DEFLATE = new Set([8, 32946]);

/** The smallest chunk size of zlib (Z_MIN_CHUNK). */
const MIN_CHUNK = 64;

type Parameters = ConstructorParameters<typeof BaseDecoder>[0];

const inflateAsync = promisify<Uint8Array, { maxOutputLength: number; chunkSize: number }, Buffer>(inflate);

/**
 * Inflates with Node's zlib, which takes a third of the time that geotiff.js's pako takes and runs off the
 * event loop.
 */
class ZlibDecoder extends BaseDecoder {
  override async decodeBlock(bytes: ArrayBufferLike): Promise<ArrayBufferLike> {
    const { tileWidth, tileHeight, bitsPerSample, planarConfiguration } = this.parameters;
    const bits = typeof bitsPerSample === 'number' ? [bitsPerSample] : Array.from(bitsPerSample);
    const samples = planarConfiguration === 2 ? 1 : bits.length;
    const size = (tileWidth * tileHeight * samples * bits[0]!) / 8;
    // Limit the output to one block, so that a damaged or malicious file can't exhaust memory.
    const options = { maxOutputLength: size, chunkSize: Math.max(MIN_CHUNK, size) };
    return arrayBufferOf(await inflateAsync(new Uint8Array(bytes), options));
  }
}

export function arrayBufferOf({ buffer, byteOffset, byteLength }: Buffer): ArrayBufferLike {
  return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
}

/** The decoder for an image's compression. @throws Error if it isn't supported */
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
