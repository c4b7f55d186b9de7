import { boxAround } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/types.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import type { Gates } from '../../feeds/feed.ts';
import { extentOfRun, type LayerVersion, NOWHERE } from '../run/layer-version.ts';
import type { AcceptedRun, GateResult } from '../run/record.ts';
import { compareDrop, percent, show } from './gate.ts';
import { type DeclaredPlace, extentWords, grownPercent, sharedPercent } from './place.ts';

/** What a run of a land layer is judged by. Figures of the last accepted run are null on the first. */
export type LayerFigures = {
  read: number;
  rejected: number;
  /** Features that count, or tiles. */
  rows: number;
  /** How many of them lie outside the feed's county, or outside the United States where it names none. */
  outside: number;
  /** The box around what was read, in degrees. */
  extent: Box | null;
  /** Where the feed itself says where the layer is complete: what was read, and how much of it lies wholly elsewhere. */
  declared: DeclaredPlace | null;
  /** The box in which the layer tells something, in degrees. */
  covered: Readonly<Box> | null;
  /** Whether that is the box around what was read: where what is not shown is taken for not there. */
  boxed: boolean;
  filled: Record<string, number>;
  last: { rows: number; covered: Readonly<Box> | null; filled: Record<string, number> } | null;
};

/** How a layer's rows are called. */
export type LayerWords = { rows: string; area: string };

/** Compares a run of a land layer with the last accepted one. Every reason that blocks it is named, not only the first. */
export function judgeLayer(figures: LayerFigures, limits: Gates, words: LayerWords): GateResult {
  const { last, rows, read, rejected } = figures;
  const blocked: GateResult['blocked'] = [];
  const block = (gate: string, message: string) => blocked.push({ gate, message });

  if (rows === 0) block('empty', noneCounts(read, words));
  if (last) {
    compareDrop('rows', words.rows, last.rows, rows, limits.maxRowDropPercent, block);
    for (const [column, count] of Object.entries(last.filled)) {
      if (limits.emptyColumns && count > 0 && !figures.filled[column])
        block(
          'empty_column',
          `Column ${column} was filled in ${count} rows of the last run and is empty now.`,
        );
    }
  }
  if (last?.covered && figures.covered) {
    judgeDrop(last.covered, figures.covered, limits, block);
    if (figures.boxed) judgeGrowth(last.covered, figures.covered, limits, block);
  }
  const undeclared = outsideCoverage(figures, limits, words);
  if (undeclared !== null) block('coverage', undeclared);
  const rejects = percent(rejected, read);
  if (rejects > limits.maxRejectPercent) {
    const message = `${rejected} of ${read} ${words.rows} were rejected (${show(rejects)} %, at most ${limits.maxRejectPercent} %).`;
    block('rejects', message);
  }
  const elsewhere = outsideFeatures(figures, limits, words);
  if (elsewhere !== null) block('extent', elsewhere);
  return { blocked, figures };
}

/** What the gate says of a layer without a feature that counts. */
export function noneCounts(read: number, words: Pick<LayerWords, 'rows'>): string {
  return `Of ${read} ${words.rows} read, none counts: is the mapping right?`;
}

/** What the gate says of features that lie outside the place of their feed, or null. */
export function outsideFeatures(
  { outside, rows, extent }: Pick<LayerFigures, 'outside' | 'rows' | 'extent'>,
  { maxOutsidePercent }: Gates,
  words: LayerWords,
): string | null {
  if (percent(outside, rows) <= maxOutsidePercent) return null;
  return `${outside} of ${rows} ${words.rows} lie outside ${words.area} (${extentWords(extent)}): is the CRS right?`;
}

/**
 * What the gate says of features that lie outside the coverage that their feed declares, or null. In a coverage without a
 * feature the layer would say of every parcel that nothing is there.
 */
export function outsideCoverage(
  { declared, extent }: Pick<LayerFigures, 'declared' | 'extent'>,
  { maxOutsideCoveragePercent }: Gates,
  words: LayerWords,
): string | null {
  if (declared === null) return null;
  const { coverage, placed, outside } = declared;
  const none = placed > 0 && outside === placed;
  const share = percent(outside, placed);
  if (!none && share <= maxOutsideCoveragePercent) return null;
  const places = `coverage: ${extentWords(coverage)}; ${words.rows}: ${extentWords(extent)}`;
  const limit = none ? 'one at least has to lie inside' : `at most ${maxOutsideCoveragePercent} % may`;
  return `${outside} of ${placed} ${words.rows} lie wholly outside the declared coverage (${show(share)} %, ${limit}; ${places}): is coverage right? Is it another place's file?`;
}

/** The box in which a version of a layer tells something: where its feed says, and in the county that it names. */
export function coveredBox({ coverage, fips }: LayerVersion['scope']): Readonly<Box> | null {
  const box = coverage.every((side, i) => side === NOWHERE[i]) ? null : coverage;
  const county = (fips !== null && countyExtent(fips)) || null;
  return box && county ? boxAround([box, county]) : (box ?? county);
}

/** The last accepted run's figures as the gate compares them; without `covered`, of heights, the box around its tiles. */
export function lastLayerFigures(
  run: AcceptedRun | null,
  covered: Readonly<Box> | null = run && extentOfRun(run),
): LayerFigures['last'] {
  if (run === null) return null;
  const { rows, filled } = run.counts;
  return { rows: Number(rows ?? 0), covered, filled };
}

/** What the gate's message calls the place where a feed's features belong. */
export function layerArea(fips: number | null): string {
  return fips === null ? 'the United States' : 'the county';
}

function judgeDrop(
  before: Readonly<Box>,
  now: Readonly<Box>,
  limits: Gates,
  block: (gate: string, message: string) => void,
): void {
  const lost = 100 - sharedPercent(before, now);
  if (lost <= limits.maxCoverageDropPercent) return;
  const places = `${extentWords(before)} before, ${extentWords(now)} now`;
  block(
    'coverage',
    `${show(lost)} % of the area that the layer covered is covered no longer, at most ${limits.maxCoverageDropPercent} % may (${places}): is it another place's file? Is fips right?`,
  );
}

function judgeGrowth(
  before: Readonly<Box>,
  now: Readonly<Box>,
  limits: Gates,
  block: (gate: string, message: string) => void,
): void {
  const grown = grownPercent(before, now);
  if (grown <= limits.maxCoverageGrowthPercent) return;
  const places = `${extentWords(before)} before, ${extentWords(now)} now`;
  block(
    'coverage_growth',
    `The area that the layer covers grows by ${show(grown)} %, at most ${limits.maxCoverageGrowthPercent} % may (${places}): is a stray feature, or another place's file, among it? Is fips right?`,
  );
}
