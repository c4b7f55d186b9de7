import type { GateResult } from '../../../shared/feeds/ingest-runs.ts';
import { boxAround } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import type { Gates } from '../../feeds/gates-schema.ts';
import { gateResult, oneDecimal, percent, type RowFigures, rowFaults } from '../engine/gate.ts';
import { type DeclaredPlace, extentWords, grownPercent, sharedPercent } from './gate-place.ts';
import { type LayerVersion, NO_COVERAGE } from './layer-version.ts';

export type LayerFigures = RowFigures & {
  /** How many of them lie outside the feed's county, or outside the United States where it names none. */
  outside: number;
  extent: Box | null;
  /** Where the feed declares its coverage: how much of what was read lies wholly outside it. */
  declared: DeclaredPlace | null;
  /** The box for which the layer has information, in degrees. */
  covered: Readonly<Box> | null;
  /** Whether that is the box around what was read; what is missing in it counts as not there. */
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
  `Of ${read} ${words.rows} read, none counts: is the mapping right, and is it a file of this place?`;

export function outsideFeatures(
  { outside, rows, extent }: Pick<LayerFigures, 'outside' | 'rows' | 'extent'>,
  { max_outside_percent }: Gates,
  words: LayerWords,
): string | null {
  if (percent(outside, rows) <= max_outside_percent) return null;
  return `${outside} of ${rows} ${words.rows} lie outside ${words.area} (${extentWords(extent)}): is the CRS right?`;
}

/** A coverage without a feature would say of every parcel that nothing is there. */
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
  const limit = none ? 'one at least has to lie inside' : `at most ${max_outside_coverage_percent} % may`;
  return `${outside} of ${placed} ${words.rows} lie wholly outside the declared coverage (${oneDecimal(share)} %, ${limit}; ${places}): is coverage right? Is it another place's file?`;
}

/** The box for which a version of a layer has information: its coverage and its feed's county. */
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
  return `${oneDecimal(lost)} % of the area that the layer covered is covered no longer, at most ${limits.max_coverage_drop_percent} % may (${places}): is it another place's file? Is fips right?`;
}

function grownCoverageFault(before: Readonly<Box>, now: Readonly<Box>, limits: Gates): string | null {
  const grown = grownPercent(before, now);
  if (grown <= limits.max_coverage_growth_percent) return null;
  const places = `${extentWords(before)} before, ${extentWords(now)} now`;
  return `The area that the layer covers grows by ${oneDecimal(grown)} %, at most ${limits.max_coverage_growth_percent} % may (${places}): is a stray feature, or another place's file, among it? Is fips right?`;
}
