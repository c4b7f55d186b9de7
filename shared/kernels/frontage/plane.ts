import proj4 from 'proj4';
import type { Position } from '../../geo/geometry-types.ts';

export type Plane = {
  toPlane(position: Position): [x: number, y: number];
  toDegrees(x: number, y: number): Position;
};

const RAD = Math.PI / 180;

/**
 * A local plane in meters: transverse Mercator on the meridian of a place (WGS84, scale 1). Distances are too
 * long by a factor of 3e-5 at 50 km east or west of the place, and of 1e-4 at 90 km.
 */
export function planeAround([lon, lat]: Position): Plane {
  const projection = new proj4.Proj(
    `+proj=tmerc +lat_0=${lat} +lon_0=${lon} +k=1 +x_0=0 +y_0=0 +ellps=WGS84 +units=m +no_defs`,
  );
  const converter = proj4(projection);
  // Calls the projection directly, in radians, because proj4's function for degrees allocates five objects
  // per point.
  const point = { x: 0, y: 0 };
  return {
    toPlane(position) {
      point.x = position[0] * RAD;
      point.y = position[1] * RAD;
      const { x, y } = projection.forward(point);
      return [x, y];
    },
    toDegrees: (x, y) => converter.inverse([x, y]) as Position,
  };
}
