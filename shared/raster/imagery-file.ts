import type { GeoTIFFImage } from 'geotiff';
import proj4 from 'proj4';
import type { Box, Position } from '../geo/geometry-types.ts';
import { resolveCrs } from '../geo/projection.ts';
import { shortDistanceM } from '../kernels/terrain/ground.ts';
import { formatError, type Limits } from '../platform/http/download-context.ts';
import { extentOf, type GeoTransform, transformOf } from './affine.ts';
import { openByteSource } from './byte-source.ts';
import { crsOfKeys, geoKeysOf } from './geo-keys.ts';
import { type ColorModel, decodeBlock, type Level, openLevels } from './pixels.ts';
import { COMPRESSIONS, nodataOf, requireComplete } from './tiff-header.ts';

/** What is needed to read pixels from an imagery file. */
export type ImageryFile = ColorModel & {
  /** Absolute path, or http(s) URL. */
  source: string;
  /** Identifies the version that was ingested. */
  fingerprint: string;
  width: number;
  height: number;
  transform: GeoTransform;
  crs: string;
};

/** An imagery file, as described by its header. */
export type ImageryHeader = ImageryFile & {
  /** WGS84 degrees. */
  extent: Box;
  /** Width of a pixel on the ground in meters, at the middle of the image. */
  pixelM: number;
  bands: number;
  bits: number;
  overviews: number;
};

export type DeclaredImagery = { crs?: string; range?: [number, number] };

/** The compressions allowed in elevation files, plus JPEG and WebP. */
const PIXEL_COMPRESSIONS = new Set([...COMPRESSIONS, 7, 50001]);

/** A block is decoded all at once. It can have up to 4,096 x 4,096 pixels of 4 bytes. */
const MAX_BLOCK_BYTES = 64 * 2 ** 20;

/**
 * Reads the header, and samples pixels for what the header doesn't say: which 16-bit values are black and
 * white, and whether a fourth band is alpha.
 * @throws PlatError `feed_source`; `feed_format` if values don't have 8 or 16 bits or the file is truncated;
 * `feed_crs` for an unknown CRS
 */
export async function readImageryHeader(
  source: string,
  declared: DeclaredImagery,
  context: { signal: AbortSignal; limits?: Partial<Limits> },
): Promise<ImageryHeader> {
  const bytes = openByteSource(source, context);
  const { name } = bytes;
  const levels = await openLevels(bytes);
  const [{ image, width, height, samples: bands }] = levels;
  const bits = image.getBitsPerSample();
  requireReadable(levels[0], bits, name);
  await requireComplete(image, bytes.size(), name);
  const keys = geoKeysOf(image, name);
  const crs = declared.crs ?? crsOfKeys(keys, name);
  const transform = transformOf(image, keys.GTRasterTypeGeoKey === 2, name);
  const place = placeImage({ transform, crs }, name);
  const pixelM = pixelMeters(place, width / 2, height / 2);
  const nodata = nodataOf(image);
  const file = { source, fingerprint: await bytes.fingerprint(), width, height, transform, crs, nodata };
  const sample = await samplePixels(levels.at(-1)!, bits, isAlpha(image), name);
  const range = bits === 8 ? null : (declared.range ?? sample.range);
  const extent = extentOf({ width, height, crs }, place.inverse, name);
  return { ...file, range, alpha: sample.alpha, extent, pixelM, bands, bits, overviews: levels.length - 1 };
}

/** Size of a pixel on the ground: the side of a square with the pixel's area. */
export function pixelMeters({ inverse }: PlacedImage, column: number, row: number): number {
  const place = inverse(column, row);
  const across = shortDistanceM(place, inverse(column + 1, row));
  return Math.sqrt(across * shortDistanceM(place, inverse(column, row + 1)));
}

