import type { Box, Position } from '../../shared/geo/geometry-types.ts';
import { latitudeOf, toMercator, WORLD_M } from '../../shared/geo/web-mercator.ts';

export const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';

export type Projection = {
  /** Units per degree or meter to which coordinates are rounded. Boundaries are stored in 1e-7 degrees. */
  scale: number;
  /** From longitude and latitude. */
  to(place: Position): Position;
  /** To longitude and latitude. */
  from(place: Position): Position;
};

const swap = ([x, y]: Position): Position => [y, x];

/** Reference systems of coordinates in responses and of bounding boxes. */
const PROJECTIONS: Readonly<Record<string, Projection>> = {
  [CRS84]: { scale: 1e7, to: place => place, from: place => place },
  'http://www.opengis.net/def/crs/EPSG/0/4326': { scale: 1e7, to: swap, from: swap },
  'http://www.opengis.net/def/crs/EPSG/0/3857': {
    scale: 1e3,
    to: toMercator,
    from: ([x, y]) => [(x / WORLD_M) * 360, latitudeOf(y)],
  },
};

export const projectionOf = (crs: string): Projection => PROJECTIONS[crs]!;

export const CRS_NAMES = Object.keys(PROJECTIONS);

/** A box in degrees, longitude first. */
export function boxFrom([west, south, east, north]: Readonly<Box>, crs: string): Box {
  const { from } = projectionOf(crs);
  return [...from([west, south]), ...from([east, north])] as Box;
}
