import { PRIOR_EFFECTS } from './effects.ts';
import { combineEstimates, type Estimate, priorFromCounties } from './shrink.ts';

/** The elasticity of price per acre to acres without any sales. */
export const DEFAULT_ELASTICITY = PRIOR_EFFECTS[0]!.value;

/**
 * The elasticity of price per acre to acres that a county's valuations use: its own estimate, shrunk toward
 * those of other counties.
 * @param estimates from each county's own sales, by FIPS
 */
export function countyElasticity(estimates: ReadonlyMap<number, Estimate>, county: number): number {
  const others = new Map(estimates);
  others.delete(county);
  const expected = priorFromCounties(others, county, PRIOR_EFFECTS[0]!);
  const own = estimates.get(county);
  return own === undefined ? expected.value : combineEstimates(expected, own).value;
}

/** A price per acre, moved from one lot size to another. */
export const ppaAtSize = (ppa: number, from: number, to: number, elasticity: number): number =>
  ppa * (to / from) ** elasticity;
