import { deviationOf, madOf, medianOf, medianVariance } from './robust.ts';
import { combined, type Estimate } from './shrink.ts';
import type { Comps } from './valuation-types.ts';

/**
 * Sale price over what was asked last: the median of ln(ratio), drawn to other counties' and
 * to present premiums.
 */
export type Discount = {
  /** Natural logarithm of the ratio, by which asking prices are moved to be those of sales. */
  log: number;
  /**
   * Standard deviation of a sale's ln(ratio) around it: of the ratios, and of what the figure
   * itself may be off by.
   */
  deviation: number;
};

/** Sales of so many days up to the model's tell it: what buyers take off is of the market of the day. */
const RATIO_DAYS = 3 * 365;
/**
 * Less than half of what was asked, or more than twice: a mistyped price, or another deal than the
 * one that was listed.
 */
const MOST_RATIO = Math.LN2;
/** Standard deviation of ln(ratio) before any is known: many are sold for just what was asked. */
const PRIOR_DEVIATION = 0.1;
/**
 * How far asking prices above the level of sales may be from the ratio: what is for sale is not what sells.
 */
const PREMIUM_DEVIATION = 0.1;
/** Asking prices worth of this many listings say that they are those of sales. */
const PREMIUM_PRIOR = 5;

export type Ratio = { estimate: Estimate | null; deviation: number };

/** What a county's sales say by themselves. @param sales indices of the comps that count, known on the day */
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
    if (Math.abs(ratio) <= MOST_RATIO) ratios.push(ratio);
  }
  const deviation = deviationOf(madOf(ratios) ?? 0, ratios.length, PRIOR_DEVIATION);
  const value = medianOf(ratios);
  return {
    estimate: value === null ? null : { value, variance: medianVariance(deviation, ratios.length) },
    deviation,
  };
}

export function discountOf({ estimate, deviation }: Ratio, expected: Estimate): Discount {
  const { value, variance } = estimate === null ? expected : combined(expected, estimate);
  return { log: value, deviation: Math.sqrt(variance + deviation ** 2) };
}

/**
 * What listings ask above the level of sales, never below: where they seem to ask less they are
 * another kind of land.
 */
export function ratioByPremiums(premiums: Float64Array): Estimate {
  const premium = Math.max(0, medianOf(premiums) ?? 0);
  return {
    value: (-premium * premiums.length) / (premiums.length + PREMIUM_PRIOR),
    variance: PREMIUM_DEVIATION ** 2,
  };
}
