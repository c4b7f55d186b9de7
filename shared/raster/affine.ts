import type { GeoTIFFImage } from 'geotiff';
import { emptyBox, growBox } from '../geo/box.ts';
import type { Box, Position } from '../geo/geometry-types.ts';
import { formatError } from '../platform/http/download-context.ts';

/**
 * A transform in GDAL's order: x = t[0] + column t[1] + row t[2], y = t[3] + column t[4] + row t[5], from the
 * outer corner of the first cell.
 */
export type GeoTransform = [
  x: number,
  xByColumn: number,
  xByRow: number,
  y: number,
  yByColumn: number,
  yByRow: number,
];

/** The transform of a file. If the file gives the first cell's center, the origin is moved to its corner. */
export function transformOf(image: GeoTIFFImage, pixelIsPoint: boolean, name: string): GeoTransform {
  const { fileDirectory } = image;
  const matrix = fileDirectory.getValue('ModelTransformation');
  const scale = fileDirectory.getValue('ModelPixelScale');
  const ties = fileDirectory.getValue('ModelTiepoint');
  const half = pixelIsPoint ? 0.5 : 0;
  if (scale && ties && ties.length === 6) {
    const [stepX, stepY] = [scale[0]!, -scale[1]!];
    const [x, y] = [ties[3]! - (ties[0]! + half) * stepX, ties[4]! - (ties[1]! + half) * stepY];
    if (stepX > 0 && stepY !== 0) return [x, stepX, 0, y, 0, stepY];
  } else if (matrix && matrix.length === 16) {
    const [a, b, , x, c, d, , y] = matrix;
    if (a! * d! - b! * c! !== 0) return [x! - half * (a! + b!), a!, b!, y! - half * (c! + d!), c!, d!];
  }
  throw formatError(`${name} has no location. Georeference it with gdalwarp.`);
}

/** The extent is computed from this many points per side, because the sides of projected grids are curved. */
const SIDE_POINTS = 16;

/** The bounding box of cells in degrees. @throws PlatError `feed_format` if it isn't on the globe */
export function extentOf(
  { width, height, crs }: { width: number; height: number; crs: string },
  inverse: (column: number, row: number) => Position,
  name: string,
): Box {
  const extent = emptyBox();
  for (let i = 0; i <= SIDE_POINTS; i++) {
    const column = (i / SIDE_POINTS) * width;
    const row = (i / SIDE_POINTS) * height;
    for (const [x, y] of [
      [column, 0],
      [column, height],
      [0, row],
      [width, row],
    ] as const) {
      const [lon, lat] = inverse(x, y);
      growBox(extent, [lon, lat, lon, lat]);
    }
  }
  const [west, south, east, north] = extent;
  if (!extent.every(Number.isFinite) || west < -180.1 || east > 180.1 || south < -90.1 || north > 90.1) {
    throw formatError(
      `${name} is outside the world in ${crs}: [${extent.join(', ')}]. Correct crs in the feed.`,
    );
  }
  return extent;
}
