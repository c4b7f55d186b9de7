import Flatbush from 'flatbush';
import type { MultiPolygon, Polygon } from 'geojson';
import { orient2d } from 'robust-predicates';
import { feature } from 'topojson-client';
import { readCountyTopology } from './counties.ts';

/** West, south, east, north in degrees. */
export type Extent = readonly [west: number, south: number, east: number, north: number];

/** One polygon of a county: its rings, closed, as x, y, x, y … one after the other. */
type Part = { fips: number; rings: Float64Array[]; extent: Extent };

type CountyIndex = { parts: Part[]; tree: Flatbush; extents: Map<number, Extent> };

let cached: CountyIndex | undefined;

/** Built on the first question: some 3,600 polygons of 68,000 vertices, 80 ms. */
function index(): CountyIndex {
  if (cached) return cached;
  const topology = readCountyTopology();
  const parts: Part[] = [];
  for (const { id, geometry } of feature(topology, topology.objects.counties).features) {
    for (const polygon of polygonsOf(geometry as Polygon | MultiPolygon)) {
      const rings = polygon.map(ring => Float64Array.from(ring.flat()));
      parts.push({ fips: Number(id), rings, extent: extentOf(rings[0]!) });
    }
  }
  const tree = new Flatbush(parts.length);
  for (const { extent } of parts) tree.add(...extent);
  tree.finish();

  const extents = new Map<number, Extent>();
  for (const { fips, extent } of parts) {
    const known = extents.get(fips);
    extents.set(fips, known ? union(known, extent) : extent);
  }
  cached = { parts, tree, extents };
  return cached;
}

const polygonsOf = (geometry: Polygon | MultiPolygon) =>
  geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;

function extentOf(ring: Float64Array): Extent {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    west = Math.min(west, ring[i]!);
    east = Math.max(east, ring[i]!);
    south = Math.min(south, ring[i + 1]!);
    north = Math.max(north, ring[i + 1]!);
  }
  return [west, south, east, north];
}

const union = (a: Extent, b: Extent): Extent => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

/**
 * Even-odd rule by a ray to the east. Neighbours share their vertices bit for bit and `orient2d` is exact, so a point
 * on a common boundary is in exactly one of the two counties.
 */
function holds(part: Part, x: number, y: number): boolean {
  let inside = false;
  for (const ring of part.rings) {
    let x1 = ring[0]!;
    let y1 = ring[1]!;
    for (let i = 2; i < ring.length; i += 2) {
      const x2 = ring[i]!;
      const y2 = ring[i + 1]!;
      if (y1 > y !== y2 > y) {
        // Always from the lower to the upper end, so that both neighbours ask the same question. Negative: right of it.
        const side = y1 < y2 ? orient2d(x1, y1, x2, y2, x, y) : orient2d(x2, y2, x1, y1, x, y);
        // robust-predicates has y pointing down: negative is left of the edge, which the ray then crosses.
        if (side < 0) inside = !inside;
      }
      x1 = x2;
      y1 = y2;
    }
  }
  return inside;
}

/**
 * The FIPS of the county whose polygon holds a point (WGS84 degrees), or null: at sea, abroad, or just off a coast
 * that the polygons simplify (see `nearestCounty`).
 */
export function countyAt(lon: number, lat: number): number | null {
  const { parts, tree } = index();
  let found: number | null = null;
  // The filter does the work and lets nothing through, so that no array of results is built.
  tree.search(lon, lat, lon, lat, item => {
    const part = parts[item]!;
    if ((found === null || part.fips < found) && holds(part, lon, lat)) found = part.fips;
    return false;
  });
  return found;
}

/** How far off its coast a point may be and still count as in the county: bays and islands that were simplified away. */
export const COAST_TOLERANCE_DEG = 0.05;

/**
 * The county that holds a point, else the one whose boundary is nearest within `toleranceDeg` degrees of latitude
 * (longitude counted by its length there), else null.
 */
export function nearestCounty(lon: number, lat: number, toleranceDeg = COAST_TOLERANCE_DEG): number | null {
  const inside = countyAt(lon, lat);
  if (inside !== null) return inside;
  const { parts, tree } = index();
  const shrink = Math.cos((lat * Math.PI) / 180);
  const reach = toleranceDeg / Math.max(shrink, 0.01);
  let found: number | null = null;
  let least = toleranceDeg;
  for (const item of tree.search(lon - reach, lat - toleranceDeg, lon + reach, lat + toleranceDeg)) {
    const { fips, rings } = parts[item]!;
    const distance = Math.min(...rings.map(ring => distanceToRing(ring, lon, lat, shrink)));
    if (distance < least || (distance === least && found !== null && fips < found)) {
      found = fips;
      least = distance;
    }
  }
  return found;
}

function distanceToRing(ring: Float64Array, lon: number, lat: number, shrink: number): number {
  let least = Infinity;
  for (let i = 2; i < ring.length; i += 2) {
    const x1 = (ring[i - 2]! - lon) * shrink;
    const y1 = ring[i - 1]! - lat;
    const dx = (ring[i]! - lon) * shrink - x1;
    const dy = ring[i + 1]! - lat - y1;
    const along =
      dx === 0 && dy === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / (dx * dx + dy * dy)));
    least = Math.min(least, Math.hypot(x1 + along * dx, y1 + along * dy));
  }
  return least;
}

/** The county's bounding box in degrees, or undefined for an unknown FIPS. Aleutians West (2016) spans 180 degrees. */
export function countyExtent(fips: number): Extent | undefined {
  return index().extents.get(fips);
}
