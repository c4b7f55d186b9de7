import { gini } from '../stats/region-stats.ts';
import type { Discount } from './asking.ts';
import { type Calibration, chanceWithinQuarter, interval, TENTH_Z, widen } from './calibrate.ts';
import type { Model } from './model.ts';
import { insert } from './robust.ts';
import { FEATURES, featuresOf, scaleOf } from './scale.ts';
import { type Adjusted, choose, combine, FEWEST_COMPS, MOST_COMPS, newChosen } from './select.ts';
import type { Subject, Valuation } from './valuation-types.ts';

const MOST_CONFIDENCE = 95;
/** What is left of the confidence where the subject lies outside of what the comps cover. */
const OUT_OF_SUPPORT = 0.5;
/**
 * So many steps to the nearest comp, or a size beyond those of the comps by this in logarithms, is outside.
 */
const SUPPORT_STEPS = 2;
const SUPPORT_LOG_ACRES = 0.4;
/** Or a county whose price level alone may be off by a quarter. */
const SUPPORT_LEVEL = Math.log(1.25);

/**
 * What a parcel of the model's county would have sold for on its day; null when there are fewer than three
 * relevant comps, or sales of too few counties.
 * @param chosen holds the comps of the last valuation, columns that are used again
 */
export function createValuer(model: Model, chosen = newChosen()): (subject: Subject) => Valuation | null {
  const conclude = createConclusion(model);
  return subject => {
    if (!model.isCovered(subject.lon, subject.lat)) return null;
    const exclude = subject.exclude === undefined ? -1 : model.sales.source.indexOf(subject.exclude);
    choose(model, subject, model.asOfDay, exclude, chosen);
    return chosen.count < FEWEST_COMPS ? null : conclude(chosen, subject.acres);
  };
}

/** What comps say together, the fewest steps away first. @param most the most comps that there will be */
export function createConclusion(
  { calibration, discount }: { calibration: Calibration; discount: Discount },
  most = MOST_COMPS,
): (comps: Adjusted, acres: number) => Valuation {
  const features = new Float64Array(FEATURES);
  const prices = new Float64Array(most);

  return (comps, acres) => {
    const { count } = comps;
    const estimate = combine(comps);
    const { mean } = estimate;
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
    // No past sale was valued by asking prices alone: what they may be off from sales by comes to the errors
    // of estimates by sales.
    if (!hasSale) widen(error, TENTH_Z * discount.deviation);
    const isUnlike =
      !hasSale ||
      comps.steps[0]! > SUPPORT_STEPS ||
      logAcres < least - SUPPORT_LOG_ACRES ||
      logAcres > largest + SUPPORT_LOG_ACRES;
    // Errors of a county that has no level of its own were learned from comps as unlike as these.
    const isForeign = (calibration.level ?? 0) > SUPPORT_LEVEL;
    const chance =
      100 * chanceWithinQuarter(calibration, scale) * (isUnlike && !isForeign ? OUT_OF_SUPPORT : 1);
    const meanAdjustedPpa = Math.exp(mean);
    const meanAdjustedPrice = meanAdjustedPpa * acres;
    // Names one by one: a spread among them makes the object a tenth of the whole time.
    return {
      meanPrice,
      meanPpa,
      meanAdjustedPpa,
      meanAdjustedPrice,
      outOfSupport: isUnlike || isForeign,
      gini: gini(prices.subarray(0, count), value => value) ?? 0,
      confidence: Math.min(MOST_CONFIDENCE, chance),
      low: meanAdjustedPrice * Math.exp(-error.high),
      high: meanAdjustedPrice * Math.exp(-error.low),
    };
  };
}
