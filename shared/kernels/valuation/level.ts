import { mean, sum } from 'simple-statistics';
import { boxContains, boxOfLine, withMargin } from '../../geo/box.ts';
import { addToGroup } from '../groups.ts';
import { medianOf } from './robust.ts';
import { combineEstimates, type Estimate, priorFromGroup } from './shrink.ts';
import { MAX_COMP_M } from './valuation-types.ts';

/** Prior standard deviation of the price levels of nearby counties: a factor of two. */
const LEVELS_DIFFER = Math.LN2;

/** The price levels of a county and those around it: ln(price per acre) of a standard lot. */
export type CountyLevels = {
  /** The level of a county. @param without a value of the fitted county to exclude from its level */
  of(county: number, without?: number): number;
  /** The square of the standard error of the fitted county's level. */
  variance: number;
  /** The number of the fitted county's own sales. */
  sales: number;
};

/**
 * Computes a county's level as the mean of its sales, shrunk toward nearby counties. The shrinkage is
 * stronger if those agree with each other.
 * @param value standardized value of each sale
 * @param variance variance of a sale around its county's level
 */
export function countyLevels(
  county: Int32Array,
  value: Float64Array,
  fitted: number,
  variance: number,
): CountyLevels {
  const byCounty = valuesByCounty(county, value);
  const own = byCounty.get(fitted) ?? [];
  byCounty.delete(fitted);
  const estimates = new Map(
    [...byCounty].map(([fips, values]) => [
      fips,
      { value: mean(values), variance: variance / values.length },
    ]),
  );
  const expected = priorFromGroup([...estimates.values()], LEVELS_DIFFER);
  const total = own.length === 0 ? 0 : sum(own);
  const levelBy = (sum: number, sales: number): Estimate =>
    sales === 0 ? expected : combineEstimates(expected, { value: sum / sales, variance: variance / sales });
  const level = levelBy(total, own.length);
  const levels = new Map([...estimates].map(([fips, one]) => [fips, combineEstimates(expected, one).value]));
  levels.set(fitted, level.value);
  return {
    variance: level.variance,
    sales: own.length,
    of: (fips, without) =>
      without === undefined || fips !== fitted
        ? (levels.get(fips) ?? expected.value)
        : levelBy(total - without, own.length - 1).value,
  };
}

function valuesByCounty(county: Int32Array, value: Float64Array): Map<number, number[]> {
  const byCounty = new Map<number, number[]>();
  for (let i = 0; i < value.length; i++) addToGroup(byCounty, county[i]!, value[i]!);
  return byCounty;
}

/** How far each sale is above or below its county's median. */
export function withoutLevels(county: Int32Array, value: Float64Array): Float64Array {
  const medians = new Map(
    [...valuesByCounty(county, value)].map(([fips, values]) => [fips, medianOf(values)!]),
  );
  return value.map((one, i) => one - medians.get(county[i]!)!);
}

/** With fewer counties, the spread between counties can't be estimated. */
const MIN_COUNTIES = 3;

type Places = { county: Int32Array; lon: Float64Array; lat: Float64Array };

/** Whether a place is within reach of sales in at least MIN_COUNTIES counties. */
export function reachOfCounties({ county, lon, lat }: Places): (lon: number, lat: number) => boolean {
  const places = new Map<number, [number, number][]>();
  for (let i = 0; i < county.length; i++) addToGroup(places, county[i]!, [lon[i]!, lat[i]!]);
  const boxes = [...places.values()].map(own => withMargin(boxOfLine(own), MAX_COMP_M));
  return (lon, lat) => boxes.filter(box => boxContains(box, lon, lat)).length >= MIN_COUNTIES;
}
