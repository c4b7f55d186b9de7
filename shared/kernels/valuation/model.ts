import { countBelow } from '../groups.ts';
import { discountOf, ratioByPremiums, ratioOf } from './asking.ts';
import { opinionsOn } from './assessor.ts';
import { type Calibration, calibrate, errorSizeOf, holdOut } from './calibrate.ts';
import {
  type EffectEstimates,
  type Effects,
  type ExpectedEffects,
  estimateEffects,
  PRIOR,
  PRIOR_EFFECTS,
  standardLevel,
  withoutLand,
} from './effects.ts';
import { prepareKriging } from './kriging.ts';
import { countyLevels, reachOfCounties, withoutLevels } from './level.ts';
import type { Steps } from './nearest.ts';
import { groundStep, type Pairs, pairsOf, pairsUntil, placesOf } from './pairs.ts';
import { type PriceIndex, priceIndexOf } from './price-index.ts';
import { PAIRS_PER_SALE } from './regress.ts';
import { deviationOf, madOf, medianOf } from './robust.ts';
import { type KnownSales, lastAskingPrices, salesUntil } from './same-sale.ts';
import { PRIOR_ERROR_SIZE } from './scale.ts';
import { openListings, plausibleListings, withoutOutliers } from './screen.ts';
import { type FittedMarket, type Market, marketOf } from './select.ts';
import { type Estimate, priorFromCounties } from './shrink.ts';
import { createSurface, KERNEL_STEPS, type Places } from './surface.ts';
import { inAnyYear, logAt, ownChanges } from './time-curve.ts';
import { type Comps, DAYS_PER_YEAR, MAX_STEPS } from './valuation-types.ts';

/** Stored with every valuation. Increment it when any figure changes. */
export const MODEL_VERSION = '13';

/**
 * One step is a size ratio of 55, or three years. For sales in Washington, NH, the results hardly depend on
 * these values. With smaller ratios, larger lots can cost less where large comps were cheap.
 */
const STEP_LOG_ACRES = 4;
const STEP_DAYS = 3 * DAYS_PER_YEAR;
/**
 * Where ln(price) rises by less than this per unit of ln(acres), steps of size are longer, so that estimates
 * don't fall.
 */
const MIN_RISE = 0.21;

/** Estimates from a county's own sales, used as priors for other counties; null if there are none. */
export type CountyEstimates = {
  effects: EffectEstimates;
  /** Change of ln(price) by year. */
  changes: Record<number, Estimate>;
  /** ln(sale price / asking price). */
  ratio: Estimate | null;
  /** Mean of ln |error| of estimates. */
  errorSize: Estimate | null;
};

export type Model = FittedMarket & { calibration: Calibration };

export type FittedCounty = {
  model: Model;
  /** The sales known on the day. */
  known: KnownSales;
  outliers: ReadonlySet<number>;
  /** Of the county's own sales alone. */
  readonly estimates: CountyEstimates;
  priceIndex(): PriceIndex | null;
};

/** By FIPS code, excluding the county being fitted. */
export type OtherCounties = ReadonlyMap<number, CountyEstimates>;

/**
 * Fits the market of a county as of a day (since 1970-01-01), using no later data.
 * @param stored comps of the county and of nearby counties
 * @returns `outliers`: indices of excluded sales, including duplicate records
 */
