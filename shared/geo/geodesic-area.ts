import geographiclib from 'geographiclib-geodesic';
import type { MultiPolygon, Ring } from './geometry-types.ts';
import { SQ_M_PER_ACRE } from './units.ts';

export const sqMToAcres = (areaSqM: number): number => areaSqM / SQ_M_PER_ACRE;

// WGS84 (NIMA TR8350.2).
const A = 6378137;
const F = 1 / 298.257223563;
const B = A * (1 - F);
const E2 = F * (2 - F);
const RAD = Math.PI / 180;

// Area from the equator to latitude phi per radian of longitude: b^2 sin(phi) * sum (k+1)/(2k+1) (e^2 sin^2
// phi)^k (Snyder 1987, USGS PP 1395, eq. 3-12, as a series). The ninth term is below 3e-18.
const Z1 = (2 / 3) * E2;
const Z2 = (3 / 5) * E2 ** 2;
const Z3 = (4 / 7) * E2 ** 3;
const Z4 = (5 / 9) * E2 ** 4;
const Z5 = (6 / 11) * E2 ** 5;
const Z6 = (7 / 13) * E2 ** 6;
const Z7 = (8 / 15) * E2 ** 7;
const B2 = B * B;

/**
 * For edges up to this length, the short formula's error is 1e-7 for triangles 1 m high and 7e-11 for compact
 * ones.
 */
export const SHORT_EDGE_M = 2000;

/** The short formula's error grows with tan(latitude). No parcel is closer to a pole than this. */
const SHORT_EDGE_MAX_LAT = 75;

/**
 * Area of prepared polygons on WGS84. This is our own code, because GeographicLib takes 12 times as long and
 * @turf/area (a sphere) is off by 0.2%.
 */
export function areaSqM(polygons: MultiPolygon): number {
  let total = 0;
  for (const polygon of polygons) {
    total += ringAreaSqM(polygon[0]!);
    for (let i = 1; i < polygon.length; i++) total -= ringAreaSqM(polygon[i]!);
  }
  return total;
}

/**
 * Unsigned geodesic area of a closed ring, in square meters.
 * In the plane of longitude and zone area, each edge adds a trapezoid and the sliver between chord and
 * geodesic. By Clairaut's relation, the sliver is sin(phi) dLambda (dx^2 + 3 dy^2) / 12, where dx and dy are
 * the edge's meters east and north.
 */
function ringAreaSqM(ring: Ring): number {
  const [lon0, lat0] = ring[0]!;
  let lonBefore = 0;
  let latBefore = lat0;
  let sinBefore = Math.sin(lat0 * RAD);
  const zone0 = zoneSqM(sinBefore);
  let zoneBefore = 0;
  let sum = 0;
  for (let i = 1; i < ring.length; i++) {
    const lon = ring[i]![0] - lon0;
    const lat = ring[i]![1];
    const sin = Math.sin(lat * RAD);
    const zone = zoneSqM(sin) - zone0;
    const dLambda = (lon - lonBefore) * RAD;
    const dPhi = (lat - latBefore) * RAD;
    const sinMid = (sin + sinBefore) / 2;
    const u = sinMid * sinMid;
    const w = 1 - E2 * u;
    const n2 = (A * A) / w;
    const dx2 = n2 * (1 - u) * dLambda * dLambda;
    const dy2 = n2 * ((1 - E2) / w) ** 2 * dPhi * dPhi;
    if (dx2 + dy2 > SHORT_EDGE_M * SHORT_EDGE_M || Math.abs(lat) > SHORT_EDGE_MAX_LAT) {
      return geographicLibAreaSqM(ring);
    }
    sum += dLambda * ((zone + zoneBefore) / 2 + (sinMid * (dx2 + 3 * dy2)) / 12);
    lonBefore = lon;
    latBefore = lat;
    sinBefore = sin;
    zoneBefore = zone;
  }
  return Math.abs(sum);
}

/** Area between the equator and the latitude with this sine, in square meters per radian of longitude. */
function zoneSqM(sin: number): number {
  const u = sin * sin;
  return B2 * sin * (1 + u * (Z1 + u * (Z2 + u * (Z3 + u * (Z4 + u * (Z5 + u * (Z6 + u * Z7)))))));
}

/**
 * The area of a ring by Karney's algorithm (Algorithms for geodesics, J. Geodesy 87, 2013), for rings of any
 * size, including around poles and across the antimeridian.
 */
function geographicLibAreaSqM(ring: Ring): number {
  const polygon = geographiclib.Geodesic.WGS84.Polygon(false);
  for (let i = 1; i < ring.length; i++) polygon.AddPoint(ring[i]![1], ring[i]![0]);
  return Math.abs(polygon.Compute(false, true).area!);
}
