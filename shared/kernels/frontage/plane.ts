import proj4 from 'proj4';
import type { Position } from '../geometry/types.ts';

export type Plane = {
  toPlane(position: Position): [x: number, y: number];
  toDegrees(x: number, y: number): Position;
};

/**
 * A plane in metres around a place: the transverse Mercator projection on its meridian (WGS84, scale 1). Distances are true there
 * and too long by (x / 6,380 km)^2 / 2 at x metres east or west of it: 3e-5 at 50 km, 1e-4 at 90 km; north and south cost nothing.
 */
export function planeAround([lon, lat]: Position): Plane {
  const projection = proj4(
    `+proj=tmerc +lat_0=${lat} +lon_0=${lon} +k=1 +x_0=0 +y_0=0 +ellps=WGS84 +units=m +no_defs`,
  );
  return {
    toPlane: position => projection.forward(position) as [number, number],
    toDegrees: (x, y) => projection.inverse([x, y]) as Position,
  };
}
