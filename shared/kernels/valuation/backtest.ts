import { bootstrap, type Range, rangeOf } from '../ratio-study/bootstrap.ts';
import { biasByChance, type RatioStudy, slopeOnEstimates, studyRatios } from '../ratio-study/ratio-study.ts';
import { median } from '../stats/order-statistics.ts';
import { landAt } from './land.ts';
import { fitModel } from './model.ts';
import { secondRecords } from './same-sale.ts';
import { usableSales } from './screen.ts';
import { createPlaces } from './surface.ts';
import type { Comps } from './types.ts';
import { createValuer } from './value-parcel.ts';

/**
 * Values past sales as they would have been valued on the day before each (or on an earlier one, `daysBefore`), and compares the estimates with the prices:
 * the rolling origin of forecasting (L. J. Tashman, Out-of-sample tests of forecasting accuracy, 2000). Two plain methods
 * value the same sales with the same knowledge.
 */
export const METHODS = ['model', 'county_bucket', 'nearest_5_ppa', 'nearest_5_price'] as const;
export type Method = (typeof METHODS)[number];

export type Backtest = {
  /** Sales in the period; those that a method could not value are in none of the figures. */
  sales: number;
  valued: number;
  /** How often the model was fitted. */
  fits: number;
  /** How many days before each sale the knowledge ends by which it is valued, the plain methods' too; null without sales. */
  daysBefore: { median: number; most: number } | null;
  methods: Record<Method, RatioStudy | null>;
  /** What PRB errors as large as the model's would show without bias. */
  prbByChance: Range | null;
  /** Of ln(price) on ln(estimate): 1 without bias. */
  slope: ({ slope: number } & Range) | null;
  /** Percent of the prices that lie in their 80 % interval. */
  coverage: number | null;
  coverageRange: Range | null;
  /** Sales by the confidence of their estimates, least first. */
  bands: {
    from: number;
    to: number;
    sales: number;
    meanConfidence: number;
    within25: number;
    mdape: number;
  }[];
  /**
   * By how many percentage points more estimates of the half with the higher confidence are within 25 %, and the percent of
   * resamples of the sales in which that is above 0.
   */
  ordering: ({ points: number; percent: number } & Range) | null;
  /**
   * Percent of resamples of the sales in which the model's MdAPE is below the other method's, and the middle 90 % of the difference;
   * null below two.
   */
  better: Record<Exclude<Method, 'model'>, ({ percent: number } & Range) | null>;
};

export type BacktestOptions = {
  /** Days since 1970-01-01, both inclusive. */
  fromDay: number;
  toDay: number;
  /** Sales of this county alone; their comps may be of any. */
  county?: number;
  onProgress?(done: number, total: number): void;
};

/** The model is fitted anew at most so often, for every n-th day of sale: the sales of the days between are valued with it, too. */
const MOST_FITS = 200;
const BANDS = [0, 20, 30, 40, 50, 60, 95];
const NEAREST = 5;
const FARTHEST_M = 200_000;
/** Bounds in acres of the buckets of market statistics that do not overlap. */
const BUCKET_BOUNDS = [0.25, 1, 2, 5, 10, 20, 40, 60, 80, 500];

type Valued = {
  price: number;
  low: number;
  high: number;
  confidence: number;
  estimates: Record<Method, number>;
};

