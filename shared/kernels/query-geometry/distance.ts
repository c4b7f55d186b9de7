import geographiclib from 'geographiclib-geodesic';
import type { Extent } from '../geometry/types.ts';

const RAD = Math.PI / 180;

// WGS84 (NIMA TR8350.2). Radii of curvature lie between the meridian's at the equator, a(1 - e2), and the poles', a2/b.
const A = 6378137;
const B = 6356752.314245179;
const MIN_RADIUS_M = (B * B) / A;
const MAX_RADIUS_M = (A * A) / B;

/** Room for rounding in the bounds below, relative. */
const SLACK = 1e-9;

/** Geodesic distance on the WGS84 ellipsoid in metres, to 15 nm (Karney, Algorithms for geodesics, J. Geodesy 87, 2013). 1 to 2 us. */
export function geodesicDistanceM(lon1: number, lat1: number, lon2: number, lat2: number): number {
  return geographiclib.Geodesic.WGS84.Inverse(lat1, lon1, lat2, lon2, geographiclib.Geodesic.DISTANCE).s12!;
}

/**
 * A test of points against a geodesic circle, its rim included. Exact to `geodesicDistanceM`, which is asked only where bounds leave
 * doubt: with latitudes and longitudes taken onto a unit sphere, each stretch of the ellipsoid is between MIN_RADIUS_M and
 * MAX_RADIUS_M times as long as its image, so the distances are, too.
 */
export function geodesicCircle(
  lon: number,
  lat: number,
  metres: number,
): (lon: number, lat: number) => boolean {
  const cos = Math.cos(lat * RAD);
  const surelyIn = haversine((metres / MAX_RADIUS_M) * (1 - SLACK));
  const surelyOut = haversine((metres / MIN_RADIUS_M) * (1 + SLACK));
  return (lon2, lat2) => {
    const sinLat = Math.sin(((lat2 - lat) / 2) * RAD);
    const sinLon = Math.sin(((lon2 - lon) / 2) * RAD);
    const h = sinLat * sinLat + cos * Math.cos(lat2 * RAD) * sinLon * sinLon;
    // Below 1e-15, about a foot, rounding of the differences counts.
    if (h > 1e-15) {
      if (h > surelyOut) return false;
      if (h < surelyIn) return true;
    }
    return geodesicDistanceM(lon, lat, lon2, lat2) <= metres;
  };
}

/** Of an angle in radians; over half a turn it is that of half a turn, which no point exceeds. */
function haversine(angle: number): number {
  return Math.sin(Math.min(angle, Math.PI) / 2) ** 2;
}

/**
 * Boxes in degrees that hold a geodesic circle: one, or two where it passes the antimeridian. They are at most 1 %
 * larger than need be, by the same bounds.
 */
export function geodesicCircleBoxes(lon: number, lat: number, metres: number): Extent[] {
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
