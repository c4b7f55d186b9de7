import { landAt } from './land-effects.ts';
import { fitCounty, type OtherCounties } from './model.ts';
import type { Comps } from './valuation-types.ts';
import { createValuer } from './value-parcel.ts';

const NOBODY: OtherCounties = new Map();

/**
 * Values past sales of a county with what was known the day before the first of them, so that no estimate
 * uses a price it is compared with. Uses no priors from other counties.
 * @param sales indices of comps, at least one
 * @returns USD by sale, without sales that have too few comps
 */
export function valuePastSales(comps: Comps, county: number, sales: readonly number[]): Map<number, number> {
  const firstDay = sales.reduce(
    (first, sale) => Math.min(first, comps.soldDay[sale]!),
    Number.POSITIVE_INFINITY,
  );
  const value = createValuer(fitCounty(comps, county, firstDay - 1, NOBODY).model);
  const values = new Map<number, number>();
  for (const sale of sales) {
    const valuation = value({
      lon: comps.lon[sale]!,
      lat: comps.lat[sale]!,
      acres: comps.acres[sale]!,
      land: landAt(comps.land, sale),
      assessed: comps.assessed?.[sale],
      shore: comps.shore?.[sale],
    });
    if (valuation !== null) values.set(sale, valuation.meanAdjustedPrice);
  }
  return values;
}
