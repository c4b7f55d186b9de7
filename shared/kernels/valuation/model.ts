import { discountOf, ratioByPremiums, ratioOf } from './asking.ts';
import { type Calibration, calibrate, errorSizeOf, holdOut } from './calibrate.ts';
import {
  type EffectEstimates,
  type Effects,
  estimateEffects,
  PRIOR_EFFECTS,
  standardLevel,
  withoutLand,
} from './effects.ts';
import { countyLevels, reachOfCounties, withoutLevels } from './level.ts';
import { groundStep, type Pairs, pairsOf, placesOf } from './pairs.ts';
import { type PriceIndex, priceIndexOf } from './price-index.ts';
import { PAIRS_PER_SALE } from './regress.ts';
import { deviationOf, madOf, medianOf } from './robust.ts';
import { lastAskingPrices, salesUntil } from './same-sale.ts';
import { PRIOR_ERROR_SIZE } from './scale.ts';
import { openListings, plausibleListings, withoutOutliers } from './screen.ts';
import { type FittedMarket, type Market, marketOf } from './select.ts';
import { type Estimate, priorFromCounties } from './shrink.ts';
import { createSurface, KERNEL_STEPS, type Places } from './surface.ts';
import { type Comps, DAYS_PER_YEAR, MAX_STEPS } from './valuation-types.ts';

/** Stored with every valuation. Increment it when any figure changes. */
export const MODEL_VERSION = '9';

/**
 * One step is a size ratio of 2.7, or three years. For sales in Washington, NH, the results hardly depend on
 * these values.
 */
const STEP_LOG_ACRES = 1;
const STEP_DAYS = 3 * DAYS_PER_YEAR;

/** Estimates from a county's own sales, used as priors for other counties; null if there are none. */
export type CountyEstimates = {
  effects: EffectEstimates;
  /** ln(sale price / asking price). */
  ratio: Estimate | null;
  /** Mean of ln |error| of estimates. */
  errorSize: Estimate | null;
};

export type Model = FittedMarket & { calibration: Calibration };

export type FittedCounty = {
  model: Model;
  estimates: CountyEstimates;
  outliers: ReadonlySet<number>;
  priceIndex(): PriceIndex | null;
};

/** By FIPS code, excluding the county being fitted. */
export type OtherCounties = ReadonlyMap<number, CountyEstimates>;

/**
 * Fits the market of a county as of a day (since 1970-01-01), using no later data.
 * @param comps comps of the county and of nearby counties
 * @returns `outliers`: indices of excluded sales, including duplicate records
 */
export function fitCounty(
  comps: Comps,
  county: number,
  asOfDay: number,
  others: OtherCounties,
): FittedCounty {
  const { usable, second, all } = salesUntil(comps, asOfDay);
  const rough = estimateEffects(pairsOf(comps, all, placesOf(comps, all), county), PRIOR_EFFECTS).effects;
  const kept = withoutOutliers(comps, all, rough);
  const keptSet = new Set(kept);
  const outliers = new Set(usable.filter(sale => !keptSet.has(sale)));
  const places = placesOf(comps, kept);
  const pairs = pairsOf(comps, kept, places, county);
  const sales = marketOf(comps, kept, true, i => comps.soldDay[i]!);
  const meters = stepOf(comps, kept, county);
  const known: FitInput = { comps, county, asOfDay, pairs, places, sales, meters };

  const alone = build(known, PRIOR_EFFECTS);
  const ratio = ratioOf({ ...comps, asked: lastAskingPrices(comps, second) }, kept, county, asOfDay);
  const heldOutAlone = holdOut(alone.fitted, comps, all);
  const estimates = {
    effects: alone.fitted.levels.sales === 0 ? alone.estimates.map(() => null) : alone.estimates,
    ratio: ratio.estimate,
    errorSize: alone.fitted.levels.sales === 0 ? null : errorSizeOf(heldOutAlone),
  };
  const expected = expectations(others, county);
  const { fitted } = others.size === 0 ? alone : build(known, expected.effects);
  const heldOut = others.size === 0 ? heldOutAlone : holdOut(fitted, comps, all);
  fitted.lag = heldOut.lag;
  fitted.opinion = heldOut.opinion;
  fitted.weightSteps = heldOut.weightSteps;
  fitted.discount = discountOf(ratio, expected.ratio(ratioByPremiums(premiumsOf(fitted))));
  return {
    model: { ...fitted, calibration: calibrate(heldOut, expected.errorSize, fitted.levels) },
    estimates,
    outliers,
    priceIndex() {
      const { elasticity, land } = fitted.effects;
      const y = withoutLand(pairs, land).map((ppa, i) => ppa - elasticity * pairs.acres[i]!);
      const own = kept.filter(sale => comps.county[sale] === county);
      return priceIndexOf(
        pairs,
        y,
        own.map(sale => comps.soldDay[sale]!),
        asOfDay,
      );
    },
  };
}

/**
 * The distance from a county within which comps affect its estimates (`compM`), and the distance from a comp
 * within which sales affect the price level there (`levelM`). Both include a small margin.
 */
