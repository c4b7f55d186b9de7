import type { GateResult } from '../../../shared/feeds/ingest-runs.ts';
import { boxAround } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import type { Gates } from '../../feeds/gates-schema.ts';
import { gateResult, oneDecimal, percent, type RowFigures, rowFaults } from '../engine/gate.ts';
import { type DeclaredPlace, extentWords, grownPercent, sharedPercent } from './gate-place.ts';
import { type LayerVersion, NO_COVERAGE } from './layer-version.ts';

export type LayerFigures = RowFigures & {
  /** Number of features outside the feed's county, or outside the United States if it has none. */
  outside: number;
  extent: Box | null;
  /** If the feed declares a coverage: how many features are completely outside it. */
  declared: DeclaredPlace | null;
  /** The box that the layer covers, in degrees. */
  covered: Readonly<Box> | null;
  /**
   * Whether the coverage is the bounding box of the source. Anything missing inside counts as nonexistent.
   */
  boxed: boolean;
  last: (NonNullable<RowFigures['last']> & { covered: Readonly<Box> | null }) | null;
};

export type LayerWords = { rows: string; area: string };

export function checkLayerGates(figures: LayerFigures, limits: Gates, words: LayerWords): GateResult {
  const { rows, read, covered, boxed, last } = figures;
  const before = last?.covered ?? null;
  return gateResult(figures, [
    ['empty', rows === 0 ? noUsableFeatures(read, words) : null],
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

/** A coverage without any feature would mean that no parcel in it has roads, wetlands, or flood zones. */
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

/** The box that a version of a layer covers: its coverage and the county of its feed. */
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
