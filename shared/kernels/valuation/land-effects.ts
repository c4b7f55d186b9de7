import { LAND_TERMS, type LandEffects } from './land.ts';
import { PAIRS_PER_SALE, regress } from './regress.ts';
import { type Estimate, shrink } from './shrink.ts';

/** Differences of the land's terms between the sales of pairs, a column a term; 0 where one of the two is unknown. */
export type PairedLand = {
  differences: readonly Float64Array[];
  /** Means of the terms over the sales of each county, and over all; 0 where a term is unknown of all. */
  means: ReadonlyMap<number, readonly number[]>;
  mean: readonly number[];
};

/** Differences between near sales in which land may show. */
export type LandPairs = {
  ppa: Float64Array;
  acres: Float64Array;
  years: Float64Array;
  land: PairedLand | null;
  count: number;
};

/** The effects that are used, by county, by state, and elsewhere; null where there is none. */
export type RegionalLand = {
  counties: ReadonlyMap<number, LandEffects | null>;
  states: ReadonlyMap<number, LandEffects | null>;
  nation: LandEffects | null;
  of(county: number): LandEffects | null;
};

/**
 * An effect is used where it is at least so many of its standard errors from none. Three rather than two, because four
 * effects are looked at in every county, and what else goes with land (a hill's view, a river's valley) makes estimates vary more
 * than their standard errors say.
 */
const LEAST_Z = 3;
/** And where the two sales of at least so many pairs differ in it: 20 sales' worth. A county with fewer has its state's. */
const LEAST_PAIRS = 20 * PAIRS_PER_SALE;
/**
 * What is known without a sale: most likely nothing. In 19 of 20 cases land that is steep, flooded or wet all over costs 0.4 to
 * 2.7 times what other land does, and land with 100 ft of frontage 0.75 to 1.3 times what land with none does.
 */
const KNOWN: readonly Estimate[] = [
  { value: 0, variance: 0.5 ** 2 },
  { value: 0, variance: 0.2 ** 2 },
  { value: 0, variance: 0.5 ** 2 },
  { value: 0, variance: 0.5 ** 2 },
];

/**
 * What land does to prices, where the data tells. All effects are estimated at once, with those of size and time, so that none
 * takes what is another's; each is drawn to that of the state, the nation, and none.
 * @param rows the pairs of each county
 * @param elsewhere variance of the differences that is expected before any is looked at
 */
export function estimateLand(
  pairs: LandPairs,
  rows: ReadonlyMap<number, readonly number[]>,
  elsewhere: number,
): RegionalLand | null {
  const { land } = pairs;
  if (land === null || land.differences.every(one => !one.some(difference => difference !== 0))) return null;
  const estimateTerms = (own: readonly number[], expected: number) => {
    const told = land.differences.filter(one => isTold(one, own));
    const { effects, residual } = regress(pairs.ppa, [pairs.acres, pairs.years, ...told], own, expected);
    const terms = land.differences.map(one => {
      const column = told.indexOf(one);
      return column < 0 ? UNKNOWN : effects[2 + column]!;
    });
    return { terms, residual };
  };
  const { residual } = estimateTerms(
    Array.from({ length: pairs.count }, (_, i) => i),
    elsewhere,
  );
  const estimates = new Map([...rows].map(([county, own]) => [county, estimateTerms(own, residual).terms]));
  const shrunk = KNOWN.map((known, k) =>
    shrink(new Map([...estimates].map(([county, terms]) => [county, terms[k]!])), known),
  );
  const used = (terms: Estimate[], centre: readonly number[]): LandEffects | null => {
    const effects = terms.map(({ value, variance }) => (value ** 2 >= LEAST_Z ** 2 * variance ? value : 0));
    return effects.every(effect => effect === 0) ? null : { effects, centre };
  };
  const usedIn = (of: 'counties' | 'states') =>
    new Map(
      [...shrunk[0]![of].keys()].map(code => [
        code,
        used(
          shrunk.map(term => term[of].get(code)!),
          (of === 'counties' ? land.means.get(code) : undefined) ?? land.mean,
        ),
      ]),
    );
  const counties = usedIn('counties');
  const states = usedIn('states');
  const nation = used(
    shrunk.map(term => term.nation),
    land.mean,
  );
  return { counties, states, nation, of: county => counties.get(county) ?? null };
}

const UNKNOWN: Estimate = { value: 0, variance: Number.POSITIVE_INFINITY };

function isTold(differences: Float64Array, rows: readonly number[]): boolean {
  let told = 0;
  for (const row of rows) if (differences[row] !== 0 && ++told >= LEAST_PAIRS) return true;
  return false;
}

/** @param land terms of every comp. @param county of each of the sales */
export function landMeans(
  land: Float64Array,
  sales: Int32Array,
  county: Int32Array,
): Pick<PairedLand, 'means' | 'mean'> {
  type Sums = { sum: Float64Array; known: Float64Array };
  const newSums = (): Sums => ({ sum: new Float64Array(LAND_TERMS), known: new Float64Array(LAND_TERMS) });
  const total = newSums();
  const byCounty = new Map<number, Sums>();
  for (const sale of sales) {
    const own = byCounty.get(county[sale]!) ?? newSums();
    byCounty.set(county[sale]!, own);
    for (let k = 0; k < LAND_TERMS; k++) {
      const term = land[sale * LAND_TERMS + k]!;
      if (Number.isNaN(term)) continue;
      for (const sums of [own, total]) {
        sums.sum[k]! += term;
        sums.known[k]!++;
      }
    }
  }
  const meansOf = ({ sum, known }: Sums) => Array.from(sum, (one, k) => one / Math.max(1, known[k]!));
  return {
    means: new Map([...byCounty].map(([fips, sums]) => [fips, meansOf(sums)])),
    mean: meansOf(total),
  };
}
