import type { CountyLevels } from './level.ts';
import { createNearest, GROUND_ONLY, type Nearest } from './nearest.ts';

/**
 * ln(price per acre) at a location, excluding the effects of size and time: the county's level plus a kernel
 * mean (E. A. Nadaraya, 1964) of how far nearby sales are from their counties' levels, shrunk toward 0.
 */
const NEIGHBORS = 24;
/** Sales that are more kernel lengths away than this would have a weight below 1/50. */
export const KERNEL_STEPS = 4;

export type Residuals = {
  county: Int32Array;
  levels: CountyLevels;
  /** ln(price per acre), excluding the effects of size and time. */
  value: Float64Array;
  /** Variance of one sale around the level at its location. */
  noise: number;
  /** Variance of the level across locations. If 0, the county's level applies everywhere. */
  spread: number;
};

export type Surface = {
  /**
   * Uses sales up to a day, except that the county's level is based on all sales. @param exclude an entry to
   * ignore
   */
  levelAt(lon: number, lat: number, county: number, day: number, exclude?: number): number;
};

/** @param meters length of the kernel */
export function createSurface(
  { county, value, levels, noise, spread }: Residuals,
  meters: number,
  places: Places,
): Surface {
  const pull = spread > 0 ? noise / spread : Number.POSITIVE_INFINITY;
  return {
    levelAt(lon, lat, ofCounty, day, exclude = -1) {
      const without = exclude >= 0 && county[exclude] === ofCounty ? value[exclude] : undefined;
      const ofAll = levels.of(ofCounty, without);
      if (pull === Number.POSITIVE_INFINITY) return ofAll;
      const count = places.find(lon, lat, meters, NEIGHBORS, KERNEL_STEPS, { day, exclude });
      let weights = pull;
      let weighted = 0;
      for (let i = 0; i < count; i++) {
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
  /** @param options ignores sales after `day` and the entry `exclude` */
  find(
    lon: number,
    lat: number,
    meters: number,
    most: number,
    maxSteps: number,
    options?: { day?: number; exclude?: number },
  ): number;
  index: Nearest['index'];
  steps: Nearest['steps'];
};

const LATEST = 2 ** 31 - 1;

/** Creates a search for the nearest points that considers only distance. */
export function createPlaces(
  points: { count: number; lon: Float64Array; lat: Float64Array; day: Int32Array },
  most: number,
): Places {
  const nearest = createNearest({ ...points, logAcres: new Float64Array(points.count) }, most, GROUND_ONLY);
  const steps = { meters: 1, logAcres: 1, days: Number.POSITIVE_INFINITY };
  const place = { lon: 0, lat: 0, logAcres: 0, day: 0 };
  return {
    index: nearest.index,
    steps: nearest.steps,
    find(atLon, atLat, meters, wanted, maxSteps, { day = LATEST, exclude } = {}) {
      place.lon = atLon;
      place.lat = atLat;
      place.day = day;
      steps.meters = meters;
      return nearest.find(place, steps, wanted, maxSteps, exclude);
    },
  };
}
