import { opinionBefore } from './assessor.ts';
import { landAt } from './land-effects.ts';
import { fitCounty, type OtherCounties } from './model.ts';
import type { Comps, Valuation } from './valuation-types.ts';
import { createValuer } from './value-parcel.ts';

/** `meanAdjustedPrice`: the estimate in USD. */
export type PastValue = Pick<Valuation, 'meanAdjustedPrice' | 'confidence'>;

const NO_COUNTIES: OtherCounties = new Map();

/**
 * Values past sales in a county with what was known the day before the first of them, so that no estimate
 * uses a price that it is compared with. Uses no priors from other counties.
 * @param sales indices of comps, at least one
 * @returns the estimates by sale, omitting sales that have too few comps
 */
export function valuePastSales(
  comps: Comps,
  county: number,
  sales: readonly number[],
): Map<number, PastValue> {
  const firstDay = sales.reduce(
    (first, sale) => Math.min(first, comps.soldDay[sale]!),
    Number.POSITIVE_INFINITY,
  );
  const value = createValuer(fitCounty(comps, county, firstDay - 1, NO_COUNTIES).model);
  const values = new Map<number, PastValue>();
  for (const sale of sales) {
    const valuation = value({
      lon: comps.lon[sale]!,
      lat: comps.lat[sale]!,
      acres: comps.acres[sale]!,
      land: landAt(comps.land, sale),
      assessed: opinionBefore(comps, sale),
      shore: comps.shore?.[sale],
    });
    if (valuation === null) continue;
    const { meanAdjustedPrice, confidence } = valuation;
    values.set(sale, { meanAdjustedPrice, confidence });
  }
  return values;
}
