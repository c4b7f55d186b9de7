import type { GateResult } from '../../../shared/feeds/ingest-runs.ts';
import { boxArea, boxAround, boxesIntersect, growBox, padBox } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { allCounties } from '../../../shared/regions/counties.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import type { Gates } from '../../feeds/gates-schema.ts';
import { gateResult, oneDecimal, percent, type RowFigures, rowFaults } from '../engine/gate.ts';
import { type LayerVersion, NO_COVERAGE } from './layer-version.ts';
import type { LayerFeed } from './vector-layer.ts';

export type LayerFigures = RowFigures & {
  /** Number of features outside the feed's county, or outside the United States if the feed has no county. */
  outside: number;
  extent: Box | null;
  /** If the feed declares a coverage: how many features are completely outside it. */
  declared: DeclaredPlace | null;
  /** The box that the layer covers, in degrees. */
  covered: Readonly<Box> | null;
  /**
   * Whether the coverage is the source's bounding box. Plat assumes that nothing is missing inside the box.
   */
  boxed: boolean;
  last: (NonNullable<RowFigures['last']> & { covered: Readonly<Box> | null }) | null;
};

export type LayerWords = { rows: string; area: string };

export function checkLayerGates(figures: LayerFigures, limits: Gates, words: LayerWords): GateResult {
  const { rows, read, covered, boxed, last } = figures;
  const before = last?.covered ?? null;
  return gateResult(figures, [
    ['empty', rows > 0 || limits.allow_empty ? null : noUsableFeatures(read, words)],
    ...rowFaults(figures, limits, words.rows),
    ['coverage', before && covered && lostCoverageFault(before, covered, limits)],
    ['coverage_growth', before && covered && boxed ? grownCoverageFault(before, covered, limits) : null],
    ['coverage', outsideCoverage(figures, limits, words)],
    ['extent', outsideFeatures(figures, limits, words)],
  ]);
}

export const noUsableFeatures = (read: number, words: Pick<LayerWords, 'rows'>): string =>
  `None of ${read} ${words.rows} is usable. Check the mapping, and whether the file is for this place.`;

export function outsideFeatures(
  { outside, rows, extent }: Pick<LayerFigures, 'outside' | 'rows' | 'extent'>,
  { max_outside_percent }: Gates,
  words: LayerWords,
): string | null {
  if (percent(outside, rows) <= max_outside_percent) return null;
  return `${outside} of ${rows} ${words.rows} are outside ${words.area} (${extentWords(extent)}). Check the CRS.`;
}

/**
 * Checks features against the declared coverage. If none were inside, Plat would report that no parcel there
 * has roads, wetlands, or flood zones.
 */
export function outsideCoverage(
  { declared, extent }: Pick<LayerFigures, 'declared' | 'extent'>,
  { max_outside_coverage_percent }: Gates,
  words: LayerWords,
): string | null {
  if (declared === null) return null;
  const { coverage, placed, outside } = declared;
  const none = placed > 0 && outside === placed;
  const share = percent(outside, placed);
  if (!none && share <= max_outside_coverage_percent) return null;
  const places = `coverage: ${extentWords(coverage)}; ${words.rows}: ${extentWords(extent)}`;
  const limit = none ? 'at least one must be inside' : `limit ${max_outside_coverage_percent}%`;
  return `${outside} of ${placed} ${words.rows} are completely outside the declared coverage (${oneDecimal(share)}%, ${limit}; ${places}). Check coverage, and whether the file is for this place.`;
}

/** The box for which a version of a layer has data: its coverage and its feed's county. */
export function coveredBox({ coverage, fips }: LayerVersion['scope']): Readonly<Box> | null {
  const box = coverage.every((side, i) => side === NO_COVERAGE[i]) ? null : coverage;
  const county = (fips !== null && countyExtent(fips)) || null;
  return box && county ? boxAround([box, county]) : (box ?? county);
}

export function layerArea(fips: number | null): string {
  return fips === null ? 'the United States' : 'the county';
}

function lostCoverageFault(before: Readonly<Box>, now: Readonly<Box>, limits: Gates): string | null {
  const lost = 100 - sharedPercent(before, now);
  if (lost <= limits.max_coverage_drop_percent) return null;
  const places = `${extentWords(before)} before, ${extentWords(now)} now`;
  return `${oneDecimal(lost)}% of the area that the layer covered is no longer covered (limit ${limits.max_coverage_drop_percent}%; ${places}). Check fips, and whether the file is for this place.`;
}

function grownCoverageFault(before: Readonly<Box>, now: Readonly<Box>, limits: Gates): string | null {
  const grown = grownPercent(before, now);
  if (grown <= limits.max_coverage_growth_percent) return null;
  const places = `${extentWords(before)} before, ${extentWords(now)} now`;
  return `The area that the layer covers grows by ${oneDecimal(grown)}% (limit ${limits.max_coverage_growth_percent}%; ${places}). Check fips, and whether the source has stray features or another place's file.`;
}

/**
 * Margin around a county's box. County polygons are simplified by up to a kilometer, and coastal parcels and
 * roads extend past them.
 */
const MARGIN_DEG = 0.05;

/** The box of a county's features, or null if unknown. */
export function countyBox(fips: number): Box | null {
  const box = countyExtent(fips);
  return box ? padBox(box, MARGIN_DEG) : null;
}

/** The box of a feed's county, or the boxes of all states. Empty if the county's box is unknown. */
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

export const sidesOf = (boxes: readonly Readonly<Box>[]) => ({
  west: boxes.map(([west]) => west),
  south: boxes.map(([, south]) => south),
  east: boxes.map(([, , east]) => east),
  north: boxes.map(([, , , north]) => north),
});

/** Compares features, including ignored ones, with the feed's coverage. */
export type DeclaredPlace = { coverage: Box; placed: number; outside: number };

type PlaceCount = {
  add(extent: Box): void;
  result(): DeclaredPlace | null;
};

/** Compares features with the coverage. If the feed also names a county, its box counts as covered too. */
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

/** The percentage of the first box that is in the other, measured in degrees (plate carrée). */
export function sharedPercent(of: Readonly<Box>, other: Readonly<Box>): number {
  const width = Math.min(of[2], other[2]) - Math.max(of[0], other[0]);
  const height = Math.min(of[3], other[3]) - Math.max(of[1], other[1]);
  if (width < 0 || height < 0) return 0;
  const area = boxArea(of);
  // A box without an area is a single line or point.
  return area === 0 ? 100 : (100 * width * height) / area;
}

/**
 * The area of the second box that is outside the first, as a percentage of the first. Returns 0 if the first
 * has no area.
 */
function grownPercent(before: Readonly<Box>, now: Readonly<Box>): number {
  if (boxArea(before) === 0) return 0;
  return ((100 - sharedPercent(now, before)) * boxArea(now)) / boxArea(before);
}

/** Describes a box in words, accurate to about 10 m. */
export function extentWords(extent: Readonly<Box> | null): string {
  if (extent === null) return 'nowhere';
  const [west, south, east, north] = extent.map(degrees => Number(degrees.toFixed(4)));
  return `longitudes ${west} to ${east}, latitudes ${south} to ${north}`;
}
