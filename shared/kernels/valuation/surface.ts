import type { CountyLevels } from './level.ts';
import { createNearest, type Nearest, ON_THE_GROUND } from './nearest.ts';

/**
 * ln(price per acre) beyond size and time: its county's level, and a kernel mean (E. A. Nadaraya, 1964) of
 * what the sales around are above or below the levels of theirs, drawn to none.
 */
const NEIGHBOURS = 24;
/** Sales farther away than so many lengths of the kernel weigh less than 1 in 50. */
export const LEVEL_STEPS = 4;

export type Residuals = {
  county: Int32Array;
  levels: CountyLevels;
  /** ln(price per acre) without the effects of size and time. */
  value: Float64Array;
  /** Variance of one sale around its place's level. */
  noise: number;
  /** Variance of the level from place to place; 0: the county's is all there is. */
  spread: number;
};

export type Surface = {
  /**
   * As known at the end of a day; the county's level is that of all days. @param exclude an entry
   * that must not count
   */
  levelAt(lon: number, lat: number, county: number, day: number, exclude?: number): number;
};

/** @param metres length of the kernel */
export function createSurface(
  { county, value, levels, noise, spread }: Residuals,
  metres: number,
  places: Places,
): Surface {
  const pull = spread > 0 ? noise / spread : Number.POSITIVE_INFINITY;
  return {
    levelAt(lon, lat, ofCounty, day, exclude = -1) {
      const without = exclude >= 0 && county[exclude] === ofCounty ? value[exclude] : undefined;
      const ofAll = levels.of(ofCounty, without);
      if (pull === Number.POSITIVE_INFINITY) return ofAll;
      const found = places.find(lon, lat, metres, NEIGHBOURS, LEVEL_STEPS, { day, exclude });
      let weights = pull;
      let weighted = 0;
      for (let i = 0; i < found; i++) {
        const weight = Math.exp(-places.steps[i]!);
        const near = places.index[i]!;
        weights += weight;
        weighted += weight * (value[near]! - (county[near] === ofCounty ? ofAll : levels.of(county[near]!)));
      }
      return ofAll + weighted / weights;
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
