import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { pointToPolygonDistance } from '@turf/point-to-polygon-distance';
import Flatbush from 'flatbush';
import type { Polygon } from 'geojson';
import { feature } from 'topojson-client';
import { boxOf, growBox } from '../geo/box.ts';
import type { Box, MultiPolygon, Position } from '../geo/geometry-types.ts';
import { readCountyTopology } from './counties.ts';

type Part = { fips: number; shape: Polygon };

type CountyIndex = { parts: Part[]; tree: Flatbush; boxes: Map<number, Box> };

let cached: CountyIndex | undefined;

/** Built on first use, which takes 80 ms for about 3,600 polygons with 68,000 vertices. */
function index(): CountyIndex {
  if (cached) return cached;
  const topology = readCountyTopology();
  const parts: Part[] = [];
  const extents: Box[] = [];
  const boxes = new Map<number, Box>();
  for (const { id, geometry } of feature(topology, topology.objects.counties).features) {
    const fips = Number(id);
    const { coordinates } = geometry as Polygon | { type: 'MultiPolygon'; coordinates: MultiPolygon };
    const polygons = (geometry.type === 'Polygon' ? [coordinates] : coordinates) as MultiPolygon;
    for (const polygon of polygons) {
      parts.push({ fips, shape: { type: 'Polygon', coordinates: polygon } });
      extents.push(boxOf([polygon]));
    }
    const box = boxes.get(fips);
    if (box) growBox(box, boxOf(polygons));
    else boxes.set(fips, boxOf(polygons));
  }
  const tree = new Flatbush(parts.length);
  for (const extent of extents) tree.add(...extent);
  tree.finish();
  cached = { parts, tree, boxes };
  return cached;
}

/**
 * The county that contains a point, or the one with the lower code if two do. Null at sea, abroad, or just
 * off the simplified coast (see `nearestCounty`).
 */
export function countyAt(lon: number, lat: number): number | null {
  const { parts, tree } = index();
  let best: number | null = null;
  // The filter callback does the work and always returns false, so that no array of results is built.
  tree.search(lon, lat, lon, lat, item => {
    const { fips, shape } = parts[item]!;
    if ((best === null || fips < best) && booleanPointInPolygon([lon, lat], shape)) best = fips;
    return false;
  });
  return best;
}

/**
 * How far a point can be from the simplified coast and still count as in the county, because bays and islands
 * were simplified away.
 */
const COAST_TOLERANCE_DEG = 0.05;

/**
 * The county that contains a point, or else the one with the nearest boundary within `toleranceDeg` degrees
 * of latitude, or else null.
 */
export function nearestCounty(lon: number, lat: number, toleranceDeg = COAST_TOLERANCE_DEG): number | null {
  const inside = countyAt(lon, lat);
  if (inside !== null || Number.isNaN(lon + lat)) return inside;
  const { parts, tree } = index();
  const reach = toleranceDeg / Math.max(Math.cos((lat * Math.PI) / 180), 0.01);
  let nearest: number | null = null;
  let least = toleranceDeg;
  for (const item of tree.search(lon - reach, lat - toleranceDeg, lon + reach, lat + toleranceDeg)) {
    const { fips, shape } = parts[item]!;
    const distance = pointToPolygonDistance([lon, lat], shape, { units: 'degrees' });
    if (distance < least || (distance === least && nearest !== null && fips < nearest)) {
      nearest = fips;
      least = distance;
    }
  }
  return nearest;
}

/**
 * The county's bounding box in degrees, or undefined for an unknown FIPS code. Aleutians West (2016) spans
 * 180 degrees.
 */
export const countyExtent = (fips: number): Readonly<Box> | undefined => index().boxes.get(fips);

export function countiesIntersecting([west, south, east, north]: Readonly<Box>): number[] {
  const { parts, tree } = index();
  const fipsCodes = new Set(tree.search(west, south, east, north).map(item => parts[item]!.fips));
  return [...fipsCodes].sort((a, b) => a - b);
}

export function countyOutline(fips: number): MultiPolygon {
  return index()
    .parts.filter(part => part.fips === fips)
    .map(({ shape }) => shape.coordinates as MultiPolygon[number]);
}

let centers: ReadonlyMap<number, Position> | undefined;

/** The middle of the bounding box of the county's most detailed polygon. Undefined for an unknown code. */
export function countyCenter(fips: number): Position | undefined {
  if (!centers) {
    const detailed = new Map<number, Part>();
    for (const part of index().parts) {
      const best = detailed.get(part.fips);
      if (!best || verticesOf(part) > verticesOf(best)) detailed.set(part.fips, part);
    }
    centers = new Map([...detailed].map(([code, { shape }]) => [code, middleOf(shape)]));
  }
  return centers.get(fips);
}

const verticesOf = ({ shape }: Part): number => shape.coordinates[0]!.length;

function middleOf({ coordinates }: Polygon): Position {
  const [west, south, east, north] = boxOf([coordinates as MultiPolygon[number]]);
  return [(west + east) / 2, (south + north) / 2];
}