function requireReadable(
  { image, width, height, blockWidth, blockHeight, samples }: Level,
  bits: number,
  name: string,
): void {
  const format = image.getSampleFormat();
  if ((bits !== 8 && bits !== 16) || format !== 1) {
    throw formatError(
      `${name} has values of ${bits} bits in sample format ${format}, but pictures need 8 or 16 bits. Convert it with gdal_translate -ot Byte -scale.`,
    );
  }
  const compression = Number(image.fileDirectory.getValue('Compression') ?? 1);
  if (!PIXEL_COMPRESSIONS.has(compression)) {
    throw formatError(
      `${name} uses compression method ${compression}, which Plat can't read. Convert it with gdal_translate -of COG -co COMPRESS=JPEG.`,
    );
  }
  const photometric = Number(image.fileDirectory.getValue('PhotometricInterpretation') ?? 1);
  if (photometric === 3) {
    throw formatError(`${name} has a color palette. Convert it with gdal_translate -expand rgb.`);
  }
  if (!(width > 0 && height > 0 && blockWidth > 0 && blockHeight > 0)) {
    throw formatError(`${name} has no pixels. Write it again with gdal_translate -of COG.`);
  }
  const blockBytes = (blockWidth * blockHeight * samples * bits) / 8;
  if (blockBytes > MAX_BLOCK_BYTES) {
    throw formatError(
      `${name} is stored in blocks of ${Math.ceil(blockBytes / 2 ** 20)} MiB, which are too large. Convert it to tiles with gdal_translate -of COG.`,
    );
  }
}

/** ExtraSamples 1 and 2 mean alpha (TIFF 6.0, page 31). */
function isAlpha(image: GeoTIFFImage): boolean {
  const extra = image.fileDirectory.getValue('ExtraSamples');
  return image.getSamplesPerPixel() === 4 && [1, 2].includes(Number(extra?.[0] ?? 0));
}

/** Percentiles that become black and white. These are QGIS's default stretch. */
const BLACK_PERCENTILE = 0.02;
const WHITE_PERCENTILE = 0.98;

/** Blocks to sample, as positions along the diagonal. */
const SAMPLED_BLOCKS = [1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8];

async function samplePixels(
  level: Level,
  bits: number,
  alpha: boolean,
  name: string,
): Promise<{ range: [number, number]; alpha: boolean }> {
  if (bits === 8 && !alpha) return { range: [0, 255], alpha };
  const colors: number[] = [];
  let isMask = alpha;
  for (const share of SAMPLED_BLOCKS) {
    const column = Math.floor((share * level.width) / level.blockWidth);
    const row = Math.floor((share * level.height) / level.blockHeight);
    const block = await decodeBlock(level, column, row, name);
    if (block === null) continue;
    const { planes, step } = block;
    const [first] = planes;
    for (let at = 0; at < first!.length; at += step) {
      for (const plane of planes.slice(0, 3)) if (plane[at]! > 0) colors.push(plane[at]!);
      const mask = planes[3]?.[at];
      if (mask !== undefined && mask !== 0 && mask !== 2 ** bits - 1) isMask = false;
    }
  }
  const sorted = Uint16Array.from(colors).sort();
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return {
    range: [at(BLACK_PERCENTILE), Math.max(at(BLACK_PERCENTILE) + 1, at(WHITE_PERCENTILE))],
    alpha: isMask,
  };
}

export type PlacedImage = {
  forward(position: Position): [column: number, row: number];
  inverse(column: number, row: number): Position;
};

/** @throws PlatError `feed_crs` if the CRS is unknown */
export function placeImage(
  { transform, crs }: Pick<ImageryFile, 'transform' | 'crs'>,
  name: string,
): PlacedImage {
  const [x0, a, b, y0, c, d] = transform;
  const { definition, wgs84Degrees } = resolveCrs(crs, name);
  const converter = wgs84Degrees ? null : proj4('WGS84', definition);
  const determinant = a * d - b * c;
  return {
    forward(position) {
      const [x, y] = (converter === null ? position : converter.forward([...position])) as [number, number];
      return [(d * (x - x0) - b * (y - y0)) / determinant, (a * (y - y0) - c * (x - x0)) / determinant];
    },
    inverse(column, row) {
      const [x, y] = [x0 + a * column + b * row, y0 + c * column + d * row];
      return (converter === null ? [x, y] : converter.inverse([x, y])) as Position;
    },
  };
}
