import type { Pairs } from './effects.ts';
import { LAND_TERMS } from './land.ts';
import { landMeans, type PairedLand } from './land-effects.ts';
import { DAYS_A_YEAR } from './market.ts';
import { PAIRS_PER_SALE } from './regress.ts';
import { medianOf } from './robust.ts';
import { createPlaces, type Places } from './surface.ts';
import type { Comps } from './types.ts';

/** Sales of a county from which its effects are estimated: more make them no better than the others' noise. */
const MOST_PAIRED = 3_000;
/** Pairs farther apart than this differ in more than size and time. */
const PAIR_METRES = 10_000;

/** The ground that one step covers holds this many sales at the middle of the county's sales. */
const SALES_A_STEP = 30;
/** The most that are looked for at once: here, and by the surface (24). */
const MOST_NEIGHBOURS = SALES_A_STEP;
/** Sales of a county from which the distance is measured; a median of so many has a standard error of 9 % of their spread. */
const MOST_MEASURED = 200;
const LEAST_STEP_M = 500;
const MOST_STEP_M = 40_000;

/** Where these comps are; found by their place in the list. */
export function placesOf(comps: Comps, chosen: Int32Array): Places {
  const lon = Float64Array.from(chosen, i => comps.lon[i]!);
  const lat = Float64Array.from(chosen, i => comps.lat[i]!);
  return createPlaces({ count: chosen.length, lon, lat }, MOST_NEIGHBOURS);
}

/** Differences between each sale, the latest of a county first, and those that are nearest to it on the ground. */
export function pairsOf(comps: Comps, sales: Int32Array, places: Places): Pairs {
  const most = sales.length * PAIRS_PER_SALE;
  const pairs = {
    county: new Int32Array(most),
    ppa: new Float64Array(most),
    acres: new Float64Array(most),
    years: new Float64Array(most),
    land: pairedLand(comps, sales, most),
    count: 0,
  };
  const taken = new Map<number, number>();
  for (let i = sales.length - 1; i >= 0; i--) {
    const a = sales[i]!;
    const already = taken.get(comps.county[a]!) ?? 0;
    if (already >= MOST_PAIRED) continue;
    taken.set(comps.county[a]!, already + 1);
    const found = places.find(comps.lon[a]!, comps.lat[a]!, PAIR_METRES, PAIRS_PER_SALE, 1, i);
    for (let k = 0; k < found; k++) {
      const b = sales[places.index[k]!]!;
      const acres = Math.log(comps.acres[a]! / comps.acres[b]!);
      pairs.county[pairs.count] = comps.county[a]!;
      pairs.ppa[pairs.count] = Math.log(comps.price[a]! / comps.price[b]!) - acres;
      pairs.acres[pairs.count] = acres;
      pairs.years[pairs.count] = (comps.soldDay[a]! - comps.soldDay[b]!) / DAYS_A_YEAR;
      if (pairs.land !== null) compareLand(comps.land!, a, b, pairs.land, pairs.count);
      pairs.count++;
    }
  }
  return pairs;
}

function pairedLand({ land, county }: Comps, sales: Int32Array, most: number): PairedLand | null {
  if (land === undefined) return null;
  const differences = Array.from({ length: LAND_TERMS }, () => new Float64Array(most));
  return { differences, ...landMeans(land, sales, county) };
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

/**
 * Metres of a step by county, and for counties without sales by -1: the median distance to the 30th nearest sale.
 * @param sales by county and day
 */
export function groundSteps(comps: Comps, sales: Int32Array, places: Places): Map<number, number> {
  const wanted = Math.min(SALES_A_STEP, Math.max(1, sales.length - 1));
  const distanceFrom = (i: number) => {
    const found = places.find(comps.lon[sales[i]!]!, comps.lat[sales[i]!]!, 1, wanted, MOST_STEP_M, i);
    return found < wanted ? MOST_STEP_M : places.steps[found - 1]!;
  };
  const bounded = (all: number[]) =>
    Math.min(MOST_STEP_M, Math.max(LEAST_STEP_M, medianOf(all) ?? MOST_STEP_M));
  const steps = new Map<number, number>();
  for (let first = 0; first < sales.length; ) {
    const county = comps.county[sales[first]!]!;
    let end = first;
    while (end < sales.length && comps.county[sales[end]!] === county) end++;
    // Of old sales as of new ones: what was sold long ago may lie elsewhere.
    const stride = Math.ceil((end - first) / MOST_MEASURED);
    const distances: number[] = [];
    for (let i = first; i < end; i += stride) distances.push(distanceFrom(i));
    steps.set(county, bounded(distances));
    first = end;
  }
  steps.set(-1, bounded([...steps.values()]));
  return steps;
}
