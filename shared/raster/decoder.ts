import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { BaseDecoder, type GeoTIFFImage, getDecoder } from 'geotiff';

/** What geotiff.js hands a block's bytes to. */
export type Decoder = { decode(bytes: ArrayBufferLike): Promise<ArrayBufferLike> };

/** Deflate as TIFF 6.0 adopted it, and under its older code. */
const DEFLATE = new Set([8, 32946]);

/** The least that zlib takes for a chunk (Z_MIN_CHUNK). */
const LEAST_CHUNK = 64;

type Parameters = ConstructorParameters<typeof BaseDecoder>[0];

const inflated = promisify<Uint8Array, { maxOutputLength: number; chunkSize: number }, Buffer>(inflate);

/** Node's own zlib takes a third of the time of pako, geotiff.js's inflater, and does not hold up the event loop. */
class ZlibDecoder extends BaseDecoder {
  override async decodeBlock(bytes: ArrayBufferLike): Promise<ArrayBufferLike> {
    const { tileWidth, tileHeight, bitsPerSample } = this.parameters;
    const bits = typeof bitsPerSample === 'number' ? bitsPerSample : bitsPerSample[0]!;
    const size = (tileWidth * tileHeight * bits) / 8;
    // No more than a block: a damaged or hostile file cannot fill the memory.
    const { buffer, byteOffset, byteLength } = await inflated(new Uint8Array(bytes), {
      maxOutputLength: size,
      chunkSize: Math.max(LEAST_CHUNK, size),
    });
    return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  }
}

/** The decoder of an image of one band whose directory is read. @throws Error when the compression is not known */
export async function decoderOf(image: GeoTIFFImage): Promise<Decoder> {
  const { fileDirectory } = image;
  const parameters: Parameters & { LercParameters?: unknown } = {
    tileWidth: image.getTileWidth(),
    tileHeight: image.getTileHeight(),
    predictor: Number((await fileDirectory.loadValue('Predictor')) ?? 1),
    bitsPerSample: image.getBitsPerSample(),
    planarConfiguration: 1,
    LercParameters: await fileDirectory.loadValue('LercParameters'),
  };
  const compression = Number(fileDirectory.getValue('Compression') ?? 1);
  return DEFLATE.has(compression) ? new ZlibDecoder(parameters) : getDecoder(compression, parameters);
}
