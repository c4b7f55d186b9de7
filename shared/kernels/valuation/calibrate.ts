import { mean, probit } from 'simple-statistics';
import { countBelow } from '../groups.ts';
import { opinionBefore, opinionWeight } from './assessor.ts';
import { landAt } from './land-effects.ts';
import type { CountyLevels } from './level.ts';
import { averageWith, neighborhoodShare } from './neighborhood-share.ts';
import { FEATURE_COUNT, featuresOf, fitScale, PRIOR_SALES, scaleOf, sizeOfErrors } from './scale.ts';
import {
  chooseComps,
  combine,
  type FittedMarket,
  MIN_COMPS,
  meanOpinionDifference,
  newChosenComps,
} from './select.ts';
import type { Estimate } from './shrink.ts';
import type { Comps } from './valuation-types.ts';

/**
 * The errors of estimates, measured on a county's past sales, each valued with the sales before it. Quantiles
 * of the errors relative to their expected size give the ranges (V. Vovk, Cross-Conformal Predictors, 2015;
 * J. Lei et al., Distribution-Free Predictive Inference, 2018).
 */
export type Calibration = {
  /**
   * Coefficients for `featuresOf`. The features weighted by them add up to the logarithm of the error's
   * expected size.
   */
  coefficients: readonly number[];
  /**
   * Held-out errors relative to their expected size, ascending, after removing the lag known before each
   * sale.
   */
  errors: readonly number[];
  /** Standard error of the county's price level, which widens the range. */
  level?: number;
};

/** Maximum number of latest sales to value. */
const MAX_HELD_OUT = 1_000;
/**
 * On each side, outliers count as errors, up to this share of all held-out sales. The rest are a different
 * kind of deal.
 */
const MAX_OUTLIER_SHARE = 0.05;

/** Errors of estimates of a county's latest sales, earliest first. */
export type HeldOut = {
  days: number[];
  /** ln(estimate / price). */
  errors: number[];
  features: Float64Array[];
  /** Mean difference between the assessor's opinions of each sale and its comps. */
  apart: number[];
  /** Errors of the neighborhood's level; NaN if unknown. */
  neighborhood: number[];
};

/** What a model learns from the errors of past estimates. */
type Learned = Pick<FittedMarket, 'opinion' | 'neighborhoodShare'>;

/**
 * Values the latest sales, each with the sales before it. For a county without sales, values nearby sales, at
 * their own county's level.
 * @param modelOn the model with the effects known at the end of a day
 * @param comps the model's comps
 * @param known the sales among the comps that were known on the model's day, including excluded ones
 */
export function holdOut(
  model: FittedMarket,
  modelOn: (day: number) => FittedMarket,
  comps: Comps,
  known: Int32Array,
): { kept: HeldOut; outliers: HeldOut; learned: Learned } {
  const { lon, lat, acres, price, soldDay, county } = comps;
  const entryOf = new Map(Array.from(model.sales.source, (comp, entry) => [comp, entry]));
  const latest = (model.levels.sales > 0 ? known.filter(i => county[i] === model.county) : known)
    .sort((a, b) => soldDay[a]! - soldDay[b]! || a - b)
    .slice(-MAX_HELD_OUT);
  const chosen = newChosenComps();
  const nothing = (): HeldOut => ({ days: [], errors: [], features: [], apart: [], neighborhood: [] });
  const [kept, outliers] = [nothing(), nothing()];
  for (const i of latest) {
    const entry = entryOf.get(i) ?? -1;
    const land = landAt(comps.land, i);
    const [assessed, shore] = [opinionBefore(comps, i), comps.shore?.[i]];
    const subject = { lon: lon[i]!, lat: lat[i]!, acres: acres[i]!, land, assessed, shore };
    const day = soldDay[i]! - 1;
    chooseComps(modelOn(day), subject, day, entry, chosen);
    if (chosen.count < MIN_COMPS) continue;
    const logAcres = Math.log(acres[i]!);
    const moved = model.levels.of(model.county) - model.levels.of(county[i]!);
    const sold = moved + Math.log(price[i]!) - logAcres;
    const estimate = combine(chosen);
    const into = entry < 0 ? outliers : kept;
    into.days.push(soldDay[i]!);
    into.errors.push(estimate.mean - sold);
    into.neighborhood.push(chosen.neighborhood - sold);
    into.features.push(featuresOf(chosen, estimate, logAcres, new Float64Array(FEATURE_COUNT)));
    into.apart.push(meanOpinionDifference(chosen));
  }
  return averaged(kept, outliers);
}

/**
 * Errors after removing what the assessor's opinion explains, averaged with those of the neighborhood's
 * level.
 */
