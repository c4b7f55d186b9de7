import { type Calibration, calibrate } from './calibrate.ts';
import { type Effects, estimateEffects, PAIRS_PER_SALE, type Pairs } from './effects.ts';
import { createNearest, type Nearest, type Steps } from './nearest.ts';
import { usableSales, withoutOutliers } from './screen.ts';
import { createPlaces, createSurface, type Surface } from './surface.ts';
import { ACTIVE, type Comps, NO_DAY, PENDING } from './types.ts';

/** Changes with anything that moves a figure; stored with every valuation. */
export const MODEL_VERSION = '1';

export const DAYS_A_YEAR = 365.25;

/** The most comps of one estimate. */
export const MOST_COMPS = 12;

/** Sales of a county from which its effects are estimated: more make them no better than the others' noise. */
const MOST_PAIRED = 3_000;
/** Pairs farther apart than this differ in more than size and time. */
const PAIR_METRES = 10_000;

/** The ground that one step covers holds this many sales at the middle of the county's sales. */
const SALES_A_STEP = 30;
const LEAST_STEP_M = 500;
const MOST_STEP_M = 40_000;
/** A ratio of sizes of 2.2, and six years: where more would differ as much as a step on the ground. */
const STEP_LOG_ACRES = 0.8;
const STEP_DAYS = 6 * DAYS_A_YEAR;

/** Sales, or listings, as the model searches them: entry i is the comp source[i]. */
export type Market = {
  source: Int32Array;
  lon: Float64Array;
  lat: Float64Array;
  logAcres: Float64Array;
  price: Float64Array;
  logPpa: Float64Array;
  day: Int32Array;
  /** Price level of the comp's place, without the comp itself. */
  level: Float64Array;
  nearest: Nearest;
};

export type Model = {
  asOfDay: number;
  sales: Market;
  asking: Market;
  effectsOf(county: number): Effects;
  stepsOf(county: number): Steps;
  surface: Surface;
  /** What asking prices are moved by to be those of sales, as a natural logarithm. */
  askingDiscount: number;
  calibration: Calibration;
};

/**
 * What the sales known on a day tell. Nothing later than the day is looked at.
 * @param asOfDay days since 1970-01-01
 */
export function fitModel(comps: Comps, asOfDay: number): Model {
  const all = usableSales(comps, asOfDay);
  const first = estimateEffects(pairsOf(comps, all));
  const rough = (county: number) => (first.counties.get(county) ?? first.nation).elasticity;
  const kept = withoutOutliers(comps, all, rough);
  const pairs = pairsOf(comps, kept);
  const effects = estimateEffects(pairs);
  const effectsOf = (county: number) =>
    effects.counties.get(county) ?? effects.states.get(Math.floor(county / 1000)) ?? effects.nation;

  const sales = marketOf(comps, kept, i => comps.soldDay[i]!);
  const stepMetres = groundSteps(comps, kept);
  const stepsOf = (county: number): Steps => ({
    metres: stepMetres.get(county) ?? stepMetres.get(-1)!,
    logAcres: STEP_LOG_ACRES,
    days: STEP_DAYS,
  });
  const county = Int32Array.from(kept, i => comps.county[i]!);
  const value = residualsOf(sales, county, effectsOf, asOfDay);
  const { noise, spread } = variances(pairs, effectsOf, value);
  const surface = createSurface(
    { count: kept.length, lon: sales.lon, lat: sales.lat, county, value },
    of => stepsOf(of).metres,
    noise,
    spread,
  );
  for (let i = 0; i < kept.length; i++)
    sales.level[i] = surface.levelAt(sales.lon[i]!, sales.lat[i]!, county[i]!, i);

  const listed = openListings(comps, asOfDay);
  const asking = marketOf(comps, listed, () => asOfDay);
  const askingCounty = Int32Array.from(listed, i => comps.county[i]!);
  for (let i = 0; i < listed.length; i++)
    asking.level[i] = surface.levelAt(asking.lon[i]!, asking.lat[i]!, askingCounty[i]!);
  const over = residualsOf(asking, askingCounty, effectsOf, asOfDay).map((one, i) => one - asking.level[i]!);

  const model = {
    ...{ asOfDay, sales, asking, effectsOf, stepsOf, surface },
    askingDiscount: kept.length === 0 ? 0 : discountOf(over),
  };
  return { ...model, calibration: calibrate(model, county) };
}

function openListings(
  { count, lon, lat, acres, price, status, listedDay, county }: Comps,
  asOfDay: number,
): Int32Array {
  const open: number[] = [];
  for (let i = 0; i < count; i++) {
    if (status[i] !== ACTIVE && status[i] !== PENDING) continue;
    if (listedDay[i] !== NO_DAY && listedDay[i]! > asOfDay) continue;
    if (acres[i]! > 0 && price[i]! > 0 && county[i]! >= 0 && Number.isFinite(lon[i]! + lat[i]!)) open.push(i);
  }
  return Int32Array.from(open);
}

