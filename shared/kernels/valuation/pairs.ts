import { LAND_TERMS } from './land-effects.ts';
import { PAIRS_PER_SALE } from './regress.ts';
import { medianOf } from './robust.ts';
import { createPlaces, type Places } from './surface.ts';
import { type Comps, DAYS_A_YEAR, MOST_COMP_M, MOST_STEPS } from './valuation-types.ts';

/** Differences between two near sales: of ln(price per acre), of ln(acres), of years, of the land's terms. */
export type Pairs = {
  ppa: Float64Array;
  acres: Float64Array;
  years: Float64Array;
  /** Null where the land of no sale is known. */
  land: PairedLand | null;
  count: number;
};

type PairedLand = {
  /** A column a term; 0 where one of the two is unknown. */
  differences: readonly Float64Array[];
  /** Means of the terms over the sales; 0 where a term is unknown of all. */
  means: readonly number[];
};

/** Sales from which effects are estimated: more make them no better than the others' noise. */
const MOST_PAIRED = 3_000;
/** Pairs farther apart than this differ in more than size and time. */
const PAIR_METRES = 10_000;

/** The ground that one step covers holds this many sales at the middle of the county's sales. */
const SALES_A_STEP = 30;
/**
 * Sales of a county from which the distance is measured; a median of so many has a standard error of 9
 * % of their spread.
 */
const MOST_MEASURED = 200;
const LEAST_STEP_M = 500;
export const MOST_STEP_M = MOST_COMP_M / MOST_STEPS;

/** Where these comps are; found by their place in the list. */
export function placesOf(comps: Comps, chosen: Int32Array): Places {
  const lon = Float64Array.from(chosen, i => comps.lon[i]!);
  const lat = Float64Array.from(chosen, i => comps.lat[i]!);
  return createPlaces(
    { count: chosen.length, lon, lat, day: chosen.map(i => comps.soldDay[i]!) },
    SALES_A_STEP,
  );
}

/**
 * Differences between each sale of a county, the latest first, and the sales that are nearest to it on the
 * ground. Of a county without sales those of all around it are paired.
 */
export function pairsOf(comps: Comps, sales: Int32Array, places: Places, county: number): Pairs {
  const entries = Int32Array.from(sales.keys());
  const ofCounty = entries.filter(i => comps.county[sales[i]!] === county);
  const own = ofCounty.length === 0 ? entries : ofCounty;
  const latest = own.slice(-MOST_PAIRED).reverse();
  const most = latest.length * PAIRS_PER_SALE;
  const pairs: Pairs = {
    ppa: new Float64Array(most),
    acres: new Float64Array(most),
    years: new Float64Array(most),
    land: pairedLand(
      comps,
      own.map(i => sales[i]!),
      most,
    ),
    count: 0,
  };
  for (const i of latest) {
    const a = sales[i]!;
    const found = places.find(comps.lon[a]!, comps.lat[a]!, PAIR_METRES, PAIRS_PER_SALE, 1, { exclude: i });
    for (let k = 0; k < found; k++) {
      const b = sales[places.index[k]!]!;
      const acres = Math.log(comps.acres[a]! / comps.acres[b]!);
      pairs.ppa[pairs.count] = Math.log(comps.price[a]! / comps.price[b]!) - acres;
      pairs.acres[pairs.count] = acres;
      pairs.years[pairs.count] = (comps.soldDay[a]! - comps.soldDay[b]!) / DAYS_A_YEAR;
      if (pairs.land !== null) compareLand(comps.land!, a, b, pairs.land, pairs.count);
      pairs.count++;
    }
  }
  return pairs;
}

function pairedLand({ land }: Comps, sales: Int32Array, most: number): PairedLand | null {
  if (land === undefined) return null;
  const means = Array.from({ length: LAND_TERMS }, (_, k) => {
    const known = sales.filter(sale => !Number.isNaN(land[sale * LAND_TERMS + k]!));
    return known.reduce((sum, sale) => sum + land[sale * LAND_TERMS + k]!, 0) / Math.max(1, known.length);
  });
  return { differences: Array.from({ length: LAND_TERMS }, () => new Float64Array(most)), means };
}

function compareLand(
  land: Float64Array,
  a: number,
  b: number,
  { differences }: PairedLand,
  pair: number,
): void {
  for (let k = 0; k < LAND_TERMS; k++) {
    const difference = land[a * LAND_TERMS + k]! - land[b * LAND_TERMS + k]!;
    differences[k]![pair] = Number.isNaN(difference) ? 0 : difference;
  }
}

/** Metres of a step: the median distance from some of a county's sales to the 30th nearest of them. */
export function groundStep(places: Places, lon: ArrayLike<number>, lat: ArrayLike<number>): number {
  const wanted = Math.min(SALES_A_STEP, Math.max(1, lon.length - 1));
  // Of old sales as of new ones: what was sold long ago may lie elsewhere.
  const stride = Math.ceil(lon.length / MOST_MEASURED);
  const distances: number[] = [];
  for (let i = 0; i < lon.length; i += stride) {
    const found = places.find(lon[i]!, lat[i]!, 1, wanted, MOST_STEP_M, { exclude: i });
    distances.push(found < wanted ? MOST_STEP_M : places.steps[found - 1]!);
  }
  return Math.min(MOST_STEP_M, Math.max(LEAST_STEP_M, medianOf(distances) ?? MOST_STEP_M));
}
