/**
 * Shapes of parcel geometry, all in degrees on WGS84 (EPSG:4326), longitude first.
 * Rings are closed (the last position repeats the first); exteriors run counter-clockwise and holes
 * clockwise, as RFC 7946 asks, once `prepareBoundary` has been over them.
 */

export type Position = [lon: number, lat: number];

export type Ring = Position[];

/** The exterior ring first, then its holes. */
export type Polygon = Ring[];

export type MultiPolygon = Polygon[];

/** The one type of boxes: in degrees, or in integers of 1e-7 degrees where that is said. */
export type Box = [west: number, south: number, east: number, north: number];