export function fitCounty(
  stored: Comps,
  county: number,
  asOfDay: number,
  others: OtherCounties,
): FittedCounty {
  const comps = { ...stored, assessed: opinionsOn(stored, asOfDay) };
  const known = salesUntil(comps, asOfDay);
  const { usable, second, all } = known;
  const firstDay = all.reduce((least, sale) => Math.min(least, comps.soldDay[sale]!), asOfDay);
  const allPairs = pairsOf(comps, all, placesOf(comps, all), county);
  const rough = estimateEffects(allPairs, PRIOR, { firstDay, asOfDay }).effects;
  const kept = withoutOutliers(comps, all, rough);
  const keptSet = new Set(kept);
  const outliers = new Set(usable.filter(sale => !keptSet.has(sale)));
  const places = placesOf(comps, kept);
  const pairs = pairsOf(comps, kept, places, county);
  const sales = marketOf(comps, kept, true, i => comps.soldDay[i]!);
  const logAcres = STEP_LOG_ACRES * Math.max(1, MIN_RISE / (1 + rough.elasticity));
  const steps = { meters: stepOf(comps, kept, county), logAcres, days: STEP_DAYS };
  const expected = expectations(others, county);
  const krige = prepareKriging({ ...sales, count: kept.length }, county, asOfDay, steps);
  const input: FitInput = { firstDay, comps, county, asOfDay, pairs, places, sales, steps, krige };

  const { fitted, estimates } = build(input, expected);
  const heldOut = holdOut(fitted, earlierMarkets(input, expected, fitted), comps, all);
  Object.assign(fitted, heldOut.learned);
  const ratio = ratioOf({ ...comps, asked: lastAskingPrices(comps, second) }, kept, county, asOfDay);
  fitted.discount = discountOf(ratio, expected.ratio(ratioByPremiums(premiumsOf(fitted))));
  return {
    model: { ...fitted, calibration: calibrate(heldOut, expected.errorSize, fitted.levels) },
    known,
    outliers,
    get estimates() {
      if (fitted.levels.sales === 0)
        return { effects: estimates.map(() => null), changes: {}, ratio: ratio.estimate, errorSize: null };
      if (others.size === 0)
        return {
          effects: estimates,
          changes: changesOf(fitted),
          ratio: ratio.estimate,
          errorSize: errorSizeOf(heldOut),
        };
      const alone = build(input, PRIOR);
      const earlier = earlierMarkets(input, PRIOR, alone.fitted);
      const errorSize = errorSizeOf(holdOut(alone.fitted, earlier, comps, all));
      return { effects: alone.estimates, changes: changesOf(alone.fitted), ratio: ratio.estimate, errorSize };
    },
    priceIndex() {
      const own = kept.filter(sale => comps.county[sale] === county);
      return priceIndexOf(fitted.effects.time, own.length);
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
  const effects = PRIOR_EFFECTS.map((prior, k) => expect(({ effects }) => effects[k], prior));
  const years = new Set([...others.values()].flatMap(({ changes }) => Object.keys(changes).map(Number)));
  return {
    effects,
    changes: new Map(
      [...years].map(year => [year, expect(({ changes }) => changes[year], inAnyYear(effects[1]!))]),
    ),
    ratio: (prior: Estimate) => expect(({ ratio }) => ratio, prior),
    errorSize: expect(({ errorSize }) => errorSize, PRIOR_ERROR_SIZE),
  };
}

type FitInput = {
  firstDay: number;
  comps: Comps;
  county: number;
  asOfDay: number;
  pairs: Pairs;
  places: Places;
  sales: Market;
  steps: Steps;
  krige: ReturnType<typeof prepareKriging>;
};

const changesOf = ({ effects }: FittedMarket) =>
  Object.fromEntries(ownChanges(effects.time, PRIOR_EFFECTS[1]!));

function build(
  { firstDay, comps, county, asOfDay, pairs, places, sales, steps, krige }: FitInput,
  expected: ExpectedEffects,
  until?: number,
) {
  const { estimates, effects } = estimateEffects(pairs, expected, { firstDay, asOfDay });
  const value = residualsOf(sales, effects);
  const { noise, total } = variancesOf(pairs, effects, sales, value, county);
  const levels = countyLevels(sales.county, value, county, total);
  const residuals = { county: sales.county, value, levels, noise, spread: Math.max(0, total - noise) };
  const surface = createSurface(residuals, steps.meters, places);
  const asks = plausibleListings(comps, openListings(comps, asOfDay), sales, value, effects, asOfDay);
  const level = new Float64Array(sales.source.length).fill(Number.NaN);
  const fitted: FittedMarket = {
    county,
    asOfDay,
    sales: { ...sales, level },
    asking: marketOf(comps, asks, false, () => asOfDay),
    effects,
    steps,
    levels,
    surface,
    kriging: krige({ elasticity: expected.effects[0]!.value, time: effects.time }, until),
    isCovered: levels.sales > 0 ? () => true : reachOfCounties(sales),
    discount: { log: 0, deviation: 0 },
    opinion: 0,
    neighborhoodShare: 0,
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

/** With more sales, a single one hardly changes the effects. */
const MANY_SALES = 200;
/** Effects are estimated again when a market has grown by this factor. */
const GROWTH = 1.5;

/**
 * The market with the effects that were known at the end of a day, so that a past sale is not valued with
 * effects that were fitted to it.
 */
function earlierMarkets(
  known: FitInput,
  expected: ExpectedEffects,
  latest: FittedMarket,
): (day: number) => FittedMarket {
  const { sales, county, pairs } = known;
  const days = sales.day.filter((_, i) => sales.county[i] === county).sort();
  const markets = new Map<number, FittedMarket>();
  return day => {
    const count = countBelow(days, day, true);
    if (days.length === 0 || count >= MANY_SALES) return latest;
    const seen = count === 0 ? 0 : Math.floor(GROWTH ** Math.floor(Math.log(count) / Math.log(GROWTH)));
    let market = markets.get(seen);
    if (market === undefined) {
      const until = seen === 0 ? Number.NEGATIVE_INFINITY : days[seen - 1]!;
      market = build({ ...known, pairs: pairsUntil(pairs, until) }, expected, until).fitted;
      markets.set(seen, market);
    }
    return market;
  };
}

function residualsOf(market: Market, effects: Effects): Float64Array {
  return market.logPpa.map((logPpa, i) => {
    return standardLevel(effects, logPpa, market.logAcres[i]!, market.day[i]!, market, i);
  });
}

/** Prior standard deviation of a sale around the level at its location. */
const PRIOR_NOISE = 0.5;

/**
 * Robust variances: the noise of one sale, measured on pairs of nearby sales, and the total variance around
 * the level of the county, or of each nearby county.
 */
function variancesOf(pairs: Pairs, effects: Effects, { county }: Market, value: Float64Array, fips: number) {
  const ppa = withoutLand(pairs, effects);
  const differences = Array.from({ length: pairs.count }, (_, i) =>
    Math.abs(
      ppa[i]! -
        effects.elasticity * pairs.acres[i]! -
        (logAt(effects.time, pairs.days[2 * i]!) - logAt(effects.time, pairs.days[2 * i + 1]!)),
    ),
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
function premiumsOf({ asking, asOfDay, effects, levelOf, sales }: FittedMarket): Float64Array {
  if (sales.source.length === 0) return new Float64Array();
  return residualsOf(asking, effects).map((one, i) => one - levelOf(asking, i, asOfDay));
}
