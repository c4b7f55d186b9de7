import { LAND_TERMS, writeLandTerms } from '../../shared/kernels/valuation/land-effects.ts';
import type { Comps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createRandom, type Random } from '../bench/generate/random.ts';

/** Effect of each land term on ln(price): steep, frontage, flood, wetlands. */
export type TrueLand = readonly [number, number, number, number];

export const TRUE_LAND: TrueLand = [-0.6, 0.15, -0.5, -0.8];
export const NO_LAND: TrueLand = [0, 0, 0, 0];

/**
 * A third of the parcels have slopes, a third have wetlands, a sixth are in a flood zone, and seven in ten
 * have frontage. Larger parcels have more frontage.
 */
export function randomLand(random: Random, acres: number, into = new Float64Array(LAND_TERMS), at = 0) {
  const percent = (chance: number) => (random() < chance ? 100 * random() : 0);
  const figures = {
    steepPercent: percent(0.33),
    frontageFt: random() < 0.3 ? 0 : 2 * random() * Math.sqrt(acres * 43_560),
    floodPercent: percent(0.17),
    wetlandsPercent: percent(0.33),
  };
  return writeLandTerms(figures, into, at);
}

export function landEffect(effects: TrueLand, land: Float64Array, i = 0): number {
  return effects.reduce((sum, effect, k) => sum + effect * land[i * LAND_TERMS + k]!, 0);
}

/**
 * Puts the same sales on random kinds of land, which changes their prices, and then removes the land figures
 * from a share of the sales.
 */
export function onLand(sales: Comps, effects: TrueLand, seed: number, unknown = 0): Comps {
  const random = createRandom(seed);
  const land = new Float64Array(sales.count * LAND_TERMS);
  for (let i = 0; i < sales.count; i++) randomLand(random, sales.acres[i]!, land, i * LAND_TERMS);
  const price = sales.price.map((one, i) => one * Math.exp(landEffect(effects, land, i)));
  return { ...sales, price, land: land.map(term => (random() < unknown ? Number.NaN : term)) };
}