export function backtest(comps: Comps, options: BacktestOptions): Backtest {
  const { fromDay, toDay, county, onProgress } = options;
  const usable = usableSales(comps, toDay);
  const second = secondRecords(comps, usable);
  const known = usable
    .filter(sale => !second.has(sale))
    .sort((a, b) => comps.soldDay[a]! - comps.soldDay[b]! || a - b);
  const subjects = known.filter(
    sale => comps.soldDay[sale]! >= fromDay && (county === undefined || comps.county[sale] === county),
  );
  const days = [...new Set(Array.from(subjects, sale => comps.soldDay[sale]!))];
  const fitEvery = Math.max(1, Math.ceil(days.length / MOST_FITS));
  const valued: Valued[] = [];
  let value: ReturnType<typeof createValuer> | undefined;
  let simple: ReturnType<typeof plainMethods> | undefined;
  const before = new Float64Array(subjects.length);
  let asOfDay = 0;
  let fits = 0;
  let dayIndex = -1;
  let day = Number.NEGATIVE_INFINITY;
  for (const [done, sale] of subjects.entries()) {
    if (comps.soldDay[sale]! !== day) {
      day = comps.soldDay[sale]!;
      dayIndex++;
      if (dayIndex % fitEvery === 0) {
        asOfDay = day - 1;
        fits++;
        value = createValuer(fitModel(comps, asOfDay).model);
        simple = plainMethods(comps, known, asOfDay);
        onProgress?.(done, subjects.length);
      }
    }
    before[done] = day - asOfDay;
    const subject = {
      lon: comps.lon[sale]!,
      lat: comps.lat[sale]!,
      acres: comps.acres[sale]!,
      county: comps.county[sale]!,
      land: landAt(comps.land, sale),
    };
    const valuation = value!(subject);
    const plain = simple!(subject);
    if (valuation === null || plain === null) continue;
    valued.push({
      price: comps.price[sale]!,
      low: valuation.low,
      high: valuation.high,
      confidence: valuation.confidence,
      estimates: { model: valuation.meanAdjustedPrice, ...plain },
    });
  }
  const prices = valued.map(({ price }) => price);
  const estimates = valued.map(one => one.estimates.model);
  const study = (method: Method) =>
    studyRatios(
      valued.map(({ estimates }) => estimates[method]),
      prices,
    );
  return {
    sales: subjects.length,
    valued: valued.length,
    fits,
    daysBefore: subjects.length === 0 ? null : { median: median(before.sort())!, most: before.at(-1)! },
    methods: Object.fromEntries(METHODS.map(method => [method, study(method)])) as Backtest['methods'],
    prbByChance: biasByChance(estimates, prices),
    slope: slopeOnEstimates(estimates, prices),
    ...coverageOf(valued),
    bands: bandsOf(valued),
    ordering: orderingOf(valued),
    better: compare(valued),
  };
}

/** The methods to beat, with the sales up to a day. @returns null where no sale is known yet. */
function plainMethods(comps: Comps, known: Int32Array, lastDay: number) {
  const earlier = known.filter(sale => comps.soldDay[sale]! <= lastDay);
  const ppa = (sale: number) => comps.price[sale]! / comps.acres[sale]!;
  const byBucket = new Map<string, number[]>();
  const add = (key: string, value: number) => {
    const list = byBucket.get(key);
    if (list) list.push(value);
    else byBucket.set(key, [value]);
  };
  for (const sale of earlier) {
    add(`${comps.county[sale]} ${bucketOf(comps.acres[sale]!)}`, ppa(sale));
    add(`${comps.county[sale]}`, ppa(sale));
  }
  const medians = new Map(
    [...byBucket].map(([key, values]) => [key, median(Float64Array.from(values).sort())!]),
  );
  const places = createPlaces(
    {
      count: earlier.length,
      lon: Float64Array.from(earlier, sale => comps.lon[sale]!),
      lat: Float64Array.from(earlier, sale => comps.lat[sale]!),
    },
    NEAREST,
  );
  return (subject: { lon: number; lat: number; acres: number; county: number }) => {
    const bucket =
      medians.get(`${subject.county} ${bucketOf(subject.acres)}`) ?? medians.get(`${subject.county}`);
    const found = places.find(subject.lon, subject.lat, 1, NEAREST, FARTHEST_M);
    if (bucket === undefined || found === 0) return null;
    const nearest = Array.from(places.index.subarray(0, found), entry => earlier[entry]!);
    const meanOf = (of: (sale: number) => number) => nearest.reduce((sum, sale) => sum + of(sale), 0) / found;
    return {
      county_bucket: bucket * subject.acres,
      nearest_5_ppa: meanOf(ppa) * subject.acres,
      nearest_5_price: meanOf(sale => comps.price[sale]!),
    };
  };
}

