import { addTo } from '../groups.ts';
import { deviationOf, madOf, medianOf, medianVariance } from './robust.ts';
import { type Estimate, type Regional, regional, shrink } from './shrink.ts';
import type { Comps } from './types.ts';

/**
 * The list-to-sale ratio of each region: sale price over what was asked last. Of the sales whose asking price is known the
 * median of ln(ratio), a county drawn to its state and the nation by its standard error, and the nation to what present
 * asking prices are above the level of sales.
 */

export type AskingDiscounts = Regional<Discount>;

export type Discount = {
  /** Natural logarithm of the ratio, by which asking prices are moved to be those of sales. */
  log: number;
  /** Standard deviation of a sale's ln(ratio) around it: of the ratios, and of what the figure itself may be off by. */
  deviation: number;
};

/** Sales of so many days up to the model's tell it: what buyers take off hangs on the market of the day. */
const RATIO_DAYS = 3 * 365;
/** Less than half of what was asked, or more than twice: a mistyped price, or another deal than the one that was listed. */
const MOST_RATIO = Math.LN2;
/** Standard deviation of ln(ratio) before any is known: many are sold for just what was asked. */
const PRIOR_DEVIATION = 0.1;
/** How far asking prices above the level of sales may be from the ratio: what is for sale is not what sells. */
const PREMIUM_DEVIATION = 0.1;
/** Asking prices worth of this many listings say that they are those of sales. */
const PREMIUM_PRIOR = 5;

/**
 * @param sales indices of the comps that count, known on the day
 * @param premiums what present listings ask above the level of sales, as natural logarithms
 */
export function estimateDiscounts(
  { asked, price, soldDay, county }: Comps,
  sales: Int32Array,
  asOfDay: number,
  premiums: Float64Array,
): AskingDiscounts {
  const ratios = new Map<number, number[]>();
  for (const i of sales) {
    if (asked === undefined || !(asked[i]! > 0) || soldDay[i]! <= asOfDay - RATIO_DAYS) continue;
    const ratio = Math.log(price[i]! / asked[i]!);
    if (Math.abs(ratio) > MOST_RATIO) continue;
    addTo(ratios, county[i]!, ratio);
  }
  const deviationsFrom = (values: readonly number[], middle: number) =>
    values.map(value => Math.abs(value - middle));
  const pooled = [...ratios.values()].flatMap(own => deviationsFrom(own, medianOf(own)!));
  const elsewhere = deviationOf(medianOf(pooled) ?? 0, pooled.length, PRIOR_DEVIATION);
  const deviations = new Map(
    [...ratios].map(([fips, own]) => [fips, deviationOf(madOf(own)!, own.length, elsewhere)]),
  );
  const estimates = new Map(
    [...ratios].map(([fips, own]) => {
      const variance = medianVariance(deviations.get(fips)!, own.length);
      return [fips, { value: medianOf(own)!, variance }];
    }),
  );
  return regional(shrink(estimates, premiumOf(premiums)), ({ value, variance }, county) => ({
    log: value,
    deviation: Math.sqrt(variance + (deviations.get(county) ?? elsewhere) ** 2),
  }));
}

/** Never a premium on sales: where listings seem to ask less than sales fetch, they are of another kind of land. */
function premiumOf(premiums: Float64Array): Estimate {
  const premium = Math.max(0, medianOf(premiums) ?? 0);
  return {
    value: (-premium * premiums.length) / (premiums.length + PREMIUM_PRIOR),
    variance: PREMIUM_DEVIATION ** 2,
  };
}
