import { linearRegression, mean, median } from 'simple-statistics';
import { addToGroup } from '../groups.ts';
import type { Model } from './model.ts';
import { createNearest } from './nearest.ts';
import { createPlaces } from './surface.ts';
import type { Comps } from './valuation-types.ts';

/** Baseline methods to compare the model to, using the same data. */
export const METHODS = [
  'model',
  'county_bucket',
  'nearest_5_ppa',
  'nearest_5_price',
  'nearest_regressed',
] as const;
export type Method = (typeof METHODS)[number];

const NEAREST = 5;
/** Number of sales for the strongest baseline: the nearest in location, size, and age combined. */
const ALIKE = 12;
const FARTHEST_M = 200_000;
/** Bounds, in acres, of the non-overlapping buckets in the market statistics. */
const BUCKET_BOUNDS = [0.25, 1, 2, 5, 10, 20, 40, 60, 80, 500];

/** Runs the baseline methods on the model's data. @returns null if no sales are known yet */
export function plainMethods(comps: Comps, sales: Int32Array, { asOfDay, county, steps }: Model) {
  const earlier = sales.filter(sale => comps.soldDay[sale]! <= asOfDay);
  const own = Array.from(earlier).filter(sale => comps.county[sale] === county);
  const ppa = (sale: number) => comps.price[sale]! / comps.acres[sale]!;
  const byBucket = new Map<number, number[]>();
  for (const sale of own) addToGroup(byBucket, bucketOf(comps.acres[sale]!), ppa(sale));
  const countyPpa = own.length === 0 ? null : median(own.map(ppa));
  const points = {
    count: earlier.length,
    lon: Float64Array.from(earlier, sale => comps.lon[sale]!),
    lat: Float64Array.from(earlier, sale => comps.lat[sale]!),
    logAcres: Float64Array.from(earlier, sale => Math.log(comps.acres[sale]!)),
    day: Int32Array.from(earlier, sale => comps.soldDay[sale]!),
  };
  const places = createPlaces(points, NEAREST);
  const alike = createNearest(points, ALIKE);
  const { m } =
    own.length < 2 ? { m: 0 } : linearRegression(own.map(i => [Math.log(comps.acres[i]!), Math.log(ppa(i))]));
  const slope = Number.isFinite(m) ? m : 0;
  return ({ lon, lat, acres }: { lon: number; lat: number; acres: number }) => {
    const bucket = byBucket.get(bucketOf(acres));
    const nearby = places.find(lon, lat, 1, NEAREST, FARTHEST_M);
    if (countyPpa === null || nearby === 0) return null;
    const nearest = Array.from(places.index.subarray(0, nearby), entry => earlier[entry]!);
    const logAcres = Math.log(acres);
    const similar = alike.find({ lon, lat, logAcres, day: asOfDay }, steps, ALIKE, Number.POSITIVE_INFINITY);
    const logs = Array.from(alike.index.subarray(0, similar), entry => {
      const sale = earlier[entry]!;
      return Math.log(ppa(sale)) + slope * (logAcres - points.logAcres[entry]!);
    });
    return {
      county_bucket: (bucket === undefined ? countyPpa : median(bucket)) * acres,
      nearest_5_ppa: mean(nearest.map(ppa)) * acres,
      nearest_5_price: mean(nearest.map(sale => comps.price[sale]!)),
      nearest_regressed: Math.exp(mean(logs)) * acres,
    };
  };
}

function bucketOf(acres: number): number {
  const bucket = BUCKET_BOUNDS.findIndex(bound => acres < bound);
  return bucket < 0 ? BUCKET_BOUNDS.length : bucket;
}