function bucketOf(acres: number): number {
  const bucket = BUCKET_BOUNDS.findIndex(bound => acres < bound);
  return bucket < 0 ? BUCKET_BOUNDS.length : bucket;
}

const errorOf = ({ price, estimates }: Valued, method: Method) => Math.abs(estimates[method] - price) / price;

function bandsOf(valued: readonly Valued[]): Backtest['bands'] {
  return BANDS.slice(1).flatMap((to, i) => {
    const from = BANDS[i]!;
    const last = i === BANDS.length - 2;
    const own = valued.filter(({ confidence }) => confidence >= from && (confidence < to || last));
    if (own.length === 0) return [];
    return {
      from,
      to,
      sales: own.length,
      meanConfidence: own.reduce((sum, { confidence }) => sum + confidence, 0) / own.length,
      within25: shareOf(own, one => errorOf(one, 'model') <= 0.25)!,
      mdape: 100 * medianError(Float64Array.from(own, one => errorOf(one, 'model'))),
    };
  });
}

/** All methods on the same resamples of the sales. */
function compare(valued: readonly Valued[]): Backtest['better'] {
  const errors = Object.fromEntries(
    METHODS.map(method => [method, Float64Array.from(valued, one => errorOf(one, method))]),
  ) as Record<Method, Float64Array>;
  const mdape = (method: Method, drawn: Int32Array) =>
    100 * medianError(Float64Array.from(drawn, i => errors[method][i]!));
  const against = (method: Method) => {
    const values = bootstrap(valued.length, drawn => mdape('model', drawn) - mdape(method, drawn));
    if (values.length === 0) return null;
    return { percent: shareOf([...values], value => value < 0)!, ...rangeOf(values) };
  };
  return {
    county_bucket: against('county_bucket'),
    nearest_5_ppa: against('nearest_5_ppa'),
    nearest_5_price: against('nearest_5_price'),
  };
}

/** How much better the half of the sales is that has the higher confidence; null below two. */
function orderingOf(valued: readonly Valued[]): Backtest['ordering'] {
  const byConfidence = [...valued].sort((a, b) => a.confidence - b.confidence);
  const hits = Float64Array.from(byConfidence, one => (errorOf(one, 'model') <= 0.25 ? 1 : 0));
  const middle = hits.length / 2;
  const gain = (drawn: ArrayLike<number>) => {
    const sums = { low: 0, lowCount: 0, high: 0, highCount: 0 };
    for (let k = 0; k < drawn.length; k++) {
      const i = drawn[k]!;
      if (i < middle) {
        sums.low += hits[i]!;
        sums.lowCount++;
      } else {
        sums.high += hits[i]!;
        sums.highCount++;
      }
    }
    return 100 * (sums.high / Math.max(1, sums.highCount) - sums.low / Math.max(1, sums.lowCount));
  };
  const values = bootstrap(hits.length, gain);
  if (values.length === 0) return null;
  return {
    points: gain(Array.from(hits, (_, i) => i)),
    ...rangeOf(values),
    percent: shareOf([...values], value => value > 0)!,
  };
}

function coverageOf(valued: readonly Valued[]): Pick<Backtest, 'coverage' | 'coverageRange'> {
  const inside = Float64Array.from(valued, ({ price, low, high }) =>
    low <= price && price <= high ? 100 : 0,
  );
  const mean = (drawn: Int32Array) => drawn.reduce((sum, i) => sum + inside[i]!, 0) / drawn.length;
  const values = bootstrap(inside.length, mean);
  return {
    coverage: shareOf([...inside], one => one > 0),
    coverageRange: values.length === 0 ? null : rangeOf(values),
  };
}

function medianError(errors: Float64Array): number {
  return median(errors.sort())!;
}

function shareOf<T>(values: readonly T[], holds: (value: T) => boolean): number | null {
  return values.length === 0 ? null : (100 * values.filter(holds).length) / values.length;
}
