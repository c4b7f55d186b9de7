import type { MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import type { Neighbor, Road, RoadClass } from '../../shared/kernels/frontage/frontage.ts';
import { type Plane, planeAround } from '../../shared/kernels/frontage/plane.ts';

export type XY = readonly [x: number, y: number];

/** Parcels and roads drawn in meters east and north of a point. */
export type Ground = {
  /** A polygon from its exterior and holes, in any winding order. Closes the rings. */
  shape(...rings: XY[][]): MultiPolygon;
  parcel(id: number, ...rings: XY[][]): Neighbor;
  road(name: RoadClass, ...line: XY[]): Road;
};

export function groundAt(origin: Position): Ground {
  const { toDegrees }: Plane = planeAround(origin);
  const positions = (line: readonly XY[]) => line.map(([x, y]) => toDegrees(x, y));
  const shape = (...rings: XY[][]): MultiPolygon => [rings.map(ring => positions([...ring, ring[0]!]))];
  return {
    shape,
    parcel: (id, ...rings) => ({ id, shape: shape(...rings) }),
    road: (name, ...line) => ({ class: name, line: positions(line) }),
  };
}

export const box = (west: number, south: number, east: number, north: number): XY[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
];
