import { SHORE } from './covariance.ts';
import { LAND_TERMS, type LandEffects, landPremium, type ShoreEffect, shorePremium } from './land-effects.ts';
import type { Pairs } from './pairs.ts';
import { PAIRS_PER_SALE, regress } from './regress.ts';
import { combineEstimates, type Estimate } from './shrink.ts';
import { fitTimeCurve, logAt, type Period, type TimeCurve } from './time-curve.ts';

/**
 * How price per acre changes with size and time: ln(ppa) = level(place) + elasticity x ln(acres) + curve(day)
 * + effects of the land + noise. Differences between nearby sales cancel the level. A robust regression
 * on these differences gives the effects, which are shrunk toward what would be expected without the county's
 * sales.
 */

/**
 * Elasticity of price per acre to acres, the change of its logarithm over time, and effects of the land and
 * of the shore, which are null if none is significant or known.
 */
export type Effects = {
  elasticity: number;
  time: TimeCurve;
  land: LandEffects | null;
  shore: ShoreEffect | null;
};

/**
 * Elasticity, trend, and land terms estimated from a county's own sales. Each is null if the sales don't
 * determine it.
 */
export type EffectEstimates = (Estimate | null)[];

/**
 * The prior without any sales. Twice the land costs between the same and twice as much (elasticities of -1
 * and 0). In 19 of 20 cases, prices change by -13% to 19% a year, fully steep, flooded, or wet land costs 0.4
 * to 2.7 times as much as other land, and 100 ft of frontage multiplies the price by 0.75 to 1.3.
 */
export const PRIOR_EFFECTS: readonly Estimate[] = [
  { value: -0.5, variance: 0.5 ** 2 },
  { value: 0.03, variance: 0.08 ** 2 },
  { value: 0, variance: 0.5 ** 2 },
  { value: 0, variance: 0.2 ** 2 },
  { value: 0, variance: 0.5 ** 2 },
  { value: 0, variance: 0.5 ** 2 },
];

/** The same prior as for kriging. */
const PRIOR_SHORE: Estimate = { value: 0, variance: SHORE };

/** Twice the land never costs less than 15% more. */
export const MIN_ELASTICITY = -0.8;

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

export function estimateEffects(
  pairs: Pairs,
  { effects: expected, changes }: ExpectedEffects,
  days: Period,
): { estimates: EffectEstimates; effects: Effects } {
  const shore = shoreOf(pairs);
  const land = landOf({ ...pairs, ppa: withoutLand(pairs, { land: null, shore }) }, expected);
  // Remove only the land effects that are used. Size absorbs the rest.
  const y = withoutLand(pairs, { land: land.used, shore });
  const own = regress(y, [pairs.acres, pairs.years], pairs.count, VARIANCE_PRIOR).effects;
  const elasticity = Math.max(MIN_ELASTICITY, combineEstimates(expected[0]!, own[0]!).value);
  const sized = y.map((one, i) => one - elasticity * pairs.acres[i]!);
  const time = fitTimeCurve(pairs, sized, days, { trend: expected[1]!, changes });
  return {
    estimates: [...own, ...land.estimates].map(one => (Number.isFinite(one.variance) ? one : null)),
    effects: {
      elasticity,
      time,
      land: land.used,
      shore,
    },
  };
}

/** What to expect of each effect, and of the change of ln(price) in years that other counties know. */
export type ExpectedEffects = { effects: readonly Estimate[]; changes: ReadonlyMap<number, Estimate> };

export const PRIOR: ExpectedEffects = { effects: PRIOR_EFFECTS, changes: new Map() };

const UNKNOWN: Estimate = { value: 0, variance: Number.POSITIVE_INFINITY };

/** Unlike the other terms, a shore needs no minimum of sales: its effect is large, and its prior is wide. */
function shoreOf({ ppa, acres, years, shore, count }: Pairs): ShoreEffect | null {
  if (shore === null) return null;
  const own = regress(ppa, [acres, years, shore.differences], count, VARIANCE_PRIOR).effects[2]!;
  return { effect: combineEstimates(PRIOR_SHORE, own).value, center: shore.mean };
}

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

/** Differences of ln(price per acre), adjusted to equal land and shores. */
export function withoutLand(
  { ppa, land, shore }: Pairs,
  used: Pick<Effects, 'land' | 'shore'>,
): Float64Array {
  const terms: [effect: number, differences: Float64Array][] = [];
  if (land !== null && used.land !== null)
    for (const [k, effect] of used.land.effects.entries()) terms.push([effect, land.differences[k]!]);
  if (shore !== null && used.shore !== null) terms.push([used.shore.effect, shore.differences]);
  if (terms.length === 0) return ppa;
  return ppa.map((difference, i) =>
    terms.reduce((left, [effect, differences]) => left - effect * differences[i]!, difference),
  );
}

/** Columns that tell the land of sales. */
type LandColumns = { land?: Float64Array | undefined; shore?: Float64Array | undefined };

/**
 * ln(price per acre) adjusted to one acre, mean land, and the last knot.
 * @param day the comp's day, or null to ignore the change over time
 */
export function standardLevel(
  effects: Effects,
  logPpa: number,
  logAcres: number,
  day: number | null,
  { land, shore }: LandColumns,
  i: number,
): number {
  const ofLand = effects.land === null || land === undefined ? 0 : landPremium(effects.land, land, i);
  const ofShore = effects.shore === null ? 0 : shorePremium(effects.shore, shore?.[i] ?? Number.NaN);
  return (
    logPpa - effects.elasticity * logAcres - (day === null ? 0 : logAt(effects.time, day)) - ofLand - ofShore
  );
}
