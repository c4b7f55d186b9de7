import type { Extent, MultiPolygon, Ring } from './types.ts';

/** Bounding box of one ring, in degrees. */
export function ringExtent(ring: Ring): Extent {
  return growExtent([Infinity, Infinity, -Infinity, -Infinity], ring);
}

/**
 * Bounding box of a boundary, in degrees. Holes lie within their shells, so only shells are read.
 * A boundary without parts has the inverted box [Infinity, Infinity, -Infinity, -Infinity].
 */
export function extent(polygons: MultiPolygon): Extent {
  const box: Extent = [Infinity, Infinity, -Infinity, -Infinity];
  for (const polygon of polygons) growExtent(box, polygon[0]!);
  return box;
}

/** True when two boxes share at least a point. */
export function extentsMeet(a: Extent, b: Extent): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

function growExtent(box: Extent, ring: Ring): Extent {
  let [minLon, minLat, maxLon, maxLat] = box;
  for (const [lon, lat] of ring) {
    if (lon < minLon) minLon = lon;
    if (lon > maxLon) maxLon = lon;
    if (lat < minLat) minLat = lat;
    if (lat > maxLat) maxLat = lat;
  }
  box[0] = minLon;
  box[1] = minLat;
  box[2] = maxLon;
  box[3] = maxLat;
  return box;
}