function averaged(kept: HeldOut, outliers: HeldOut) {
  const opinion = opinionWeight(kept.errors, kept.apart);
  const moves = kept.apart.map(apart => opinion * apart);
  const byComps = kept.errors.map((error, i) => error + moves[i]!);
  const nearby = kept.neighborhood.map((error, i) => error + moves[i]!);
  const share = neighborhoodShare(byComps, nearby);
  const ofOutliers = outliers.errors.map((error, i) => {
    const move = opinion * outliers.apart[i]!;
    return averageWith(outliers.neighborhood[i]! + move, share, error + move);
  });
  return {
    kept: { ...kept, errors: byComps.map((error, i) => averageWith(nearby[i]!, share, error)) },
    outliers: { ...outliers, errors: ofOutliers },
    learned: { opinion, neighborhoodShare: share },
  };
}

/**
 * How many numbers are learned from the sales whose errors are measured (the opinion's weight and the
 * neighborhood's share). With few sales, errors therefore look smaller than the next ones will be.
 */
const LEARNED = 2;

/** The size of errors, measured on the county's own sales. */
export const errorSizeOf = ({ kept }: { kept: HeldOut }) => sizeOfErrors(kept.errors);

/** @param expected prior size of the errors */
export function calibrate(
  { kept, outliers }: { kept: HeldOut; outliers: HeldOut },
  expected: Estimate,
  levels: CountyLevels,
): Calibration {
  const { coefficients, heldOut } = fitScale(kept.features, kept.errors, expected);
  const sized = kept.errors.map((error, i) => error / heldOut[i]!);
  const far = outliers.errors.map((error, i) => error / scaleOf(coefficients, outliers.features[i]!));
  const most = Math.floor(MAX_OUTLIER_SHARE * (sized.length + far.length));
  for (const side of [far.filter(error => error < 0), far.filter(error => error > 0)])
    sized.push(...side.slice(Math.max(0, side.length - most)));
  const optimism = Math.sqrt(1 + LEARNED / Math.max(1, sized.length));
  // The errors of the county's own sales already contain the error of its level.
  const unseen = PRIOR_SALES / (PRIOR_SALES + levels.sales);
  return {
    coefficients,
    errors: sized.map(error => error * optimism).sort((a, b) => a - b),
    level: Math.sqrt(unseen * levels.variance),
  };
}

/**
 * Half-width of the range, in expected sizes, if there are too few held-out errors: 80% of a Laplace
 * distribution.
 */
const FEW_ERRORS_WIDTH = Math.log(5);

/** The 10% and 90% quantiles of errors, as ln(estimate / price), for estimates of this scale. */
export function interval(calibration: Calibration, scale: number): { low: number; high: number } {
  const error = intervalOf(calibration, scale);
  // Reports that were stored before `level` existed don't have it.
  widenInterval(error, Z_90 * (calibration.level ?? 0));
  return error;
}

/** The 90% quantile of the standard normal distribution. */
export const Z_90 = 1.2816;

/** Widens a range by an independent error: the squares of the half-widths add up. */
export function widenInterval(error: { low: number; high: number }, by: number): void {
  const middle = (error.low + error.high) / 2;
  const half = Math.hypot((error.high - error.low) / 2, by);
  error.low = middle - half;
  error.high = middle + half;
}

function intervalOf({ errors }: Calibration, scale: number): { low: number; high: number } {
  const last = errors.length - 1;
  // Conformal prediction: the errors whose rank is (n + 1) x 10% from each end, interpolated unless that is a
  // whole number.
  const place = (last + 2) * 0.1 - 1;
  if (place < 0) return { low: -FEW_ERRORS_WIDTH * scale, high: FEW_ERRORS_WIDTH * scale };
  const rank = Math.floor(place);
  const share = place - rank;
  const between = (a: number, b: number) => errors[a]! * (1 - share) + errors[b]! * share;
  return { low: between(rank, rank + 1) * scale, high: between(last - rank, last - rank - 1) * scale };
}

/** Standard normal quantiles at the middle of each of nine equally likely parts. */
const NORMAL = Array.from({ length: 9 }, (_, k) => probit((k + 0.5) / 9));
/** Smaller standard errors of the level make no visible difference. */
const MIN_LEVEL = 0.05;

/**
 * Probability of |estimate - price| <= 25% of the price. With few errors, shrunk toward a Laplace
 * distribution.
 */
export function chanceWithinQuarter({ errors, level = 0 }: Calibration, scale: number): number {
  if (level < MIN_LEVEL) return chanceAt(errors, scale, 0);
  return mean(NORMAL.map(z => chanceAt(errors, scale, z * level)));
}

/** Like `chanceWithinQuarter`, for an estimate that is also off by `shift`. */
function chanceAt(errors: readonly number[], scale: number, shift: number): number {
  const low = (Math.log(0.75) - shift) / scale;
  const high = (Math.log(1.25) - shift) / scale;
  const inside = countBelow(errors, high, true) - countBelow(errors, low, true);
  // The chance if errors have a Laplace distribution with a mean size of 1.
  const guessed = laplace(high) - laplace(low);
  return (inside + PRIOR_SALES * guessed) / (errors.length + PRIOR_SALES);
}

const laplace = (x: number) => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2);
