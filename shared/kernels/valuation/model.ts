import { type Calibration, calibrate } from './calibrate.ts';
import { effectsByCounty, estimateEffects, type Pairs, type RegionalEffects } from './effects.ts';
import { DAYS_A_YEAR, type Fitted, type Market, marketOf } from './market.ts';
import { middleOf } from './middle.ts';
import { groundSteps, pairsOf, placesOf } from './pairs.ts';
import { usableSales, withoutOutliers } from './screen.ts';
import { createSurface, type Levels, levelsOf, type Places } from './surface.ts';
import { ACTIVE, type Comps, NO_DAY, PENDING } from './types.ts';

/** Changes with anything that moves a figure; stored with every valuation. */
export const MODEL_VERSION = '2';

/**
 * A ratio of sizes of 2.7, and three years. On the 95 sales of land in Washington NH from 2012 on every choice of 0.8 to 1.2,
 * 2 to 10 years and 30 to 60 sales a step has a median error of 35 to 42 %: nothing hangs on the figure.
 */
const STEP_LOG_ACRES = 1;
const STEP_DAYS = 3 * DAYS_A_YEAR;

/**
 * What the whole market tells, as JSON: with it and the comps around, a few parcels are valued as they would be with all
 * comps at hand.
 */
export type Parameters = {
  version: string;
  /** Days since 1970-01-01. */
  asOfDay: number;
  effects: RegionalEffects;
  /** Metres of a step by county; -1 for counties without sales. */
  steps: [fips: number, metres: number][];
  levels: Levels;
  /** What asking prices are moved by to be those of sales, as a natural logarithm. */
  askingDiscount: number;
  calibration: Calibration;
};

export type Model = Fitted & { calibration: Calibration };

export type FittedModel = { model: Model; parameters: Parameters; outliers: ReadonlySet<number> };

/**
 * Learns from the sales known on a day. Nothing later than the day is looked at.
 * @param asOfDay days since 1970-01-01
 * @returns `outliers`: indices of the sales that were left out
 */
export function fitModel(comps: Comps, asOfDay: number): FittedModel {
  const all = usableSales(comps, asOfDay);
  const rough = effectsByCounty(estimateEffects(pairsOf(comps, all, placesOf(comps, all))));
  const kept = withoutOutliers(comps, all, county => rough(county).elasticity);
  const keptSet = new Set(kept);
  const outliers = new Set(all.filter(sale => !keptSet.has(sale)));
  const places = placesOf(comps, kept);
  const pairs = pairsOf(comps, kept, places);
  const effects = estimateEffects(pairs);
  const sales = marketOf(comps, kept, i => comps.soldDay[i]!);
  const value = residualsOf(sales, effects, asOfDay);
  const uncalibrated = {
    version: MODEL_VERSION,
    asOfDay,
    effects,
    steps: [...groundSteps(comps, kept, places)],
    levels: { ...levelsOf(sales.county, value), ...variances(pairs, effects, value) },
    askingDiscount: 0,
  };
  const fitted = createFitted(uncalibrated, comps, { sales, value, places });
  if (kept.length > 0) fitted.askingDiscount = discountOf(fitted, effects);
  const calibration = calibrate(fitted);
  return {
    model: { ...fitted, lag: calibration.lag, calibration },
    parameters: { ...uncalibrated, askingDiscount: fitted.askingDiscount, calibration },
    outliers,
  };
}

/**
 * The model again, for parcels whose surroundings the comps cover: a part of those that it was fitted to, in the same
 * order.
 * @param outliers their indices in these comps
 */
export function restoreModel(parameters: Parameters, comps: Comps, outliers: ReadonlySet<number>): Model {
  const kept = usableSales(comps, parameters.asOfDay).filter(sale => !outliers.has(sale));
  const { asOfDay, effects, calibration } = parameters;
  const sales = marketOf(comps, kept, i => comps.soldDay[i]!);
  const value = residualsOf(sales, effects, asOfDay);
  const known = { sales, value, places: placesOf(comps, kept) };
  return { ...createFitted(parameters, comps, known), lag: calibration.lag, calibration };
}

/** The sales that count, what is left of each without the effects of size and time, and where they are. */
type KnownSales = { sales: Market; value: Float64Array; places: Places };

function createFitted(
  { asOfDay, effects, steps, levels, askingDiscount }: Omit<Parameters, 'calibration'>,
  comps: Comps,
  { sales, value, places }: KnownSales,
): Fitted {
  const metres = new Map(steps);
  const stepMetres = (county: number) => metres.get(county) ?? metres.get(-1)!;
  const surface = createSurface({ county: sales.county, value }, levels, stepMetres, places);
  return {
    asOfDay,
    sales,
    asking: marketOf(comps, openListings(comps, asOfDay), () => asOfDay),
    surface,
    askingDiscount,
    lag: 0,
    levelOf(market, entry) {
      const known = market.level[entry]!;
      if (!Number.isNaN(known)) return known;
      const own = market === sales ? entry : -1;
      const level = surface.levelAt(market.lon[entry]!, market.lat[entry]!, market.county[entry]!, own);
      market.level[entry] = level;
      market.levelReachM[entry] = surface.reachM;
      return level;
    },
    effectsOf: effectsByCounty(effects),
    stepsOf: county => ({ metres: stepMetres(county), logAcres: STEP_LOG_ACRES, days: STEP_DAYS }),
  };
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

function residualsOf(market: Market, effects: RegionalEffects, asOfDay: number): Float64Array {
  const effectsOf = effectsByCounty(effects);
  return Float64Array.from(market.county, (county, i) => {
    const { elasticity, trend } = effectsOf(county);
    const years = (market.day[i]! - asOfDay) / DAYS_A_YEAR;
    return market.logPpa[i]! - elasticity * market.logAcres[i]! - trend * years;
  });
}

/** Robust variances: the noise of one sale by pairs of near ones, and what the level varies by beyond that. */
function variances(pairs: Pairs, effects: RegionalEffects, residuals: Float64Array) {
  const effectsOf = effectsByCounty(effects);
  const differences = new Float64Array(pairs.count);
  for (let i = 0; i < pairs.count; i++) {
    const { elasticity, trend } = effectsOf(pairs.county[i]!);
    differences[i] = Math.abs(pairs.ppa[i]! - elasticity * pairs.acres[i]! - trend * pairs.years[i]!);
  }
  const noise = (1.4826 * (middleOf(differences) ?? 0)) ** 2 / 2;
  const middle = middleOf(residuals) ?? 0;
  const total = (1.4826 * (middleOf(residuals.map(one => Math.abs(one - middle))) ?? 0)) ** 2;
  return { noise, spread: Math.max(0, total - noise) };
}

/** Asking prices worth of this many listings say that they are those of sales. */
const ASKING_PRIOR = 5;

/** Never a premium: where listings seem to ask less than sales fetch, they are of another kind of land. */
function discountOf({ asking, asOfDay, levelOf }: Fitted, effects: RegionalEffects): number {
  const over = residualsOf(asking, effects, asOfDay).map((one, i) => one - levelOf(asking, i));
  const premium = Math.max(0, middleOf(over) ?? 0);
  return (-premium * over.length) / (over.length + ASKING_PRIOR);
}
