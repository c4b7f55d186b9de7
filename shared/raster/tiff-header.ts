import type { GeoTIFFImage } from 'geotiff';
import type { Box } from '../geo/geometry-types.ts';
import { resolveCrs } from '../geo/projection.ts';
import { formatError, type Limits } from '../platform/http/download-context.ts';
import { extentOf, transformOf } from './affine.ts';
import { openByteSource } from './byte-source.ts';
import {
  crsOfKeys,
  geoKeysOf,
  METERS_PER_VERTICAL_UNIT,
  type VerticalUnit,
  verticalUnitOf,
} from './geo-keys.ts';
import { type ElevationImage, openImage } from './image.ts';
import { blocksAcross, MAX_WINDOW_BYTES } from './limits.ts';
import { placeGrid } from './raster-place.ts';

/** What is needed to read elevations from a file. */
export type ElevationTile = {
  /** Absolute path, or http(s) URL. */
  source: string;
  /** Identifies the version that was ingested. */
  fingerprint: string;
  width: number;
  height: number;
  /** Outer corner of the first cell, in units of the CRS. */
  originX: number;
  originY: number;
  /** Size of a cell in units of the CRS; stepY is negative if the first row is the northernmost. */
  stepX: number;
  stepY: number;
  crs: string;
  /** Meters per unit of height. */
  unitM: number;
  /** The nodata value; null if only NaN means no data. */
  nodata: number | null;
};

/** An elevation file, as described by its header. */
export type TileHeader = ElevationTile & {
  /** WGS84 degrees. */
  extent: Box;
  /** Whether the file or its feed states the unit of elevation. If neither does, meters are assumed. */
  unitStated: boolean;
};

export type DeclaredElevation = { crs?: string; unit?: VerticalUnit; nodata?: number };

/** The codes for none, LZW, deflate (two codes), PackBits, LERC, and Zstandard. */
export const COMPRESSIONS = new Set([1, 5, 8, 32946, 32773, 34887, 50000]);

/**
 * Reads a file's header, a few kilobytes. Values that the feed declares override it.
 * @param source absolute path or http(s) URL
 * @throws PlatError `feed_source`; `feed_format` unless it is a complete, north-up GeoTIFF with one numeric
 * band; `feed_crs` for an unknown CRS
 */
export async function readTileHeader(
  source: string,
  declared: DeclaredElevation,
  context: { signal: AbortSignal; limits?: Partial<Limits> },
): Promise<TileHeader> {
  const bytes = openByteSource(source, context);
  const { name } = bytes;
  const opened = await openImage(bytes);
  const { image, width, height } = opened;
  requireReadable(opened, name);
  await requireComplete(image, bytes.size(), name);
  const band = await bandMetadata(image);
  if ((band.scale ?? 1) !== 1 || (band.offset ?? 0) !== 0) {
    throw formatError(
      `${name} stores elevations with a scale of ${band.scale ?? 1} and an offset of ${band.offset ?? 0}. Convert it with gdal_translate -unscale.`,
    );
  }
  const keys = geoKeysOf(image, name);
  const grid = gridOf(image, keys.GTRasterTypeGeoKey === 2, name);
  const crs = declared.crs ?? crsOfKeys(keys, name);
  const unit = declared.unit ?? verticalUnitOf(keys, band.unit, name);
  const tile: ElevationTile = {
    source,
    fingerprint: await bytes.fingerprint(),
    width,
    height,
    ...grid,
    crs,
    unitM: METERS_PER_VERTICAL_UNIT[unit ?? 'metres'],
    nodata: declared.nodata ?? nodataOf(image),
  };
  const { inverse } = placeGrid(resolveCrs(crs, name), tile);
  return { ...tile, extent: extentOf(tile, inverse, name), unitStated: unit !== null };
}

