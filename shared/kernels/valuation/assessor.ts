import { MAX_LAND_FACTOR } from './land-effects.ts';
import { shrinkToZero } from './shrink.ts';
import type { Comps } from './valuation-types.ts';

/**
 * The county assessor's opinion of land: how far its ln(assessed land value) is above that of other land of
 * the same size on the roll. A sale has the opinion of the newest roll before it, or else of the first roll.
 * The weight of the opinion relative to the comps is fitted to past sales, each valued as of the day before.
 * Only opinions from before a sale count there, because assessors may set values from prices ("sales
 * chasing", IAAO, Standard on Ratio Studies, 2013).
 */

type Opinions = Pick<Comps, 'assessed' | 'assessedDay' | 'soldDay'>;

/** The opinions that were known at the end of a day; NaN for the others. */
export function opinionsOn({ assessed, assessedDay }: Opinions, day: number): Float64Array | undefined {
  if (assessedDay === undefined) return assessed;
  return assessed?.map((opinion, i) => (assessedDay[i]! <= day ? opinion : Number.NaN));
}

/** The opinion of a sale from before it was sold; NaN if unknown. */
export function opinionBefore({ assessed, assessedDay, soldDay }: Opinions, sale: number): number {
  const isBefore = assessedDay === undefined || assessedDay[sale]! < soldDay[sale]!;
  return isBefore ? (assessed?.[sale] ?? Number.NaN) : Number.NaN;
}

/** The largest adjustment to a comp, as a logarithm. */
const MAX_MOVE = Math.log(MAX_LAND_FACTOR);

/**
 * The assessor's opinion of the subject minus that of the comp; NaN if either isn't assessed. The difference
 * is bounded, because land under current-use valuation is assessed at almost nothing.
 */
export function opinionDifference(subject: number, comp: number): number {
  return Math.max(-MAX_MOVE, Math.min(MAX_MOVE, subject - comp));
}

/** Prior variance of errors: sales of raw land are within 50% of one another. */
const PRIOR_VARIANCE = 0.5 ** 2;
const PRIOR_SALES = 10;

/** A weight within two standard errors of 0 counts as 0. */
const MIN_Z_SQUARED = 2 ** 2;
const MAX_WEIGHT = 1;

/**
 * Regresses errors on how far the assessor's opinions of the comps are below that of the subject.
 * @param errors ln(estimate / price)
 * @param apart weighted mean opinion differences of each sale and its comps, 0 if unknown
 * @returns the weight, 0 to 1
 */
export function opinionWeight(errors: readonly number[], apart: readonly number[]): number {
  let [n, x, y, xx, xy, yy] = [0, 0, 0, 0, 0, 0];
  for (const [i, dx] of apart.entries()) {
    if (dx === 0) continue;
    const dy = -errors[i]!;
    n++;
    x += dx;
    y += dy;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const spread = n === 0 ? 0 : xx - x ** 2 / n;
  if (spread <= 0) return 0;
  const together = xy - (x * y) / n;
  const left = Math.max(0, yy - y ** 2 / n - together ** 2 / spread);
  const variance = (left + PRIOR_SALES * PRIOR_VARIANCE) / (n + PRIOR_SALES) / spread;
  const weight = shrinkToZero({ value: together / spread, variance: MIN_Z_SQUARED * variance });
  return Math.max(0, Math.min(MAX_WEIGHT, weight));
}
