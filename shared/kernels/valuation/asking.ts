import { deviationOf, madOf, medianOf, medianVariance } from './robust.ts';
import { combineEstimates, type Estimate } from './shrink.ts';
import type { Comps } from './valuation-types.ts';

/**
 * List-to-sale ratio: the median of ln(sale price / last asking price), shrunk toward other counties' ratios
 * and toward the premium of current listings.
 */
export type Discount = {
  /**
   * Natural logarithm of the ratio. It is added to the logarithms of asking prices to make them comparable to
   * sales.
   */
  log: number;
  /**
   * Standard deviation of a sale's ln(ratio) around `log`, including the standard error of the median itself.
   */
  deviation: number;
};

/**
 * Only sales from this many days before the model's day are used, because discounts change with the market.
 */
const RATIO_DAYS = 3 * 365;
/**
 * A sale price of less than half or more than twice the asking price is a typo, or belongs to a different
 * deal than the one listed.
 */
const MAX_LOG_RATIO = Math.LN2;
/** Prior standard deviation of ln(ratio): many lots sell at the asking price. */
const PRIOR_DEVIATION = 0.1;
/**
 * Standard deviation of the difference between the premium of open listings and the ratio. It isn't 0,
 * because unsold lots differ from sold ones.
 */
const PREMIUM_DEVIATION = 0.1;
/** Weight, in listings, of the prior that asking prices equal sale prices. */
const PREMIUM_PRIOR = 5;

export type Ratio = { estimate: Estimate | null; deviation: number };

/**
 * The ratio from a county's own sales. @param sales indices of the sales to use, which were known on the day
 */
export function ratioOf(
  { asked, price, soldDay, county }: Comps,
  sales: Int32Array,
  ofCounty: number,
  asOfDay: number,
): Ratio {
  const ratios: number[] = [];
  for (const i of sales) {
    if (asked === undefined || county[i] !== ofCounty) continue;
    if (!(asked[i]! > 0) || soldDay[i]! <= asOfDay - RATIO_DAYS) continue;
    const ratio = Math.log(price[i]! / asked[i]!);
    if (Math.abs(ratio) <= MAX_LOG_RATIO) ratios.push(ratio);
  }
  const deviation = deviationOf(madOf(ratios) ?? 0, ratios.length, PRIOR_DEVIATION);
  const value = medianOf(ratios);
  return {
    estimate: value === null ? null : { value, variance: medianVariance(deviation, ratios.length) },
    deviation,
  };
}

export function discountOf({ estimate, deviation }: Ratio, expected: Estimate): Discount {
  const { value, variance } = estimate === null ? expected : combineEstimates(expected, estimate);
  return { log: value, deviation: Math.sqrt(variance + deviation ** 2) };
}

/**
 * The premium of open listings over the level of sales. It is never negative, because cheaper listings are a
 * different kind of land.
 */
export function ratioByPremiums(premiums: Float64Array): Estimate {
  const premium = Math.max(0, medianOf(premiums) ?? 0);
  return {
    value: (-premium * premiums.length) / (premiums.length + PREMIUM_PRIOR),
    variance: PREMIUM_DEVIATION ** 2,
  };
}
