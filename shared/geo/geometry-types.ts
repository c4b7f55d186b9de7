import type { Geometry } from 'geojson';

/**
 * Shapes of parcel geometry in degrees on WGS84, longitude first. Rings are closed. After `prepareBoundary`,
 * exteriors run counter-clockwise and holes clockwise (RFC 7946).
 */

export type Position = [lon: number, lat: number];

export type Ring = Position[];

/** The exterior ring, then the holes. */
export type Polygon = Ring[];

export type MultiPolygon = Polygon[];

/** In degrees, or in integers of 1e-7 degrees if the name contains E7. */
export type Box = [west: number, south: number, east: number, north: number];

/** Transforms a geometry to WGS84 degrees in place. Throws a TypeError if a coordinate isn't finite. */
export type ToWgs84 = (geometry: Geometry) => Geometry;

/** For geometries that are already in WGS84 degrees. */
export const unprojected: ToWgs84 = geometry => geometry;
