import { PRIOR_EFFECTS } from './effects.ts';
import { combineEstimates, type Estimate, priorFromCounties } from './shrink.ts';

/** The elasticity of price per acre with respect to acres, if there are no sales to estimate it from. */
export const DEFAULT_ELASTICITY = PRIOR_EFFECTS[0]!.value;

/**
 * The elasticity of price per acre with respect to acres that a county's valuations use: the county's own
 * estimate, shrunk toward those of other counties.
 * @param estimates from each county's own sales, by FIPS
 */
export function countyElasticity(estimates: ReadonlyMap<number, Estimate>, county: number): number {
  const others = new Map(estimates);
  others.delete(county);
  const expected = priorFromCounties(others, county, PRIOR_EFFECTS[0]!);
  const own = estimates.get(county);
  return own === undefined ? expected.value : combineEstimates(expected, own).value;
}

/** Adjusts a price per acre from one lot size to another. */
export const ppaAtSize = (ppa: number, from: number, to: number, elasticity: number): number =>
  ppa * (to / from) ** elasticity;
