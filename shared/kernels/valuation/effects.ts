import { LAND_TERMS, type LandEffects, landPremium } from './land-effects.ts';
import type { Pairs } from './pairs.ts';
import { PAIRS_PER_SALE, regress } from './regress.ts';
import { combineEstimates, type Estimate } from './shrink.ts';

/**
 * How price per acre changes with size and time: ln(ppa) = level(place) + elasticity x ln(acres) + trend x
 * years + effects of the land + noise. Differences between nearby sales cancel the level. A robust regression
 * on these differences gives the effects, which are shrunk toward what would be expected without the county's
 * sales.
 */

/**
 * Elasticity of price per acre with respect to acres, yearly trend of its logarithm, and effects of the land,
 * which are null if none are significant.
 */
export type Effects = { elasticity: number; trend: number; land: LandEffects | null };

/**
 * Elasticity, trend, and land terms estimated from a county's own sales. Each is null if the sales don't
 * determine it.
 */
export type EffectEstimates = (Estimate | null)[];

/**
 * The prior if there are no sales. Twice the land costs between the same and twice as much (elasticities of
 * -1 and 0). Prices seldom double or halve in ten years (a trend of 0.07). In 19 of 20 cases, fully steep,
 * flooded, or wet land costs 0.4 to 2.7 times as much as other land, and 100 ft of frontage multiplies the
 * price by 0.75 to 1.3.
 */
export const PRIOR_EFFECTS: readonly Estimate[] = [
  { value: -0.5, variance: 0.5 ** 2 },
  { value: 0, variance: 0.05 ** 2 },
  { value: 0, variance: 0.5 ** 2 },
  { value: 0, variance: 0.2 ** 2 },
  { value: 0, variance: 0.5 ** 2 },
  { value: 0, variance: 0.5 ** 2 },
];

/** Prior variance of a difference: sales of raw land are within 50% of one another. */
const VARIANCE_PRIOR = 2 * 0.5 ** 2;
/**
 * An effect of land is used if it is at least this many standard errors from zero. The threshold is high
 * because four terms are tested and land correlates with other things.
 */
const MIN_Z = 3;
/**
 * A term is estimated from the county's pairs if it differs in at least this many of them (the equivalent of
 * 20 sales).
 */
const MIN_PAIRS = 20 * PAIRS_PER_SALE;

/** @param expected the prior of each effect */
export function estimateEffects(
  pairs: Pairs,
  expected: readonly Estimate[],
): { estimates: EffectEstimates; effects: Effects } {
  const land = landOf(pairs, expected);
  // Remove only the land effects that are used. The size effect absorbs the rest.
  const y = withoutLand(pairs, land.used);
  const own = regress(y, [pairs.acres, pairs.years], pairs.count, VARIANCE_PRIOR).effects;
  return {
    estimates: [...own, ...land.estimates].map(one => (Number.isFinite(one.variance) ? one : null)),
    effects: {
      elasticity: combineEstimates(expected[0]!, own[0]!).value,
      trend: combineEstimates(expected[1]!, own[1]!).value,
      land: land.used,
    },
  };
}

const UNKNOWN: Estimate = { value: 0, variance: Number.POSITIVE_INFINITY };

/** Estimates all four terms together with size and time, so that none absorbs another's effect. */
function landOf({ ppa, acres, years, land, count }: Pairs, expected: readonly Estimate[]) {
  const differences = land?.differences ?? [];
  const known = differences.filter(one => isEstimable(one, count));
  const fitted =
    known.length === 0 ? [] : regress(ppa, [acres, years, ...known], count, VARIANCE_PRIOR).effects;
  const estimates = Array.from({ length: LAND_TERMS }, (_, k) => {
    const column = known.indexOf(differences[k]!);
    return column < 0 ? UNKNOWN : fitted[2 + column]!;
  });
  const effects = estimates.map((own, k) => {
    const { value, variance } = combineEstimates(expected[2 + k]!, own);
    return value ** 2 >= MIN_Z ** 2 * variance ? value : 0;
  });
  const used =
    land === null || effects.every(effect => effect === 0) ? null : { effects, center: land.means };
  return { estimates, used };
}

function isEstimable(differences: Float64Array, count: number): boolean {
  let known = 0;
  for (let i = 0; i < count; i++) if (differences[i] !== 0 && ++known >= MIN_PAIRS) return true;
  return false;
}

/** Differences in ln(price per acre), adjusted to equal land. */
export function withoutLand({ ppa, land }: Pairs, used: LandEffects | null): Float64Array {
  if (land === null || used === null) return ppa;
  return ppa.map((difference, i) =>
    used.effects.reduce((left, effect, k) => left - effect * land.differences[k]![i]!, difference),
  );
}

/**
 * ln(price per acre) adjusted to one acre, mean land, and a different day.
 * @param years years from that day to the comp's day
 */
export function standardLevel(
  { elasticity, trend, land: landEffects }: Effects,
  logPpa: number,
  logAcres: number,
  years: number,
  land: Float64Array | undefined,
  i: number,
): number {
  const premium = landEffects === null || land === undefined ? 0 : landPremium(landEffects, land, i);
  return logPpa - elasticity * logAcres - trend * years - premium;
}
