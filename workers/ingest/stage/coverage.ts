import { boxArea } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/types.ts';

/** How much of the area of one box another one holds, in percent; areas on a plate carrée, which is enough for a gate. */
export function sharedPercent(of: Readonly<Box>, other: Readonly<Box>): number {
  const width = Math.min(of[2], other[2]) - Math.max(of[0], other[0]);
  const height = Math.min(of[3], other[3]) - Math.max(of[1], other[1]);
  if (width < 0 || height < 0) return 0;
  const area = boxArea(of);
  // A box without an area is a single line or point.
  return area === 0 ? 100 : (100 * width * height) / area;
}

/** How much larger what two boxes hold is than the first alone, in percent of that; 0 where it has no area. */
export function grownPercent(before: Readonly<Box>, now: Readonly<Box>): number {
  if (boxArea(before) === 0) return 0;
  return ((100 - sharedPercent(now, before)) * boxArea(now)) / boxArea(before);
}

/** A box in words, to some 10 m. */
export function extentWords(extent: Readonly<Box> | null): string {
  if (extent === null) return 'nowhere';
  const [west, south, east, north] = extent.map(degrees => Number(degrees.toFixed(4)));
  return `longitudes ${west} to ${east}, latitudes ${south} to ${north}`;
}
