/** The size on the ground of one unit of a grid's coordinates. */
export type GroundScale =
  /** Longitude and latitude on WGS84, or on GRS80, which differs by 0.1 mm. */
  | { kind: 'degrees' }
  /** EPSG:3857: ellipsoidal coordinates in a spherical Mercator projection, in nominal meters. */
  | { kind: 'webMercator' }
  /** Other projections: meters on the ground per unit along each axis. */
  | { kind: 'planar'; x: number; y: number };

// WGS84 ellipsoid (NIMA TR8350.2).
const A = 6_378_137;
const F = 1 / 298.257223563;
const E2 = F * (2 - F);
const RAD = Math.PI / 180;

/**
 * Meters on the ground per unit of x and of y, at the coordinate `y`, from the ellipsoid's radii of curvature
 * (Snyder 1987, USGS PP 1395, eq. 4-20 and 4-21). In Web Mercator, the two differ by up to 0.7%.
 */
export function metersPerUnit(ground: GroundScale, y: number): { x: number; y: number } {
  if (ground.kind === 'planar') return { x: ground.x, y: ground.y };
  if (ground.kind === 'degrees') {
    const radii = radiiM(y * RAD);
    return { x: radii.parallel * RAD, y: radii.meridian * RAD };
  }
  const phi = 2 * Math.atan(Math.exp(y / A)) - Math.PI / 2;
  const radii = radiiM(phi);
  return { x: radii.parallel / A, y: (radii.meridian * Math.cos(phi)) / A };
}

/** Meters between two positions in degrees that are up to a few kilometers apart, using the same radii. */
export function shortDistanceM([lon0, lat0]: readonly number[], [lon1, lat1]: readonly number[]): number {
  const radii = radiiM(((lat0! + lat1!) / 2) * RAD);
  return Math.hypot((lon1! - lon0!) * RAD * radii.parallel, (lat1! - lat0!) * RAD * radii.meridian);
}

/** Radius of the parallel, and radius of curvature along the meridian, in meters. */
function radiiM(phi: number): { parallel: number; meridian: number } {
  const w = 1 - E2 * Math.sin(phi) ** 2;
  const n = A / Math.sqrt(w);
  return { parallel: n * Math.cos(phi), meridian: (n * (1 - E2)) / w };
}
