import type { Nearest } from './nearest.ts';
import { createNearest } from './nearest.ts';

/**
 * The price level of a place: what ln(price per acre) is there beyond what size and time explain. A kernel mean of the
 * sales around the place, drawn towards its county's mean by as many sales as the noise of one sale is worth.
 * E. A. Nadaraya, On Estimating Regression, 1964; the shrinkage is that of a Gaussian process with noise at one point.
 */
const NEIGHBOURS = 24;
/** Sales farther away than so many lengths of the kernel weigh less than 1 in 50. */
export const LEVEL_STEPS = 4;
/** A county's own mean is worth so many sales against the nation's. */
const COUNTY_PRIOR_SALES = 5;

export type Residuals = {
  county: Int32Array;
  /** ln(price per acre) without the effects of size and time. */
  value: Float64Array;
};

export type Surface = {
  /** @param exclude an entry of the residuals that must not count */
  levelAt(lon: number, lat: number, county: number, exclude?: number): number;
};

/** The residuals of all counties, added up: what a surface over a part of the sales needs to know of the others. */
export type Levels = {
  nation: number;
  counties: [fips: number, { sum: number; sales: number }][];
  /** Variance of one sale around its place's level. */
  noise: number;
  /** Variance of the level from place to place; 0: the county's mean is all there is. */
  spread: number;
};

export function levelsOf(county: Int32Array, value: Float64Array): Pick<Levels, 'nation' | 'counties'> {
  const sums = new Map<number, { sum: number; sales: number }>();
  let total = 0;
  for (let i = 0; i < value.length; i++) {
    const own = sums.get(county[i]!) ?? { sum: 0, sales: 0 };
    own.sum += value[i]!;
    own.sales++;
    total += value[i]!;
    sums.set(county[i]!, own);
  }
  return { nation: value.length === 0 ? 0 : total / value.length, counties: [...sums] };
}

/** @param lengthOf length of the kernel in metres, of a county */
export function createSurface(
  residuals: Residuals,
  levels: Levels,
  lengthOf: (county: number) => number,
  places: Places,
): Surface {
  const { county, value } = residuals;
  const { nation, noise, spread } = levels;
  const sums = new Map(levels.counties);
  const pull = spread > 0 ? noise / spread : Number.POSITIVE_INFINITY;

  return {
    levelAt(atLon, atLat, ofCounty, exclude = -1) {
      const own = sums.get(ofCounty);
      const without = exclude >= 0 && county[exclude] === ofCounty ? exclude : -1;
      const sum = (own?.sum ?? 0) - (without < 0 ? 0 : value[without]!);
      const sales = (own?.sales ?? 0) - (without < 0 ? 0 : 1);
      const countyMean = (sum + COUNTY_PRIOR_SALES * nation) / (sales + COUNTY_PRIOR_SALES);
      if (pull === Number.POSITIVE_INFINITY) return countyMean;
      const metres = lengthOf(ofCounty);
      const found = places.find(atLon, atLat, metres, NEIGHBOURS, LEVEL_STEPS, exclude);
      let weights = pull;
      let weighted = pull * countyMean;
      for (let i = 0; i < found; i++) {
        const weight = Math.exp(-places.steps[i]!);
        weights += weight;
        weighted += weight * value[places.index[i]!]!;
      }
      return weighted / weights;
    },
  };
}

export type Places = {
  find(lon: number, lat: number, metres: number, most: number, maxSteps: number, exclude?: number): number;
  index: Nearest['index'];
  steps: Nearest['steps'];
};

/** The nearest on the ground alone. */
export function createPlaces(
  points: { count: number; lon: Float64Array; lat: Float64Array },
  most: number,
): Places {
  const { count, lon, lat } = points;
  const nearest = createNearest(
    { count, lon, lat, logAcres: new Float64Array(count), day: new Int32Array(count) },
    most,
  );
  const steps = { metres: 1, logAcres: 1, days: 1 };
  const place = { lon: 0, lat: 0, logAcres: 0, day: 0 };
  return {
    index: nearest.index,
    steps: nearest.steps,
    find(atLon, atLat, metres, wanted, maxSteps, exclude) {
      place.lon = atLon;
      place.lat = atLat;
      steps.metres = metres;
      return nearest.find(place, steps, wanted, maxSteps, exclude);
    },
  };
}