export function reachOf(comps: Comps, county: number, asOfDay: number): { compM: number; levelM: number } {
  const meters = 1.1 * stepOf(comps, salesUntil(comps, asOfDay).all, county);
  return { compM: MAX_STEPS * meters, levelM: KERNEL_STEPS * meters };
}

/** Meters per step in a county, measured on its own sales. */
function stepOf(comps: Comps, sales: Int32Array, county: number): number {
  const own = sales.filter(sale => comps.county[sale] === county);
  const lon = Float64Array.from(own, i => comps.lon[i]!);
  const lat = Float64Array.from(own, i => comps.lat[i]!);
  return groundStep(placesOf(comps, own), lon, lat);
}

/** Priors for a county, estimated from the other counties. */
function expectations(others: OtherCounties, county: number) {
  const expect = (of: (estimates: CountyEstimates) => Estimate | null | undefined, prior: Estimate) => {
    const known = [...others].flatMap(([fips, estimates]): [number, Estimate][] => {
      const estimate = of(estimates);
      return estimate ? [[fips, estimate]] : [];
    });
    return priorFromCounties(new Map(known), county, prior);
  };
  return {
    effects: PRIOR_EFFECTS.map((prior, k) => expect(({ effects }) => effects[k], prior)),
    ratio: (prior: Estimate) => expect(({ ratio }) => ratio, prior),
    errorSize: expect(({ errorSize }) => errorSize, PRIOR_ERROR_SIZE),
  };
}

type FitInput = {
  comps: Comps;
  county: number;
  asOfDay: number;
  pairs: Pairs;
  places: Places;
  sales: Market;
  meters: number;
};

function build(
  { comps, county, asOfDay, pairs, places, sales, meters }: FitInput,
  expected: readonly Estimate[],
) {
  const { estimates, effects } = estimateEffects(pairs, expected);
  const value = residualsOf(sales, effects, asOfDay);
  const { noise, total } = variancesOf(pairs, effects, sales, value, county);
  const levels = countyLevels(sales.county, value, county, total);
  const residuals = { county: sales.county, value, levels, noise, spread: Math.max(0, total - noise) };
  const surface = createSurface(residuals, meters, places);
  const asks = plausibleListings(comps, openListings(comps, asOfDay), sales, value, effects, asOfDay);
  const level = new Float64Array(sales.source.length).fill(Number.NaN);
  const fitted: FittedMarket = {
    county,
    asOfDay,
    sales: { ...sales, level },
    asking: marketOf(comps, asks, false, () => asOfDay),
    effects,
    steps: { meters, logAcres: STEP_LOG_ACRES, days: STEP_DAYS },
    levels,
    surface,
    isCovered: levels.sales > 0 ? () => true : reachOfCounties(sales),
    discount: { log: 0, deviation: 0 },
    lag: 0,
    opinion: 0,
    weightSteps: 1,
    levelOf({ level, lon, lat, county }, entry, day) {
      const known = day === asOfDay ? level[entry]! : Number.NaN;
      if (!Number.isNaN(known)) return known;
      const computed = surface.levelAt(lon[entry]!, lat[entry]!, county[entry]!, day);
      if (day === asOfDay) level[entry] = computed;
      return computed;
    },
  };
  return { estimates, fitted };
}

function residualsOf(market: Market, effects: Effects, asOfDay: number): Float64Array {
  return market.logPpa.map((logPpa, i) => {
    const years = (market.day[i]! - asOfDay) / DAYS_PER_YEAR;
    return standardLevel(effects, logPpa, market.logAcres[i]!, years, market.land, i);
  });
}

/** Prior standard deviation of a sale around the level at its location. */
const PRIOR_NOISE = 0.5;

/**
 * Robust variances: the noise of one sale, measured on pairs of nearby sales, and the total variance around
 * the level of the county, or of each nearby county.
 */
function variancesOf(pairs: Pairs, effects: Effects, { county }: Market, value: Float64Array, fips: number) {
  const ppa = withoutLand(pairs, effects.land);
  const differences = Array.from({ length: pairs.count }, (_, i) =>
    Math.abs(ppa[i]! - effects.elasticity * pairs.acres[i]! - effects.trend * pairs.years[i]!),
  );
  const own = value.filter((_, i) => county[i] === fips);
  const deviations = own.length > 0 ? own : withoutLevels(county, value);
  const ofPairs = deviationOf(
    medianOf(differences) ?? 0,
    pairs.count / PAIRS_PER_SALE,
    Math.SQRT2 * PRIOR_NOISE,
  );
  const noise = ofPairs ** 2 / 2;
  const total = deviationOf(madOf(deviations) ?? 0, deviations.length, PRIOR_NOISE) ** 2;
  return { noise, total };
}

/** Premium of each listing over the level of sales at its location; empty if there are no sales. */
function premiumsOf({ asking, asOfDay, effects, levelOf, sales, lag }: FittedMarket): Float64Array {
  if (sales.source.length === 0) return new Float64Array();
  return residualsOf(asking, effects, asOfDay).map((one, i) => one - levelOf(asking, i, asOfDay) + lag);
}
