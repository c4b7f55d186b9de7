import geographiclib from 'geographiclib-geodesic';
import type { Box } from './types.ts';

const RAD = Math.PI / 180;

// WGS84 (NIMA TR8350.2). The least radius of curvature is the meridian's at the equator.
const A = 6378137;
const B = 6356752.314245179;
const MIN_RADIUS_M = (B * B) / A;

/** Room for rounding, relative. */
const SLACK = 1e-9;

/** Geodesic distance on the WGS84 ellipsoid in metres, to 15 nm (Karney, Algorithms for geodesics, J. Geodesy 87, 2013). 1 to 2 us. */
export function geodesicDistanceM(lon1: number, lat1: number, lon2: number, lat2: number): number {
  return geographiclib.Geodesic.WGS84.Inverse(lat1, lon1, lat2, lon2, geographiclib.Geodesic.DISTANCE).s12!;
}

/**
 * Boxes in degrees that hold a geodesic circle: one, or two where it passes the antimeridian. With latitudes and longitudes taken onto
 * a unit sphere, each stretch of the ellipsoid is at least MIN_RADIUS_M times as long as its image, so the box around the spherical
 * circle of that scale will do; it is at most 1 % larger than need be.
 */
export function geodesicCircleBoxes(lon: number, lat: number, metres: number): Box[] {
  const radius = (metres / MIN_RADIUS_M) * (1 + SLACK);
  const south = Math.max(-90, lat - radius / RAD);
  const north = Math.min(90, lat + radius / RAD);
  // A circle around a pole has every longitude.
  if (south === -90 || north === 90) return [[-180, south, 180, north]];
  // The widest parallel of a spherical circle is where a meridian touches it.
  const half = (Math.asin(Math.min(1, Math.sin(radius) / Math.cos(lat * RAD))) / RAD) * (1 + SLACK);
  const [west, east] = [lon - half, lon + half];
  if (west < -180) {
    return [
      [-180, south, east, north],
      [west + 360, south, 180, north],
    ];
  }
  if (east > 180) {
    return [
      [west, south, 180, north],
      [-180, south, east - 360, north],
    ];
  }
  return [[west, south, east, north]];
}
