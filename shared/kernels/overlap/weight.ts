import type { Weight } from './sweep.ts';

/** First eccentricity of WGS84, squared: f (2 - f) with f = 1 / 298.257223563 (NIMA TR8350.2). */
const E2 = (2 - 1 / 298.257223563) / 298.257223563;
const RAD = Math.PI / 180;

/**
 * The area of a small rectangle in degrees at a latitude, in proportion: the product of the ellipsoid's two radii of curvature and the
 * cosine of the latitude (Snyder 1987, USGS PP 1395, eqs. 4-18 to 4-20), without the constant.
 */
function areaAt(latDeg: number): number {
  const sin = Math.sin(latDeg * RAD);
  return Math.cos(latDeg * RAD) / (1 - E2 * sin * sin) ** 2;
}

/**
 * That proportion between two latitudes as a quadratic of the degrees from the middle one. It is right at both ends and in the middle; between
 * them it is off by 1e-7 for latitudes a degree apart, and by the cube of their distance less for nearer ones.
 */
export function areaWeight(south: number, north: number): Weight {
  const half = (north - south) / 2;
  const middle = areaAt((south + north) / 2);
  // A tenth of a millimetre: nothing changes, and the square of less may vanish.
  if (half < 1e-9) return [middle, 0, 0];
  const [below, above] = [areaAt(south), areaAt(north)];
  return [middle, (above - below) / (2 * half), (above + below - 2 * middle) / (2 * half * half)];
}
