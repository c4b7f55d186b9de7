import { max, median } from 'simple-statistics';
import { boxContains, boxOfLine, withMargin } from '../../geo/box.ts';
import { addToGroup } from '../groups.ts';
import {
  biasInterval,
  bootstrap,
  middle90,
  type Range,
  type RatioStudy,
  slopeOnEstimates,
  studyRatios,
} from '../ratio-study/ratio-study.ts';
import { opinionBefore } from './assessor.ts';
import { METHODS, type Method, plainMethods } from './baselines.ts';
import { landAt } from './land-effects.ts';
import { type CountyEstimates, fitCounty, type OtherCounties } from './model.ts';
import { MAX_STEP_M } from './pairs.ts';
import { salesUntil } from './same-sale.ts';
import { KERNEL_STEPS } from './surface.ts';
import { type Comps, MAX_COMP_M, pickComps } from './valuation-types.ts';
import { createValuer } from './value-parcel.ts';

// Values each past sale with the data known before it (L. J. Tashman, Out-of-sample tests of forecasting
// accuracy, 2000).

export type Backtest = {
  /** Number of sales in the period. The figures exclude sales that a method could not value. */
  sales: number;
  valued: number;
  /** Number of times the model was fitted. */
  fits: number;
  /** Days between each sale and the data it is valued with, for all methods; null if there are no sales. */
  daysBefore: { median: number; most: number } | null;
  methods: Record<Method, RatioStudy | null>;
  /** The PRB of unbiased estimates with errors as large as the model's. */
  prbByChance: Range | null;
  /** Slope of ln(price) on ln(estimate), which is 1 if there is no bias. */
  slope: ({ slope: number } & Range) | null;
  /** Percent of prices that are within their 80% range. */
  coverage: number | null;
  coverageRange: Range | null;
  /** Sales by the confidence of their estimates, lowest first. */
  bands: {
    from: number;
    to: number;
    sales: number;
    meanConfidence: number;
    within25: number;
    mdape: number;
  }[];
  /**
   * By how many percentage points the share of estimates within 25% is larger in the more confident half than
   * in the other half, and the percent of resamples in which it is larger.
   */
  ordering: ({ points: number; percent: number } & Range) | null;
  /**
   * Percent of resamples in which the model's MdAPE is lower, and the middle 90% of the difference; null if
   * there are fewer than two sales.
   */
  better: Record<Exclude<Method, 'model'>, ({ percent: number } & Range) | null>;
};

export type BacktestOptions = {
  /** Days since 1970-01-01, both inclusive. */
  fromDay: number;
  toDay: number;
  /** Test only sales in this county. Their comps can be in any county. */
  county?: number;
  /** Fit the model without priors from other counties. */
  alone?: boolean;
  onProgress?(done: number, total: number): void;
};

/**
 * Maximum number of fits per county. The model is fitted on every nth day that has a sale. Sales in between
 * are valued with the latest fit.
 */
const MAX_FITS = 200;
const CONFIDENCE_BANDS = [0, 20, 30, 40, 50, 60, 95];

type Valued = {
  price: number;
  low: number;
  high: number;
  confidence: number;
  estimates: Record<Method, number>;
};

/** The valued sales of a county, and the days between the data and each sale. */
type ValuedCounty = { valued: Valued[]; daysBefore: number[]; fits: number };

export function backtest(comps: Comps, options: BacktestOptions): Backtest {
  const counties = valueCounties(comps, options).map(([, one]) => one);
  return report({
    valued: counties.flatMap(({ valued }) => valued),
    daysBefore: counties.flatMap(({ daysBefore }) => daysBefore),
    fits: counties.reduce((sum, { fits }) => sum + fits, 0),
  });
}

export type CountyBacktest = { fips: number; alone: Backtest; withOthers: Backtest };

/** Backtests each county both on its own and with priors from the others. */
export function backtestByCounty(comps: Comps, options: BacktestOptions): CountyBacktest[] {
  const alone = new Map(valueCounties(comps, { ...options, alone: true }));
  return valueCounties(comps, options).map(([fips, withOthers]) => ({
    fips,
    alone: report(alone.get(fips)!),
    withOthers: report(withOthers),
  }));
}

