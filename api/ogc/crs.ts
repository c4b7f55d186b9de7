import type { Box, Position } from '../../shared/geo/geometry-types.ts';
import { latitudeOf, toMercator, WORLD_M } from '../../shared/geo/web-mercator.ts';

export const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';

type Projection = {
  /** From longitude and latitude. */
  to(place: Position): Position;
  /** To longitude and latitude. */
  from(place: Position): Position;
};

const swap = ([x, y]: Position): Position => [y, x];

/** Reference systems of coordinates in responses and of bounding boxes. */
const PROJECTIONS: Readonly<Record<string, Projection>> = {
  [CRS84]: { to: place => place, from: place => place },
  'http://www.opengis.net/def/crs/EPSG/0/4326': { to: swap, from: swap },
  'http://www.opengis.net/def/crs/EPSG/0/3857': {
    to: toMercator,
    from: ([x, y]) => [(x / WORLD_M) * 360, latitudeOf(y)],
  },
};

export const CRS_NAMES = Object.keys(PROJECTIONS);

/** A box in degrees, longitude first. */
export function boxFrom([west, south, east, north]: Readonly<Box>, crs: string): Box {
  const { from } = PROJECTIONS[crs]!;
  return [...from([west, south]), ...from([east, north])] as Box;
}

type Coordinates = Position | readonly Coordinates[];

/** A GeoJSON geometry in another reference system. */
export function project<Shape extends { coordinates: unknown }>(shape: Shape, crs: string): Shape {
  const { to } = PROJECTIONS[crs]!;
  const each = (part: Coordinates): Coordinates =>
    typeof part[0] === 'number' ? to(part as Position) : (part as readonly Coordinates[]).map(each);
  return crs === CRS84 ? shape : { ...shape, coordinates: each(shape.coordinates as Coordinates) };
}
