import { boxArea, boxesIntersect, growBox, padBox } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { allCounties } from '../../../shared/regions/counties.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import type { LayerFeed } from './vector-layer.ts';

/** County polygons are simplified by up to a kilometer, and coastal parcels and roads cross the line. */
const MARGIN_DEG = 0.05;

/** The box in which what belongs to a county lies, or null where it is not known. */
export function countyBox(fips: number): Box | null {
  const box = countyExtent(fips);
  return box ? padBox(box, MARGIN_DEG) : null;
}

/** The boxes of a feed's county, or of all states. None for a county without a known box. */
export function homeBoxes(fips: number | null): Box[] {
  if (fips !== null) {
    const box = countyBox(fips);
    return box ? [box] : [];
  }
  const states = new Map<number, Box>();
  for (const county of allCounties()) {
    const box = countyExtent(county.fips);
    if (!box) continue;
    const state = Math.floor(county.fips / 1000);
    const cached = states.get(state);
    if (cached) growBox(cached, box);
    else states.set(state, [...box]);
  }
  return [...states.values()].map(box => padBox(box, MARGIN_DEG));
}

/** The sides of boxes, a list each. */
export const sidesOf = (boxes: readonly Readonly<Box>[]) => ({
  west: boxes.map(([west]) => west),
  south: boxes.map(([, south]) => south),
  east: boxes.map(([, , east]) => east),
  north: boxes.map(([, , , north]) => north),
});

/** Features, those that do not count included, against the coverage that their feed declares. */
export type DeclaredPlace = { coverage: Box; placed: number; outside: number };

export type PlaceCount = {
  add(extent: Box): void;
  result(): DeclaredPlace | null;
};

/** A feed that names a county too covers both. */
export function declaredPlace({ coverage, fips }: Pick<LayerFeed, 'coverage' | 'fips'>): PlaceCount {
  const boxes = coverage === null ? [] : [coverage, ...(fips === null ? [] : homeBoxes(fips))];
  let placed = 0;
  let outside = 0;
  return {
    add(extent) {
      placed++;
      if (!boxes.some(box => boxesIntersect(box, extent))) outside++;
    },
    result: () => coverage && { coverage, placed, outside },
  };
}

export async function featuresOutside(db: Db, boxes: readonly Box[]): Promise<number> {
  if (boxes.length === 0) return 0;
  const rows = await db.run<{ outside: number }>('land/count_outside', sidesOf(boxes));
  return rows[0]!.outside;
}

export function tilesDeclared(tiles: readonly { extent: Box }[], coverage: Box | null): DeclaredPlace | null {
  return coverage && { coverage, placed: tiles.length, outside: tilesOutside(tiles, [coverage]) };
}

export function tilesOutside(tiles: readonly { extent: Box }[], boxes: readonly Box[]): number {
  if (boxes.length === 0) return 0;
  return tiles.filter(({ extent }) => !boxes.some(box => boxesIntersect(box, extent))).length;
}

/** The share of the first box that is in the other, in percent, on a plate carrée. */
export function sharedPercent(of: Readonly<Box>, other: Readonly<Box>): number {
  const width = Math.min(of[2], other[2]) - Math.max(of[0], other[0]);
  const height = Math.min(of[3], other[3]) - Math.max(of[1], other[1]);
  if (width < 0 || height < 0) return 0;
  const area = boxArea(of);
  // A box without an area is a single line or point.
  return area === 0 ? 100 : (100 * width * height) / area;
}

/** How much larger the second box is than the first, in percent. 0 if the first has no area. */
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