function valueCounties(comps: Comps, options: BacktestOptions): [fips: number, ValuedCounty][] {
  const { fromDay, toDay, county, onProgress } = options;
  const byCounty = new Map<number, number[]>();
  for (const sale of salesUntil(comps, toDay).all) addToGroup(byCounty, comps.county[sale]!, sale);
  const subjectsOf = new Map(
    [...byCounty].map(([fips, own]) => [fips, own.filter(sale => comps.soldDay[sale]! >= fromDay)]),
  );
  const wanted = [...subjectsOf].filter(
    ([fips, own]) => own.length > 0 && (county === undefined || fips === county),
  );
  const total = wanted.reduce((sum, [, own]) => sum + own.length, 0);
  const around = new Map([...byCounty].map(([fips, own]) => [fips, compsAround(comps, fips, own)]));
  const othersOn = options.alone ? () => new Map() : estimatesByYear(around);
  let done = 0;
  return wanted.map(([fips, subjects]) => {
    const progress = (of: number) => onProgress?.(done + of, total);
    const one = valueSales(comps, fips, subjects, around.get(fips)!, day => othersOn(fips, day), progress);
    done += subjects.length;
    return [fips, one];
  });
}

/** @param subjects sales of the county, by day */
function valueSales(
  comps: Comps,
  county: number,
  subjects: readonly number[],
  around: Comps,
  othersOn: (day: number) => OtherCounties,
  progress: (done: number) => void,
): ValuedCounty {
  const known = salesUntil(around, comps.soldDay[subjects.at(-1)!]!).all;
  const days = [...new Set(subjects.map(sale => comps.soldDay[sale]!))];
  const fitEvery = Math.max(1, Math.ceil(days.length / MAX_FITS));
  const result: ValuedCounty = { valued: [], daysBefore: [], fits: 0 };
  let value: ReturnType<typeof createValuer> | undefined;
  let simple: ReturnType<typeof plainMethods> | undefined;
  let asOfDay = 0;
  let dayIndex = -1;
  let day = Number.NEGATIVE_INFINITY;
  for (const [done, sale] of subjects.entries()) {
    if (comps.soldDay[sale]! !== day) {
      day = comps.soldDay[sale]!;
      dayIndex++;
      if (dayIndex % fitEvery === 0) {
        asOfDay = day - 1;
        result.fits++;
        const { model } = fitCounty(around, county, asOfDay, othersOn(asOfDay));
        value = createValuer(model);
        simple = plainMethods(around, known, model);
        progress(done);
      }
    }
    result.daysBefore.push(day - asOfDay);
    const subject = {
      lon: comps.lon[sale]!,
      lat: comps.lat[sale]!,
      acres: comps.acres[sale]!,
      land: landAt(comps.land, sale),
      assessed: opinionBefore(comps, sale),
      shore: comps.shore?.[sale],
    };
    const valuation = value!(subject);
    const plain = simple!(subject);
    if (valuation === null || plain === null) continue;
    result.valued.push({
      price: comps.price[sale]!,
      low: valuation.low,
      high: valuation.high,
      confidence: valuation.confidence,
      estimates: { model: valuation.meanAdjustedPrice, ...plain },
    });
  }
  return result;
}

/** A county's comps, plus comps in other counties that may be near its sales. */
function compsAround(comps: Comps, fips: number, own: readonly number[]): Comps {
  const box = boxOfLine(own.map((sale): [number, number] => [comps.lon[sale]!, comps.lat[sale]!]));
  const near = withMargin(box, MAX_COMP_M + KERNEL_STEPS * MAX_STEP_M);
  return pickComps(
    comps,
    Array.from({ length: comps.count }, (_, i) => i).filter(
      i => comps.county[i] === fips || boxContains(near, comps.lon[i]!, comps.lat[i]!),
    ),
  );
}

