import type { GeoTIFFImage } from 'geotiff';
import sharp from 'sharp';
import { arrayBufferOf, type Decoder, decoderOf } from './image.ts';

const JPEG = 7;
const YCBCR = 6;
const WEBP = 50001;

/** The codes for LZW and JPEG. */
const BY_LIBTIFF = new Set([5, JPEG]);

/** Field types (TIFF 6.0, page 15) and their sizes. */
const SIZES = { short: 2, long: 4, bytes: 1 } as const;
const TYPES = { short: 3, long: 4, bytes: 7 } as const;
type Field = [tag: number, type: keyof typeof SIZES, values: ArrayLike<number>];

/**
 * Returns a function that maps a block's number of rows to its decoder. libtiff and libwebp run off the event
 * loop. geotiff.js takes 40 times as long for LZW and five times as long for JPEG, and its WebP decoder needs
 * a browser.
 * @throws Error if the compression isn't supported
 */
export async function blockDecoderOf(image: GeoTIFFImage): Promise<(rows: number) => Decoder> {
  const { fileDirectory } = image;
  const compression = Number(fileDirectory.getValue('Compression') ?? 1);
  const samples = image.planarConfiguration === 2 ? 1 : image.getSamplesPerPixel();
  const [width, bits] = [image.getTileWidth(), image.getBitsPerSample()];
  const swapped = bits > 8 && !image.littleEndian;
  const unpack = async (packed: Buffer, rows: number): Promise<ArrayBufferLike> => {
    const { data, info } = await sharp(packed, { ignoreIcc: true, limitInputPixels: width * rows })
      .toColourspace(bits === 8 ? (samples < 3 ? 'b-w' : 'srgb') : samples < 3 ? 'grey16' : 'rgb16')
      .raw({ depth: bits === 8 ? 'uchar' : 'ushort' })
      .toBuffer({ resolveWithObject: true });
    if (info.width !== width || info.height !== rows || info.channels !== samples)
      throw new Error(`it has ${info.width} x ${info.height} pixels of ${info.channels} values`);
    return arrayBufferOf(data);
  };
  if (compression === WEBP) return rows => ({ decode: bytes => unpack(Buffer.from(bytes), rows) });
  if (samples > 4 || !(BY_LIBTIFF.has(compression) || swapped)) {
    if (swapped) throw new Error('it has five or more bands in big-endian order');
    const decoder = await decoderOf(image);
    return () => decoder;
  }
  const isYCbCr = Number(fileDirectory.getValue('PhotometricInterpretation')) === YCBCR;
  const colors = samples < 3 ? 1 : 3;
  const fields: Field[] = [
    [256, 'long', [width]],
    [258, 'short', Array<number>(samples).fill(bits)],
    [259, 'short', [compression]],
    [262, 'short', [colors === 1 ? 1 : isYCbCr ? YCBCR : 2]],
    [277, 'short', [samples]],
    [317, 'short', [Number((await fileDirectory.loadValue('Predictor')) ?? 1)]],
    // Declare extra samples as unspecified: libvips would divide colors by alpha, but the sample may be near
    // infrared.
    [338, 'short', Array<number>(samples - colors).fill(0)],
    [
      347,
      'bytes',
      compression === JPEG ? Uint8Array.from((await fileDirectory.loadValue('JPEGTables')) ?? []) : [],
    ],
  ];
  return rows => ({ decode: bytes => unpack(fileOf(fields, rows, bytes, image.littleEndian), rows) });
}

/** Wraps a block into a TIFF file of a single strip. */
function fileOf(fields: Field[], rows: number, bytes: ArrayBufferLike, little: boolean): Buffer {
  const own: Field[] = [
    [257, 'long', [rows]],
    [273, 'long', [0]],
    [278, 'long', [rows]],
    [279, 'long', [bytes.byteLength]],
  ];
  const all = [...fields, ...own].filter(([, , values]) => values.length > 0).sort(([a], [b]) => a - b);
  let free = 8 + 2 + 12 * all.length + 4;
  const sizeOf = ([, type, values]: Field) => SIZES[type] * values.length;
  const head = Buffer.alloc(all.reduce((sum, field) => sum + (sizeOf(field) > 4 ? sizeOf(field) : 0), free));
  const view = new DataView(head.buffer, head.byteOffset);
  view.setUint16(0, little ? 0x4949 : 0x4d4d);
  view.setUint16(2, 42, little);
  view.setUint32(4, 8, little);
  view.setUint16(8, all.length, little);
  for (const [i, field] of all.entries()) {
    const [tag, type, values] = field;
    const at = 10 + 12 * i;
    view.setUint16(at, tag, little);
    view.setUint16(at + 2, TYPES[type], little);
    view.setUint32(at + 4, values.length, little);
    let to = at + 8;
    if (sizeOf(field) > 4) {
      view.setUint32(to, free, little);
      to = free;
      free += sizeOf(field);
    }
    for (let k = 0; k < values.length; k++, to += SIZES[type]) {
      const value = tag === 273 ? head.length : values[k]!;
      if (type === 'short') view.setUint16(to, value, little);
      else if (type === 'long') view.setUint32(to, value, little);
      else view.setUint8(to, value);
    }
  }
  return Buffer.concat([head, Buffer.from(bytes)]);
}
