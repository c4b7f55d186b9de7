import { MOST_LAND_FACTOR } from './land-effects.ts';
import { withoutChance } from './shrink.ts';

/**
 * What a county's assessor held the land for before it was sold: ln(assessed land value) beyond what the
 * roll's land of that size is assessed at. What that is worth beside the comps is learned from past sales,
 * each valued by what was known on the day before it.
 */

/** A comp is moved by no more than this. */
const MOST_MOVE = Math.log(MOST_LAND_FACTOR);

/**
 * How far a comp is below the subject in the assessor's eyes; NaN where one of the two is not assessed.
 * Bounded, as land in current use is assessed at next to nothing.
 */
export function opinionApart(subject: number, comp: number): number {
  return Math.max(-MOST_MOVE, Math.min(MOST_MOVE, subject - comp));
}

/** Squares of errors before any is known: sales of raw land are within 50 % of one another. */
const PRIOR_VARIANCE = 0.5 ** 2;
const PRIOR_SALES = 10;

/** What is within two standard errors of none is none; more shows only where the assessor knows something. */
const CHANCE = 2 ** 2;
/**
 * What the assessor sees of a place is in the price level of the place as well, and of two opinions both may
 * be wrong: with all of it, Washington's median error was 2 points worse.
 */
const MOST_WEIGHT = 0.5;

/**
 * The regression of errors on how far the comps are below the subject, up to the end of a day.
 * @param days of the sales, the earliest first @param errors ln(estimate / price)
 * @param apart weighted means over the comps, 0 where nothing is known
 * @returns the share that estimates are moved by, 0 to 0.5; to be asked for days that never go back
 */
export function createOpinionWeight(
  days: readonly number[],
  errors: readonly number[],
  apart: readonly number[],
): (day: number) => number {
  let end = 0;
  let [n, x, y, xx, xy, yy] = [0, 0, 0, 0, 0, 0];
  return day => {
    for (; end < days.length && days[end]! <= day; end++) {
      const [dx, dy] = [apart[end]!, -errors[end]!];
      if (dx === 0) continue;
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
    const weight = withoutChance({ value: together / spread, variance: CHANCE * variance });
    return Math.max(0, Math.min(MOST_WEIGHT, weight));
  };
}
