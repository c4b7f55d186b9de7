import { type AskingDiscounts, estimateDiscounts } from './asking.ts';
import { type Calibration, calibrate } from './calibrate.ts';
import {
  effectsByCounty,
  estimateEffects,
  type Pairs,
  type RegionalEffects,
  standardLevel,
  withoutLand,
} from './effects.ts';
import { DAYS_A_YEAR, type Fitted, type Market, marketOf } from './market.ts';
import { groundSteps, pairsOf, placesOf } from './pairs.ts';
import { MAD_TO_SD, madOf, medianOf } from './robust.ts';
import { askedByAny, secondRecords } from './same-sale.ts';
import {
  type AskBounds,
  askBoundsOf,
  openListings,
  soundAsks,
  usableSales,
  windowsOf,
  withoutOutliers,
} from './screen.ts';
import { byCounty } from './shrink.ts';
import { createSurface, type Levels, levelsOf, type Places } from './surface.ts';
import type { Comps } from './types.ts';

/** Changes with anything that moves a figure; stored with every valuation. */
export const MODEL_VERSION = '5';

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
  askBounds: AskBounds;
  askingDiscounts: AskingDiscounts;
  calibration: Calibration;
};

export type Model = Fitted & { calibration: Calibration };

export type FittedModel = { model: Model; parameters: Parameters; outliers: ReadonlySet<number> };

/**
 * Learns from the sales known on a day. Nothing later than the day is looked at.
 * @param asOfDay days since 1970-01-01
 * @returns `outliers`: indices of the sales that were left out, second records of a sale among them
 */
export function fitModel(comps: Comps, asOfDay: number): FittedModel {
  const usable = usableSales(comps, asOfDay);
  const second = secondRecords(comps, usable);
  const all = usable.filter(sale => !second.has(sale));
  const rough = effectsByCounty(estimateEffects(pairsOf(comps, all, placesOf(comps, all))));
  const kept = withoutOutliers(comps, all, rough);
  const keptSet = new Set(kept);
  const outliers = new Set(usable.filter(sale => !keptSet.has(sale)));
  const places = placesOf(comps, kept);
  const pairs = pairsOf(comps, kept, places);
  const effects = estimateEffects(pairs);
  const sales = marketOf(comps, kept, i => comps.soldDay[i]!);
  const value = residualsOf(sales, effects, asOfDay);
  const effectsOf = effectsByCounty(effects);
  const asks = openListings(comps, asOfDay);
  const windows = windowsOf(sales, value, asOfDay);
  const uncalibrated = {
    version: MODEL_VERSION,
    asOfDay,
    effects,
    steps: [...groundSteps(comps, kept, places)],
    levels: { ...levelsOf(sales.county, value), ...variances(pairs, effects, value) },
    askBounds: askBoundsOf({ sales, effectsOf }, value, windows, { comps, asks }),
    askingDiscounts: { counties: [], states: [], nation: { log: 0, deviation: 0 } },
  };
  const fitted = createFitted(uncalibrated, comps, { sales, value, places });
  const calibration = calibrate(fitted, comps, all);
  fitted.lagOf = byCounty(calibration.lags);
  const told = { ...comps, asked: askedByAny(comps, second) };
  const askingDiscounts = estimateDiscounts(told, kept, asOfDay, premiumsOf(fitted, effects));
  return {
    model: { ...fitted, discountOf: byCounty(askingDiscounts), calibration },
    parameters: { ...uncalibrated, askingDiscounts, calibration },
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
  return { ...createFitted(parameters, comps, known), lagOf: byCounty(calibration.lags), calibration };
}

/** The sales that count, what is left of each without the effects of size and time, and where they are. */
type KnownSales = { sales: Market; value: Float64Array; places: Places };

function createFitted(
  { asOfDay, effects, steps, levels, askBounds, askingDiscounts }: Omit<Parameters, 'calibration'>,
  comps: Comps,
  { sales, value, places }: KnownSales,
): Fitted {
  const effectsOf = effectsByCounty(effects);
  const asks = soundAsks({ comps, asks: openListings(comps, asOfDay) }, askBounds, effectsOf);
  const metres = new Map(steps);
  const stepMetres = (county: number) => metres.get(county) ?? metres.get(-1)!;
  const surface = createSurface({ county: sales.county, value }, levels, stepMetres, places);
  return {
    asOfDay,
    sales,
    asking: marketOf(comps, asks, () => asOfDay),
    surface,
    discountOf: byCounty(askingDiscounts),
    lagOf: () => 0,
    levelOf(market, entry) {
      const known = market.level[entry]!;
      if (!Number.isNaN(known)) return known;
      const level = surface.levelAt(market.lon[entry]!, market.lat[entry]!, market.county[entry]!);
      market.level[entry] = level;
      return level;
    },
    effectsOf,
    stepsOf: county => ({ metres: stepMetres(county), logAcres: STEP_LOG_ACRES, days: STEP_DAYS }),
  };
}

function residualsOf(market: Market, effects: RegionalEffects, asOfDay: number): Float64Array {
  const effectsOf = effectsByCounty(effects);
  return Float64Array.from(market.county, (county, i) => {
    const years = (market.day[i]! - asOfDay) / DAYS_A_YEAR;
    return standardLevel(effectsOf(county), market.logPpa[i]!, market.logAcres[i]!, years, market.land, i);
  });
}

/** Robust variances: the noise of one sale by pairs of near ones, and what the level varies by beyond that. */
function variances(pairs: Pairs, effects: RegionalEffects, residuals: Float64Array) {
  const effectsOf = effectsByCounty(effects);
  const ppa = withoutLand(pairs, county => effectsOf(county).land);
  const differences = new Float64Array(pairs.count);
  for (let i = 0; i < pairs.count; i++) {
    const { elasticity, trend } = effectsOf(pairs.county[i]!);
    differences[i] = Math.abs(ppa[i]! - elasticity * pairs.acres[i]! - trend * pairs.years[i]!);
  }
  const noise = (MAD_TO_SD * (medianOf(differences) ?? 0)) ** 2 / 2;
  const total = (MAD_TO_SD * (madOf(residuals) ?? 0)) ** 2;
  return { noise, spread: Math.max(0, total - noise) };
}

/** What each listing asks above the level of sales at its place; nothing is known without sales. */
function premiumsOf(
  { asking, asOfDay, levelOf, sales, lagOf }: Fitted,
  effects: RegionalEffects,
): Float64Array {
  if (sales.source.length === 0) return new Float64Array();
  return residualsOf(asking, effects, asOfDay).map(
    (one, i) => one - levelOf(asking, i) + lagOf(asking.county[i]!),
  );
}
