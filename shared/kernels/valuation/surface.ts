import { createNearest, type Nearest, ON_THE_GROUND } from './nearest.ts';

/** ln(price per acre) beyond size and time: a kernel mean (E. A. Nadaraya, 1964), drawn towards its county's mean. */
const NEIGHBOURS = 24;
/** Sales farther away than so many lengths of the kernel weigh less than 1 in 50. */
export const LEVEL_STEPS = 4;

export type Residuals = {
  county: Int32Array;
  /** ln(price per acre) without the effects of size and time. */
  value: Float64Array;
  /** Variance of one sale around its place's level. */
  noise: number;
  /** Variance of the level from place to place; 0: the county's mean is all there is. */
  spread: number;
};

export type Surface = {
  /** As known at the end of a day; the county's mean is that of all days. @param exclude an entry that must not count */
  levelAt(lon: number, lat: number, county: number, day: number, exclude?: number): number;
};

/** A county's own mean is worth so many sales against that of all counties around. */
const COUNTY_PRIOR_SALES = 5;

/** @param metres length of the kernel */
export function createSurface(
  { county, value, noise, spread }: Residuals,
  metres: number,
  places: Places,
): Surface {
  const sums = new Map<number, { sum: number; sales: number }>();
  let total = 0;
  for (let i = 0; i < value.length; i++) {
    const own = sums.get(county[i]!) ?? { sum: 0, sales: 0 };
    sums.set(county[i]!, own);
    own.sum += value[i]!;
    own.sales++;
    total += value[i]!;
  }
  const mean = total / Math.max(1, value.length);
  const pull = spread > 0 ? noise / spread : Number.POSITIVE_INFINITY;

  return {
    levelAt(lon, lat, ofCounty, day, exclude = -1) {
      const own = sums.get(ofCounty);
      const without = exclude >= 0 && county[exclude] === ofCounty ? exclude : -1;
      const sum = (own?.sum ?? 0) - (without < 0 ? 0 : value[without]!);
      const sales = (own?.sales ?? 0) - (without < 0 ? 0 : 1);
      const countyMean = (sum + COUNTY_PRIOR_SALES * mean) / (sales + COUNTY_PRIOR_SALES);
      if (pull === Number.POSITIVE_INFINITY) return countyMean;
      const found = places.find(lon, lat, metres, NEIGHBOURS, LEVEL_STEPS, { day, exclude });
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
  /** @param but sales of later days, and one entry, are not looked at */
  find(
    lon: number,
    lat: number,
    metres: number,
    most: number,
    maxSteps: number,
    but?: { day?: number; exclude?: number },
  ): number;
  index: Nearest['index'];
  steps: Nearest['steps'];
};

const LATEST = 2 ** 31 - 1;

/** The nearest on the ground alone. */
export function createPlaces(
  points: { count: number; lon: Float64Array; lat: Float64Array; day: Int32Array },
  most: number,
): Places {
  const nearest = createNearest({ ...points, logAcres: new Float64Array(points.count) }, most, ON_THE_GROUND);
  const steps = { metres: 1, logAcres: 1, days: Number.POSITIVE_INFINITY };
  const place = { lon: 0, lat: 0, logAcres: 0, day: 0 };
  return {
    index: nearest.index,
    steps: nearest.steps,
    find(atLon, atLat, metres, wanted, maxSteps, { day = LATEST, exclude } = {}) {
      place.lon = atLon;
      place.lat = atLat;
      place.day = day;
      steps.metres = metres;
      return nearest.find(place, steps, wanted, maxSteps, exclude);
    },
  };
}
