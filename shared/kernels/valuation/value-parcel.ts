import { gini } from '../stats/region-stats.ts';
import type { Discount } from './asking.ts';
import { type Calibration, chanceWithinQuarter, interval, widenInterval, Z_90 } from './calibrate.ts';
import type { Model } from './model.ts';
import { averageWith } from './neighborhood-share.ts';
import { insert } from './robust.ts';
import { FEATURE_COUNT, featuresOf, scaleOf } from './scale.ts';
import { type AdjustedComps, chooseComps, combine, MAX_COMPS, MIN_COMPS, newChosenComps } from './select.ts';
import type { Subject, Valuation } from './valuation-types.ts';

const MAX_CONFIDENCE = 95;
/** Confidence is multiplied by this if the subject is outside the range of its comps. */
const OUT_OF_SUPPORT = 0.5;
/**
 * A subject is outside if it is more steps than this from every comp, or if its ln(acres) is this far beyond
 * that of every comp.
 */
const SUPPORT_STEPS = 2;
const SUPPORT_LOG_ACRES = 0.4;
/** A subject is also outside if its county's price level has a standard error of more than a quarter. */
const SUPPORT_LEVEL = Math.log(1.25);

/**
 * Estimates what a parcel in the model's county would have sold for on the model's day; null if there are
 * fewer than three relevant comps, or sales in too few counties.
 * @param chosen receives the comps of the latest valuation; its columns are reused
 */
export function createValuer(
  model: Model,
  chosen = newChosenComps(),
): (subject: Subject) => Valuation | null {
  const summarize = createConclusion(model);
  return subject => {
    if (!model.isCovered(subject.lon, subject.lat)) return null;
    const exclude = subject.exclude === undefined ? -1 : model.sales.source.indexOf(subject.exclude);
    chooseComps(model, subject, model.asOfDay, exclude, chosen);
    return chosen.count < MIN_COMPS ? null : summarize(chosen, subject.acres);
  };
}

/** Marks the estimate for land that no comp resembles, regardless of size and location. */
export const withoutSupport = (valuation: Valuation): Valuation =>
  valuation.outOfSupport
    ? valuation
    : { ...valuation, outOfSupport: true, confidence: OUT_OF_SUPPORT * valuation.confidence };

/** What an estimate by comps needs of a model. */
type Judged = { calibration: Calibration; discount: Discount; neighborhoodShare: number };

/**
 * Computes an estimate from adjusted comps, which are ordered by steps.
 * @param most maximum number of comps
 */
export function createConclusion(
  { calibration, discount, neighborhoodShare }: Judged,
  most = MAX_COMPS,
): (comps: AdjustedComps, acres: number) => Valuation {
  const features = new Float64Array(FEATURE_COUNT);
  const prices = new Float64Array(most);

  return (comps, acres) => {
    const { count } = comps;
    const estimate = combine(comps);
    const logAcres = Math.log(acres);
    let meanPrice = 0;
    let meanPpa = 0;
    let least = Number.POSITIVE_INFINITY;
    let largest = Number.NEGATIVE_INFINITY;
    let hasSale = false;
    for (let i = 0; i < count; i++) {
      meanPrice += comps.price[i]! / count;
      meanPpa += comps.ppa[i]! / count;
      least = Math.min(least, comps.logAcres[i]!);
      largest = Math.max(largest, comps.logAcres[i]!);
      if (comps.sale[i] === 1) hasSale = true;
      insert(prices, i, Math.exp(comps.adjusted[i]! + logAcres));
    }
    const scale = scaleOf(calibration.coefficients, featuresOf(comps, estimate, logAcres, features));
    const error = interval(calibration, scale);
    // No calibration sale is valued with asking prices alone, so add the error in asking prices.
    if (!hasSale) widenInterval(error, Z_90 * discount.deviation);
    const isUnlike =
      !hasSale ||
      comps.steps[0]! > SUPPORT_STEPS ||
      logAcres < least - SUPPORT_LOG_ACRES ||
      logAcres > largest + SUPPORT_LOG_ACRES;
    // A county without its own level was calibrated on equally different comps, so don't penalize it twice.
    const isForeign = (calibration.level ?? 0) > SUPPORT_LEVEL;
    const chance =
      100 * chanceWithinQuarter(calibration, scale) * (isUnlike && !isForeign ? OUT_OF_SUPPORT : 1);
    const meanAdjustedPpa = Math.exp(averageWith(comps.neighborhood, neighborhoodShare, estimate.mean));
    const neighborhood = Number.isNaN(comps.neighborhood)
      ? null
      : { ppa: Math.exp(comps.neighborhood), weight: neighborhoodShare };
    const meanAdjustedPrice = meanAdjustedPpa * acres;
    // Don't use spread syntax here, because it would take 10% more time.
    return {
      meanPrice,
      meanPpa,
      meanAdjustedPpa,
      neighborhood,
      meanAdjustedPrice,
      outOfSupport: isUnlike || isForeign,
      gini: gini(prices.subarray(0, count), value => value) ?? 0,
      confidence: Math.min(MAX_CONFIDENCE, chance),
      low: meanAdjustedPrice * Math.exp(-error.high),
      high: meanAdjustedPrice * Math.exp(-error.low),
    };
  };
}