function marketOf(comps: Comps, chosen: Int32Array, dayOf: (comp: number) => number): Market {
  const column = (of: (comp: number) => number) => Float64Array.from(chosen, of);
  const lon = column(i => comps.lon[i]!);
  const lat = column(i => comps.lat[i]!);
  const logAcres = column(i => Math.log(comps.acres[i]!));
  const day = Int32Array.from(chosen, dayOf);
  return {
    ...{ source: chosen, lon, lat, logAcres, day },
    price: column(i => comps.price[i]!),
    logPpa: column(i => Math.log(comps.price[i]! / comps.acres[i]!)),
    level: new Float64Array(chosen.length),
    nearest: createNearest({ count: chosen.length, lon, lat, logAcres, day }, MOST_COMPS),
  };
}

/** Differences between each sale, the latest of a county first, and those that are nearest to it on the ground. */
function pairsOf(comps: Comps, sales: Int32Array): Pairs {
  const lon = Float64Array.from(sales, i => comps.lon[i]!);
  const lat = Float64Array.from(sales, i => comps.lat[i]!);
  const places = createPlaces({ count: sales.length, lon, lat }, PAIRS_PER_SALE);
  const most = sales.length * PAIRS_PER_SALE;
  const pairs = {
    county: new Int32Array(most),
    ppa: new Float64Array(most),
    acres: new Float64Array(most),
    years: new Float64Array(most),
    count: 0,
  };
  const taken = new Map<number, number>();
  for (let i = sales.length - 1; i >= 0; i--) {
    const a = sales[i]!;
    const already = taken.get(comps.county[a]!) ?? 0;
    if (already >= MOST_PAIRED) continue;
    taken.set(comps.county[a]!, already + 1);
    const found = places.find(lon[i]!, lat[i]!, PAIR_METRES, PAIRS_PER_SALE, 1, i);
    for (let k = 0; k < found; k++) {
      const b = sales[places.index[k]!]!;
      const acres = Math.log(comps.acres[a]! / comps.acres[b]!);
      pairs.county[pairs.count] = comps.county[a]!;
      pairs.ppa[pairs.count] = Math.log(comps.price[a]! / comps.price[b]!) - acres;
      pairs.acres[pairs.count] = acres;
      pairs.years[pairs.count] = (comps.soldDay[a]! - comps.soldDay[b]!) / DAYS_A_YEAR;
      pairs.count++;
    }
  }
  return pairs;
}

/** Metres of a step by county, and for counties without sales by -1: the median distance to the 30th nearest sale. */
function groundSteps(comps: Comps, sales: Int32Array): Map<number, number> {
  const lon = Float64Array.from(sales, i => comps.lon[i]!);
  const lat = Float64Array.from(sales, i => comps.lat[i]!);
  const wanted = Math.min(SALES_A_STEP, Math.max(1, sales.length - 1));
  const places = createPlaces({ count: sales.length, lon, lat }, wanted);
  const distances = new Map<number, number[]>();
  for (let i = 0; i < sales.length; i++) {
    const county = comps.county[sales[i]!]!;
    const own = distances.get(county) ?? [];
    if (own.length === 0) distances.set(county, own);
    if (own.length >= 200) continue;
    const found = places.find(lon[i]!, lat[i]!, 1, wanted, MOST_STEP_M, i);
    own.push(found < wanted ? MOST_STEP_M : places.steps[found - 1]!);
  }
  const bounded = (all: number[]) =>
    Math.min(MOST_STEP_M, Math.max(LEAST_STEP_M, median(all) ?? MOST_STEP_M));
  const steps = new Map([...distances].map(([county, own]) => [county, bounded(own)]));
  steps.set(-1, bounded([...steps.values()]));
  return steps;
}

function residualsOf(
  market: Market,
  county: Int32Array,
  effectsOf: Model['effectsOf'],
  asOfDay: number,
): Float64Array {
  return Float64Array.from(county, (of, i) => {
    const { elasticity, trend } = effectsOf(of);
    const years = (market.day[i]! - asOfDay) / DAYS_A_YEAR;
    return market.logPpa[i]! - elasticity * market.logAcres[i]! - trend * years;
  });
}

/** Robust variances: the noise of one sale by pairs of near ones, and what the level varies by beyond that. */
function variances(pairs: Pairs, effectsOf: Model['effectsOf'], residuals: Float64Array) {
  const differences = new Float64Array(pairs.count);
  for (let i = 0; i < pairs.count; i++) {
    const { elasticity, trend } = effectsOf(pairs.county[i]!);
    differences[i] = Math.abs(pairs.ppa[i]! - elasticity * pairs.acres[i]! - trend * pairs.years[i]!);
  }
  const noise = (1.4826 * (median([...differences]) ?? 0)) ** 2 / 2;
  const middle = median([...residuals]) ?? 0;
  const total = (1.4826 * (median([...residuals].map(one => Math.abs(one - middle))) ?? 0)) ** 2;
  return { noise, spread: Math.max(0, total - noise) };
}

/** Asking prices worth of this many listings say that they are those of sales. */
const ASKING_PRIOR = 5;

function discountOf(over: Float64Array): number {
  return (-(median([...over]) ?? 0) * over.length) / (over.length + ASKING_PRIOR);
}

function median(values: number[]): number | undefined {
  if (values.length === 0) return undefined;
  values.sort((a, b) => a - b);
  const middle = values.length >>> 1;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}
