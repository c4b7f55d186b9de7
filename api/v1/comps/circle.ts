import { boxArraySql } from '../../../shared/geo/box.ts';
import { geodesicCircleBoxes, geodesicDistanceM } from '../../../shared/geo/distance.ts';

const RAD = Math.PI / 180;

// WGS84 (NIMA TR8350.2): semi-axes, and the least and greatest radius of curvature, those of the meridian at the equator and the poles.
const A = 6378137;
const B = 6356752.314245179;
const MIN_RADIUS_M = (B * B) / A;
const MAX_RADIUS_M = (A * A) / B;

/** Rounding of a chord in metres, a thousand times over: coordinates of 6e6 m have 1e-9 m. */
const SLACK_M = 1e-6;

/** A geodesic circle, its rim included, as statements test it. */
export type Circle = {
  /** The centre from the middle of the earth in metres: distance from the axis, height over the equator; longitude in degrees. */
  axisM: number;
  heightM: number;
  lon: number;
  /** Squares of chords: at most `surelyIn` lies within, over `surelyOut` lies outside; what is between is to be asked of `holds`. */
  surelyIn: number;
  surelyOut: number;
  /** PostgreSQL box[] of 1e-7 degrees around it: one, or two at the antimeridian. */
  boxes: string;
  /** Exact; degrees. */
  holds(lon: number, lat: number): boolean;
};

/**
 * The straight line between two points of the ellipsoid is cheap to compute and tells their geodesic distance closely: a
 * geodesic of length s bends no less than a circle of the greatest radius of curvature and no more than one of the least, so its
 * chord is between 2 r sin(s / 2 r) of both (A. Schur's theorem on arcs). The two differ by 3 mm at 50 km, 0.2 m at 200 km.
 * @param metres up to 2,000 km, far from half around the earth
 */
export function circleAround(lon: number, lat: number, metres: number): Circle {
  const chord = (radius: number) => 2 * radius * Math.sin(metres / (2 * radius));
  const t = (B / A) * Math.tan(lat * RAD);
  const axisM = A / Math.sqrt(1 + t * t);
  return {
    axisM,
    heightM: (B * t) / Math.sqrt(1 + t * t),
    lon,
    // Nothing is surely within a circle that is smaller than the rounding.
    surelyIn: chord(MIN_RADIUS_M) > SLACK_M ? (chord(MIN_RADIUS_M) - SLACK_M) ** 2 : -1,
    surelyOut: (chord(MAX_RADIUS_M) + SLACK_M) ** 2,
    boxes: boxArraySql(geodesicCircleBoxes(lon, lat, metres).map(box => box.map(toUnit) as typeof box)),
    holds: (lon2, lat2) => geodesicDistanceM(lon, lat, lon2, lat2) <= metres,
  };

  function toUnit(degrees: number, side: number): number {
    return side < 2 ? Math.floor(degrees * 1e7) : Math.ceil(degrees * 1e7);
  }
}
