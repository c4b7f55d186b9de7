import type { Geometry } from 'geojson';
import { toE7 } from '../../../shared/geo/codec.ts';
import type { Extent } from '../../../shared/geo/types.ts';

/** A box without a point, to grow from. */
export function emptyExtent(): Extent {
  return [Infinity, Infinity, -Infinity, -Infinity];
}

export function isEmptyExtent(extent: Extent): boolean {
  return extent[0] > extent[2];
}

/** Makes `extent` hold another one. */
export function growExtent(extent: Extent, other: Extent): void {
  extent[0] = Math.min(extent[0], other[0]);
  extent[1] = Math.min(extent[1], other[1]);
  extent[2] = Math.max(extent[2], other[2]);
  extent[3] = Math.max(extent[3], other[3]);
}

/**
 * The box around a geometry as its file has it, whatever its type; null of one without positions, or with one that is not
 * on the globe.
 */
export function rawExtent(geometry: Geometry | null): Extent | null {
  if (geometry === null) return null;
  const own = emptyExtent();
  growByRaw(own, geometry);
  const [west, south, east, north] = own;
  const onGlobe = west >= -180 && south >= -90 && east <= 180 && north <= 90;
  return onGlobe && !isEmptyExtent(own) ? own : null;
}

function growByRaw(extent: Extent, geometry: Geometry): void {
  const { coordinates, geometries } = geometry as { coordinates?: unknown; geometries?: unknown };
  if (Array.isArray(coordinates)) growByPositions(extent, coordinates);
  else if (Array.isArray(geometries)) for (const part of geometries) if (part) growByRaw(extent, part);
}

/** Makes `extent` hold positions, nested however deep. What is no number makes the box one that no globe has. */
export function growByPositions(extent: Extent, coordinates: readonly unknown[]): void {
  if (Array.isArray(coordinates[0])) {
    for (const inner of coordinates) if (Array.isArray(inner)) growByPositions(extent, inner);
  } else if (coordinates.length > 1) {
    const [lon, lat] = [Number(coordinates[0]), Number(coordinates[1])];
    growExtent(extent, [lon, lat, lon, lat]);
  }
}

/** A box in the text of PostgreSQL, in integers of 1e-7 degree. */
export function boxText([west, south, east, north]: Extent): string {
  return `(${toE7(east)},${toE7(north)}),(${toE7(west)},${toE7(south)})`;
}

/** How much of the area of one box another one holds, in percent; areas on a plate carrée, which is enough for a gate. */
export function sharedPercent(of: Extent, other: Extent): number {
  const width = Math.min(of[2], other[2]) - Math.max(of[0], other[0]);
  const height = Math.min(of[3], other[3]) - Math.max(of[1], other[1]);
  if (width < 0 || height < 0) return 0;
  const area = (of[2] - of[0]) * (of[3] - of[1]);
  // A box without an area is a single line or point.
  return area === 0 ? 100 : (100 * width * height) / area;
}

/** How much larger what two boxes hold is than the first alone, in percent of that; 0 where it has no area. */
export function grownPercent(before: Extent, now: Extent): number {
  const areaOf = ([west, south, east, north]: Extent) => (east - west) * (north - south);
  if (areaOf(before) === 0) return 0;
  return ((100 - sharedPercent(now, before)) * areaOf(now)) / areaOf(before);
}

/** A box in words, to some 10 m. */
export function extentWords(extent: Extent | null): string {
  if (extent === null) return 'nowhere';
  const [west, south, east, north] = extent.map(degrees => Number(degrees.toFixed(4)));
  return `longitudes ${west} to ${east}, latitudes ${south} to ${north}`;
}
