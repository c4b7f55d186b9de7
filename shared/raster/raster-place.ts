import proj4 from 'proj4';
import type { Position } from '../geo/geometry-types.ts';
import type { Crs } from '../geo/projection.ts';
import { type GroundScale, shortDistanceM } from '../kernels/terrain/ground.ts';
import { PlatError } from '../platform/errors.ts';

export type GridOrigin = { originX: number; originY: number; stepX: number; stepY: number };

/** The position of a grid on the earth. Columns and rows are counted in cells from the first corner. */
export type PlacedGrid = {
  /** The scale on the ground, which is valid for a few hundred cells around a place. */
  groundAt(column: number, row: number): GroundScale;
  /** Writes the column and row of a position to `out[at]` and `out[at + 1]`. */
  forward(position: Position, out: Float64Array, at: number): void;
  inverse(column: number, row: number): Position;
};

/** @throws PlatError `feed_crs` for a geographic CRS that isn't in degrees from Greenwich */
export function placeGrid(crs: Crs, { originX, originY, stepX, stepY }: GridOrigin): PlacedGrid {
  requireGreenwichDegrees(crs);
  if (crs.wgs84Degrees) {
    return {
      groundAt: () => ({ kind: 'degrees' }),
      forward(position, out, at) {
        out[at] = (position[0] - originX) / stepX;
        out[at + 1] = (position[1] - originY) / stepY;
      },
      inverse: (column, row) => [originX + column * stepX, originY + row * stepY],
    };
  }
  const converter = proj4('WGS84', crs.definition);
  const inverse = (column: number, row: number): Position => {
    const [lon, lat] = converter.inverse([originX + column * stepX, originY + row * stepY]);
    return [lon!, lat!];
  };
  const webMercator = crs.projection === 'merc' && crs.spherical;
  return {
    groundAt(column, row) {
      if (webMercator) return { kind: 'webMercator' };
      const cellX = shortDistanceM(inverse(column - 0.5, row), inverse(column + 0.5, row));
      const cellY = shortDistanceM(inverse(column, row - 0.5), inverse(column, row + 0.5));
      const unit = crs.metersPerUnit;
      const [x, y] = [nominalOr(cellX / Math.abs(stepX), unit), nominalOr(cellY / Math.abs(stepY), unit)];
      return { kind: 'planar', x, y };
    },
    forward(position, out, at) {
      const [x, y] = converter.forward([position[0], position[1]]);
      out[at] = (x! - originX) / stepX;
      out[at + 1] = (y! - originY) / stepY;
    },
    inverse,
  };
}

/**
 * Scales this close to 1 count as 1, as in gdaldem. This applies to state planes and UTM, but not to Albers
 * over the 48 states.
 */
const MAX_SCALE_ERROR = 0.001;

function nominalOr(meters: number, nominal: number): number {
  // `meters` is NaN where the projection has no inverse. The nominal size is fine there, because it has no
  // parcels.
  return Math.abs(meters / nominal - 1) > MAX_SCALE_ERROR ? meters : nominal;
}

function requireGreenwichDegrees(crs: Crs): void {
  if (crs.wgs84Degrees || (crs.projection !== 'longlat' && crs.projection !== 'identity')) return;
  throw new PlatError(
    'feed_crs',
    `The CRS ${crs.definition} is geographic, but not in degrees from Greenwich. Reproject the grid with gdalwarp -t_srs EPSG:4326.`,
    { status: 422 },
  );
}
