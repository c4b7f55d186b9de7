import { LAND_TERMS } from './land-effects.ts';
import { PAIRS_PER_SALE } from './regress.ts';
import { medianOf } from './robust.ts';
import { createPlaces, type Places } from './surface.ts';
import { type Comps, DAYS_PER_YEAR, MAX_COMP_M, MAX_STEPS } from './valuation-types.ts';

/** Differences between two nearby sales in ln(price per acre), ln(acres), years, and land terms. */
export type Pairs = {
  ppa: Float64Array;
  acres: Float64Array;
  years: Float64Array;
  /** The days of both sales, one after the other. */
  days: Int32Array;
  /** Null if the land is unknown for all sales. */
  land: PairedLand | null;
  /** Null if no sale is known to be on a shore. */
  shore: PairedShore | null;
  count: number;
};

type PairedShore = {
  /** 1 if only the first is on a shore, -1 if only the second is; 0 if unknown. */
  differences: Float64Array;
  /** The share of sales on a shore. */
  mean: number;
};

type PairedLand = {
  /** One column per term; 0 if the term is unknown for either sale. */
  differences: readonly Float64Array[];
  /** Means of the terms over the sales; 0 if a term is unknown for all. */
  means: readonly number[];
};

/** Maximum number of sales to estimate effects from. More sales don't improve the estimates noticeably. */
const MAX_PAIRED = 12_000;
/** Sales farther apart than this differ in more than size and time. */
const MAX_PAIR_M = 50_000;

/** One step is the radius that contains this many sales around a typical sale in the county. */
const SALES_PER_STEP = 30;
/**
 * Maximum number of sales to measure the distance on. The standard error of the median of this many sales is
 * 9% of their spread.
 */
const MAX_MEASURED = 200;
const MIN_STEP_M = 500;
export const MAX_STEP_M = MAX_COMP_M / MAX_STEPS;

/** The locations of these comps, by their index in `chosen`. */
export function placesOf(comps: Comps, chosen: Int32Array): Places {
  const lon = Float64Array.from(chosen, i => comps.lon[i]!);
  const lat = Float64Array.from(chosen, i => comps.lat[i]!);
  return createPlaces(
    { count: chosen.length, lon, lat, day: chosen.map(i => comps.soldDay[i]!) },
    SALES_PER_STEP,
  );
}

/**
 * Differences between the sales in a county (or every nth of them), latest first, and the sales that are
 * closest to each. For a county without sales, all nearby sales are paired.
 */
export function pairsOf(comps: Comps, sales: Int32Array, places: Places, county: number): Pairs {
  const entries = Int32Array.from(sales.keys());
  const ofCounty = entries.filter(i => comps.county[sales[i]!] === county);
  const own = ofCounty.length === 0 ? entries : ofCounty;
  const stride = Math.ceil(own.length / MAX_PAIRED);
  const paired = own.filter((_, i) => (own.length - 1 - i) % stride === 0).reverse();
  const most = paired.length * PAIRS_PER_SALE;
  const pairs: Pairs = {
    ppa: new Float64Array(most),
    acres: new Float64Array(most),
    years: new Float64Array(most),
    days: new Int32Array(2 * most),
    land: pairedLand(
      comps,
      own.map(i => sales[i]!),
      most,
    ),
    shore: pairedShore(
      comps,
      own.map(i => sales[i]!),
      most,
    ),
    count: 0,
  };
  for (const i of paired) {
    const a = sales[i]!;
    const count = places.find(comps.lon[a]!, comps.lat[a]!, MAX_PAIR_M, PAIRS_PER_SALE, 1, { exclude: i });
    for (let k = 0; k < count; k++) {
      const b = sales[places.index[k]!]!;
      const acres = Math.log(comps.acres[a]! / comps.acres[b]!);
      pairs.ppa[pairs.count] = Math.log(comps.price[a]! / comps.price[b]!) - acres;
      pairs.acres[pairs.count] = acres;
      pairs.years[pairs.count] = (comps.soldDay[a]! - comps.soldDay[b]!) / DAYS_PER_YEAR;
      pairs.days[2 * pairs.count] = comps.soldDay[a]!;
      pairs.days[2 * pairs.count + 1] = comps.soldDay[b]!;
      if (pairs.shore !== null) {
        const difference = comps.shore![a]! - comps.shore![b]!;
        pairs.shore.differences[pairs.count] = Number.isNaN(difference) ? 0 : difference;
      }
      if (pairs.land !== null) compareLand(comps.land!, a, b, pairs.land, pairs.count);
      pairs.count++;
    }
  }
  return pairs;
}

/** The pairs of sales that were both known at the end of a day. */
export function pairsUntil(pairs: Pairs, day: number): Pairs {
  const known: number[] = [];
  for (let i = 0; i < pairs.count; i++)
    if (pairs.days[2 * i]! <= day && pairs.days[2 * i + 1]! <= day) known.push(i);
  const pick = (column: Float64Array) => Float64Array.from(known, i => column[i]!);
  const { land, shore } = pairs;
  return {
    ppa: pick(pairs.ppa),
    acres: pick(pairs.acres),
    years: pick(pairs.years),
    days: Int32Array.from(known.flatMap(i => [pairs.days[2 * i]!, pairs.days[2 * i + 1]!])),
    land: land && { ...land, differences: land.differences.map(pick) },
    shore: shore && { ...shore, differences: pick(shore.differences) },
    count: known.length,
  };
}

function pairedLand({ land }: Comps, sales: Int32Array, most: number): PairedLand | null {
  if (land === undefined) return null;
  const means = Array.from({ length: LAND_TERMS }, (_, k) => {
    const known = sales.filter(sale => !Number.isNaN(land[sale * LAND_TERMS + k]!));
    return known.reduce((sum, sale) => sum + land[sale * LAND_TERMS + k]!, 0) / Math.max(1, known.length);
  });
  return { differences: Array.from({ length: LAND_TERMS }, () => new Float64Array(most)), means };
}

function pairedShore({ shore }: Comps, sales: Int32Array, most: number): PairedShore | null {
  const known = Array.from(sales, sale => shore?.[sale] ?? Number.NaN).filter(flag => !Number.isNaN(flag));
  const onShore = known.reduce((sum, flag) => sum + flag, 0);
  return onShore === 0 ? null : { differences: new Float64Array(most), mean: onShore / known.length };
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

/** Meters per step: the median distance from a sample of the county's sales to their 30th nearest sale. */
export function groundStep(places: Places, lon: ArrayLike<number>, lat: ArrayLike<number>): number {
  const wanted = Math.min(SALES_PER_STEP, Math.max(1, lon.length - 1));
  // Sample both old and new sales, because their locations can differ.
  const stride = Math.ceil(lon.length / MAX_MEASURED);
  const distances: number[] = [];
  for (let i = 0; i < lon.length; i += stride) {
    const count = places.find(lon[i]!, lat[i]!, 1, wanted, MAX_STEP_M, { exclude: i });
    distances.push(count < wanted ? MAX_STEP_M : places.steps[count - 1]!);
  }
  return Math.min(MAX_STEP_M, Math.max(MIN_STEP_M, medianOf(distances) ?? MAX_STEP_M));
}
