import proj4 from 'proj4';
import { PlatError } from '../../shared/errors.ts';
import type { Position } from '../../shared/kernels/geometry/types.ts';
import type { Ground } from '../../shared/kernels/terrain/ground.ts';
import type { Crs } from '../ingest/parse/projection.ts';

export type GridOrigin = { originX: number; originY: number; stepX: number; stepY: number };

/** How a grid lies on the earth; columns and rows count in cells from its first corner. */
export type PlacedGrid = {
  ground: Ground;
  /** Writes column and row of a position to `out[at]` and `out[at + 1]`. */
  forward(position: Position, out: Float64Array, at: number): void;
  inverse(column: number, row: number): Position;
};

/** @throws PlatError `feed_crs` for a geographic CRS that is not in degrees from Greenwich */
export function placeGrid(crs: Crs, { originX, originY, stepX, stepY }: GridOrigin): PlacedGrid {
  const ground = groundOf(crs);
  if (crs.wgs84Degrees) {
    return {
      ground,
      forward(position, out, at) {
        out[at] = (position[0] - originX) / stepX;
        out[at + 1] = (position[1] - originY) / stepY;
      },
      inverse: (column, row) => [originX + column * stepX, originY + row * stepY],
    };
  }
  const converter = proj4('WGS84', crs.definition);
  return {
    ground,
    forward(position, out, at) {
      const [x, y] = converter.forward([position[0], position[1]]);
      out[at] = (x! - originX) / stepX;
      out[at + 1] = (y! - originY) / stepY;
    },
    inverse(column, row) {
      const [lon, lat] = converter.inverse([originX + column * stepX, originY + row * stepY]);
      return [lon!, lat!];
    },
  };
}

function groundOf(crs: Crs): Ground {
  if (crs.wgs84Degrees) return { kind: 'degrees' };
  if (crs.projection === 'longlat' || crs.projection === 'identity') {
    throw new PlatError(
      'feed_crs',
      `The CRS ${crs.definition} is geographic, but not in degrees from Greenwich. Reproject the grid with gdalwarp -t_srs EPSG:4326.`,
      { status: 422 },
    );
  }
  if (crs.projection === 'merc' && crs.spherical) return { kind: 'webMercator' };
  return { kind: 'planar', metresPerUnit: crs.metresPerUnit };
}
