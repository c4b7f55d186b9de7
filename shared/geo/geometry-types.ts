import type { Geometry } from 'geojson';

/**
 * Shapes of parcel geometry in degrees on WGS84, longitude first. Rings are closed; exteriors run
 * counter-clockwise and holes clockwise (RFC 7946), once `prepareBoundary` has been over them.
 */

export type Position = [lon: number, lat: number];

export type Ring = Position[];

/** The exterior ring first, then its holes. */
export type Polygon = Ring[];

export type MultiPolygon = Polygon[];

/** The one type of boxes: in degrees, or in integers of 1e-7 degrees where that is said. */
export type Box = [west: number, south: number, east: number, north: number];

/**
 * Moves a geometry to WGS84 degrees, in place. Throws TypeError for a coordinate that is not a finite number.
 */
export type ToWgs84 = (geometry: Geometry) => Geometry;

/** Of a geometry that is in WGS84 degrees already. */
export const unprojected: ToWgs84 = geometry => geometry;