/** Estimates from all other counties at the start of the year that contains a day. */
function estimatesByYear(around: ReadonlyMap<number, Comps>): (county: number, day: number) => OtherCounties {
  const years = new Map<number, Map<number, CountyEstimates>>();
  const noCounties: OtherCounties = new Map();
  return (county, day) => {
    const yearStart = Math.floor(Math.floor(day / 365.25) * 365.25);
    let all = years.get(yearStart);
    if (all === undefined) {
      all = new Map(
        [...around].map(([fips, comps]) => [fips, fitCounty(comps, fips, yearStart, noCounties).estimates]),
      );
      years.set(yearStart, all);
    }
    return new Map([...all].filter(([fips]) => fips !== county));
  };
}

function report({ valued, daysBefore, fits }: ValuedCounty): Backtest {
  const prices = valued.map(({ price }) => price);
  const estimates = valued.map(one => one.estimates.model);
  const study = (method: Method) =>
    studyRatios(
      valued.map(({ estimates }) => estimates[method]),
      prices,
    );
  return {
    sales: daysBefore.length,
    valued: valued.length,
    fits,
    daysBefore: daysBefore.length === 0 ? null : { median: median(daysBefore), most: max(daysBefore) },
    methods: Object.fromEntries(METHODS.map(method => [method, study(method)])) as Backtest['methods'],
    prbByChance: biasInterval(estimates, prices),
    slope: slopeOnEstimates(estimates, prices),
    ...coverageOf(valued),
    bands: bandsOf(valued),
    ordering: orderingOf(valued),
    better: compare(valued),
  };
}

const errorOf = ({ price, estimates }: Valued, method: Method) => Math.abs(estimates[method] - price) / price;

function bandsOf(valued: readonly Valued[]): Backtest['bands'] {
  return CONFIDENCE_BANDS.slice(1).flatMap((to, i) => {
    const from = CONFIDENCE_BANDS[i]!;
    const last = i === CONFIDENCE_BANDS.length - 2;
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

/** Compares the model with each of the other methods. */
function compare(valued: readonly Valued[]): Backtest['better'] {
  const errors = Object.fromEntries(
    METHODS.map(method => [method, Float64Array.from(valued, one => errorOf(one, method))]),
  ) as Record<Method, Float64Array>;
  const drawnErrors = new Float64Array(valued.length);
  const mdape = (method: Method, drawn: Int32Array) => {
    for (let k = 0; k < drawn.length; k++) drawnErrors[k] = errors[method][drawn[k]!]!;
    return 100 * medianError(drawnErrors);
  };
  const models: number[] = [];
  const against = (method: Method) => {
    let resample = 0;
    const values = bootstrap(valued.length, drawn => {
      // All methods use the same resamples, so compute the model's error only once for each.
      models[resample] ??= mdape('model', drawn);
      return models[resample++]! - mdape(method, drawn);
    });
    if (values.length === 0) return null;
    return { percent: shareOf([...values], value => value < 0)!, ...middle90(values) };
  };
  return Object.fromEntries(
    METHODS.flatMap(method => (method === 'model' ? [] : [[method, against(method)]])),
  ) as Backtest['better'];
}

/** How much better the more confident half is; null if there are fewer than two sales. */
export function orderingOf(
  valued: readonly (Pick<Valued, 'price' | 'confidence'> & { estimates: { model: number } })[],
): Backtest['ordering'] {
  const byConfidence = [...valued].sort((a, b) => a.confidence - b.confidence);
  const hits = Float64Array.from(byConfidence, ({ price, estimates }) =>
    Math.abs(estimates.model - price) <= 0.25 * price ? 1 : 0,
  );
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
    ...middle90(values),
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
    coverageRange: values.length === 0 ? null : middle90(values),
  };
}

const medianError = (errors: ArrayLike<number>) => median(errors as readonly number[]);

function shareOf<T>(values: readonly T[], holds: (value: T) => boolean): number | null {
  return values.length === 0 ? null : (100 * values.filter(holds).length) / values.length;
}