function requireReadable(
  { image, width, height, blockWidth, blockHeight, bytesPerCell }: ElevationImage,
  name: string,
): void {
  const bands = image.getSamplesPerPixel();
  if (bands !== 1) {
    throw formatError(
      `${name} has ${bands} bands, but elevation needs one. Extract it with gdal_translate -b 1.`,
    );
  }
  const bits = image.getBitsPerSample();
  const format = image.getSampleFormat();
  const knownBits = format === 3 ? [16, 32, 64] : format === 1 || format === 2 ? [8, 16, 32] : [];
  if (!knownBits.includes(bits)) {
    throw formatError(
      `${name} has cells of ${bits} bits in sample format ${format}, which Plat can't read. Convert it with gdal_translate -ot Float32.`,
    );
  }
  const compression = Number(image.fileDirectory.getValue('Compression') ?? 1);
  if (!COMPRESSIONS.has(compression)) {
    throw formatError(
      `${name} uses compression method ${compression}, which Plat can't read. Convert it with gdal_translate -of COG -co COMPRESS=DEFLATE.`,
    );
  }
  if (!(width > 0 && height > 0 && blockWidth > 0 && blockHeight > 0)) {
    throw formatError(`${name} has no cells. Write it again with gdal_translate -of COG.`);
  }
  const blocks = blocksAcross(blockWidth, width) * blocksAcross(blockHeight, height);
  const windowBytes = blocks * blockWidth * blockHeight * bytesPerCell;
  if (windowBytes > MAX_WINDOW_BYTES) {
    throw formatError(
      `${name} is stored in blocks so large that reading a few cells takes ${Math.ceil(windowBytes / 2 ** 20)} MiB. Convert it to tiles with gdal_translate -of COG.`,
    );
  }
}

/** @throws PlatError if a block is beyond the end of the file, such as after an incomplete download */
export async function requireComplete(
  { fileDirectory, isTiled }: GeoTIFFImage,
  size: number,
  name: string,
): Promise<void> {
  const [offsets, lengths] = isTiled
    ? [await fileDirectory.loadValue('TileOffsets'), await fileDirectory.loadValue('TileByteCounts')]
    : [await fileDirectory.loadValue('StripOffsets'), await fileDirectory.loadValue('StripByteCounts')];
  if (!offsets || !lengths)
    throw formatError(`${name} has no list of its blocks. Write it again with gdal_translate -of COG.`);
  let end = 0;
  let beyond = 0;
  for (let i = 0; i < offsets.length; i++) {
    const length = Number(lengths[i] ?? 0);
    // Sparse files omit blocks.
    if (length === 0) continue;
    const blockEnd = Number(offsets[i]) + length;
    end = Math.max(end, blockEnd);
    if (blockEnd > size) beyond++;
  }
  if (beyond === 0) return;
  throw formatError(
    `${name} is incomplete: it has ${size} bytes instead of at least ${end}, and ${beyond} of its ${offsets.length} blocks are missing. Download or copy the whole file again.`,
  );
}

function gridOf(
  image: GeoTIFFImage,
  pixelIsPoint: boolean,
  name: string,
): Pick<ElevationTile, 'originX' | 'originY' | 'stepX' | 'stepY'> {
  const [originX, stepX, turnX, originY, turnY, stepY] = transformOf(image, pixelIsPoint, name);
  if (turnX !== 0 || turnY !== 0) throw formatError(`${name} is rotated. Straighten it with gdalwarp.`);
  if (stepX < 0) throw formatError(`${name} runs from east to west. Flip it with gdalwarp.`);
  return { originX, originY, stepX, stepY };
}

/**
 * The nodata value. It is parsed here because geotiff.js drops the last digit of a value that doesn't end
 * with a NUL.
 */
export function nodataOf(image: GeoTIFFImage): number | null {
  const text = image.fileDirectory.getValue('GDAL_NODATA');
  if (typeof text !== 'string') return null;
  const plain = text.replaceAll('\0', '').trim();
  const value = Number(plain);
  return plain === '' || Number.isNaN(value) ? null : value;
}

async function bandMetadata(
  image: GeoTIFFImage,
): Promise<{ scale?: number; offset?: number; unit?: string }> {
  const items = (await image.getGDALMetadata(0)) ?? {};
  const metadata: { scale?: number; offset?: number; unit?: string } = {};
  for (const [key, value] of Object.entries(items)) {
    if (/^scale$/i.test(key)) metadata.scale = Number(value);
    if (/^offset$/i.test(key)) metadata.offset = Number(value);
    if (/^unittype$/i.test(key)) metadata.unit = String(value);
  }
  return metadata;
}
