/**
 * How the price per acre moves with size and time: ln(ppa) = level(place) + elasticity x ln(acres) + trend x years + effects
 * of the land + noise.
 * Differences between sales that are near each other rid of the level; what is left is regressed robustly, county by
 * county, and each county is drawn towards its state, and the state towards the nation, the more the less its sales say.
 */

import { addTo } from '../groups.ts';
import { type LandEffects, landPremium } from './land.ts';
import { estimateLand, type PairedLand } from './land-effects.ts';
import { regress } from './regress.ts';
import { byCounty, type Estimate, type Regional, shrink } from './shrink.ts';

/** Elasticity of price per acre to acres, trend of its logarithm a year, and what land does to it; null: nothing that shows. */
export type Effects = { elasticity: number; trend: number; land: LandEffects | null };

/** Differences between two near sales: of ln(price per acre), of ln(acres), of years, of the land's terms. */
export type Pairs = {
  county: Int32Array;
  ppa: Float64Array;
  acres: Float64Array;
  years: Float64Array;
  /** Null where the land of no sale is known. */
  land: PairedLand | null;
  count: number;
};

/**
 * All that is known without a sale. Land of twice the size costs between as much and twice as much, which are
 * elasticities of -1 and 0; and prices have seldom doubled or halved within ten years, a trend of 0.07. Two sales' worth.
 */
const IGNORANCE = { elasticity: { value: -0.5, variance: 0.25 }, trend: { value: 0, variance: 0.0025 } };

/** Variance of a difference before anything is known: sales of raw land are within 50 % of one another. */
const VARIANCE_PRIOR = 2 * 0.5 ** 2;

/** Of each county that has pairs. */
export type RegionalEffects = Regional<Effects>;

export function estimateEffects(pairs: Pairs): RegionalEffects {
  const rows = new Map<number, number[]>();
  for (let i = 0; i < pairs.count; i++) {
    addTo(rows, pairs.county[i]!, i);
  }
  const land = estimateLand(pairs, rows, VARIANCE_PRIOR);
  // With the effects of land that are used taken off, and nothing for those that are not: what size takes in of them belongs to it.
  const ppa = land === null ? pairs.ppa : withoutLand(pairs, land.of);
  const columns = [pairs.acres, pairs.years];
  const all = Array.from({ length: pairs.count }, (_, i) => i);
  const { residual } = regress(ppa, columns, all, VARIANCE_PRIOR);
  const estimates = new Map(
    [...rows].map(([county, own]) => [county, regress(ppa, columns, own, residual).effects]),
  );
  const shrunk = (column: number, known: Estimate) =>
    shrink(new Map([...estimates].map(([county, own]) => [county, own[column]!])), known);
  const elasticity = shrunk(0, IGNORANCE.elasticity);
  const trend = shrunk(1, IGNORANCE.trend);
  const effectsIn = (of: 'counties' | 'states') =>
    [...elasticity[of]].map(([code, { value }]): [number, Effects] => [
      code,
      { elasticity: value, trend: trend[of].get(code)!.value, land: land?.[of].get(code) ?? null },
    ]);
  return {
    counties: effectsIn('counties'),
    states: effectsIn('states'),
    nation: {
      elasticity: elasticity.nation.value,
      trend: trend.nation.value,
      land: land?.nation ?? null,
    },
  };
}

/** ln(price per acre) differences as they would be between two lots of like land. */
export function withoutLand(
  { county, ppa, land, count }: Pairs,
  of: (county: number) => LandEffects | null,
): Float64Array {
  if (land === null) return ppa;
  return ppa.map((difference, i) => {
    const effects = i < count ? of(county[i]!) : null;
    if (effects === null) return difference;
    return effects.effects.reduce((left, effect, k) => left - effect * land.differences[k]![i]!, difference);
  });
}

/**
 * ln(price per acre) of a comp, brought to one acre, mean land and another day by the effects of its county.
 * @param years from that day to the comp's
 * @param land terms of comps, of which the i-th are this one's
 */
export function standardLevel(
  { elasticity, trend, land: landEffects }: Effects,
  logPpa: number,
  logAcres: number,
  years: number,
  land: Float64Array | undefined,
  i: number,
): number {
  const premium = landEffects === null || land === undefined ? 0 : landPremium(landEffects, land, i);
  return logPpa - elasticity * logAcres - trend * years - premium;
}

/** Whether any county's prices are adjusted for land. */
export function usesLand({ counties, states, nation }: RegionalEffects): boolean {
  return nation.land !== null || [...counties, ...states].some(([, { land }]) => land !== null);
}

/** The effects of any county: its own, else its state's, else the nation's. */
export function effectsByCounty(effects: RegionalEffects): (county: number) => Effects {
  return byCounty(effects);
}
