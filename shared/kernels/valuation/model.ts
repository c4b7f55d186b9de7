import { discountOf, ratioByPremiums, ratioOf } from './asking.ts';
import { type Calibration, calibrate, errorSizeOf, holdOut } from './calibrate.ts';
import {
  type EffectEstimates,
  type Effects,
  estimateEffects,
  KNOWN_EFFECTS,
  standardLevel,
  withoutLand,
} from './effects.ts';
import { countyLevels, reachOfCounties, withoutLevels } from './level.ts';
import { groundStep, type Pairs, pairsOf, placesOf } from './pairs.ts';
import { PAIRS_PER_SALE } from './regress.ts';
import { deviationOf, madOf, medianOf } from './robust.ts';
import { askedByAny, knownSales } from './same-sale.ts';
import { KNOWN_SIZE } from './scale.ts';
import { openListings, soundAsks, withoutOutliers } from './screen.ts';
import { type Fitted, type Market, marketOf } from './select.ts';
import { type Estimate, expectFrom } from './shrink.ts';
import { createSurface, LEVEL_STEPS, type Places } from './surface.ts';
import { type Comps, DAYS_A_YEAR, MOST_STEPS } from './valuation-types.ts';

/** Changes with anything that moves a figure; stored with every valuation. */
export const MODEL_VERSION = '8';

/** A ratio of sizes of 2.7, and three years: on sales of Washington NH little depends on the figures. */
const STEP_LOG_ACRES = 1;
const STEP_DAYS = 3 * DAYS_A_YEAR;

/** What a county's sales say by themselves, for others to expect of theirs; null where they say nothing. */
export type CountyEstimates = {
  effects: EffectEstimates;
  /** ln(sale price over asking price). */
  ratio: Estimate | null;
  /** Mean of ln |error| of estimates. */
  errorSize: Estimate | null;
};

export type Model = Fitted & { calibration: Calibration };

export type FittedCounty = { model: Model; estimates: CountyEstimates; outliers: ReadonlySet<number> };

/** By county, the one that is fitted not among them. */
export type Others = ReadonlyMap<number, CountyEstimates>;

/**
 * Learns what the market of a county was on a day (since 1970-01-01). Nothing later is looked at. @param
 * comps of the county, and of others nearby
 * @returns `outliers`: indices of the sales that were left out, second records of a sale among them
 */
export function fitCounty(comps: Comps, county: number, asOfDay: number, others: Others): FittedCounty {
  const { usable, second, all } = knownSales(comps, asOfDay);
  const rough = estimateEffects(pairsOf(comps, all, placesOf(comps, all), county), KNOWN_EFFECTS).effects;
  const kept = withoutOutliers(comps, all, rough);
  const keptSet = new Set(kept);
  const outliers = new Set(usable.filter(sale => !keptSet.has(sale)));
  const places = placesOf(comps, kept);
  const pairs = pairsOf(comps, kept, places, county);
  const sales = marketOf(comps, kept, true, i => comps.soldDay[i]!);
  const metres = stepOf(comps, kept, county);
  const known: Known = { comps, county, asOfDay, pairs, places, sales, metres };

  const alone = build(known, KNOWN_EFFECTS);
  const ratio = ratioOf({ ...comps, asked: askedByAny(comps, second) }, kept, county, asOfDay);
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
  fitted.discount = discountOf(ratio, expected.ratio(ratioByPremiums(premiumsOf(fitted))));
  return {
    model: { ...fitted, calibration: calibrate(heldOut, expected.errorSize, fitted.levels) },
    estimates,
    outliers,
  };
}

/**
 * How far from a county a comp can be that matters to it, or to the price level of a comp's place: a
 * little more than enough.
 */
export function reachOf(comps: Comps, county: number, asOfDay: number): { compM: number; levelM: number } {
  const metres = 1.1 * stepOf(comps, knownSales(comps, asOfDay).all, county);
  return { compM: MOST_STEPS * metres, levelM: LEVEL_STEPS * metres };
}

/** Metres of a step of a county, by its own sales. */
function stepOf(comps: Comps, sales: Int32Array, county: number): number {
  const own = sales.filter(sale => comps.county[sale] === county);
  const lon = Float64Array.from(own, i => comps.lon[i]!);
  const lat = Float64Array.from(own, i => comps.lat[i]!);
  return groundStep(placesOf(comps, own), lon, lat);
}

/** What the other counties let expect of one. */
function expectations(others: Others, county: number) {
  const expect = (of: (estimates: CountyEstimates) => Estimate | null | undefined, known: Estimate) => {
    const told = [...others].flatMap(([fips, estimates]): [number, Estimate][] => {
      const estimate = of(estimates);
      return estimate ? [[fips, estimate]] : [];
    });
    return expectFrom(new Map(told), county, known);
  };
  return {
    effects: KNOWN_EFFECTS.map((known, k) => expect(({ effects }) => effects[k], known)),
    ratio: (known: Estimate) => expect(({ ratio }) => ratio, known),
    errorSize: expect(({ errorSize }) => errorSize, KNOWN_SIZE),
  };
}

type Known = {
  comps: Comps;
  county: number;
  asOfDay: number;
  pairs: Pairs;
  places: Places;
  sales: Market;
  metres: number;
};

function build(
  { comps, county, asOfDay, pairs, places, sales, metres }: Known,
  expected: readonly Estimate[],
) {
  const { estimates, effects } = estimateEffects(pairs, expected);
  const value = residualsOf(sales, effects, asOfDay);
  const { noise, total } = variancesOf(pairs, effects, sales, value, county);
  const levels = countyLevels(sales.county, value, county, total);
  const residuals = { county: sales.county, value, levels, noise, spread: Math.max(0, total - noise) };
  const surface = createSurface(residuals, metres, places);
  const asks = soundAsks(comps, openListings(comps, asOfDay), sales, value, effects, asOfDay);
  const level = new Float64Array(sales.source.length).fill(Number.NaN);
  const fitted: Fitted = {
    county,
    asOfDay,
    sales: { ...sales, level },
    asking: marketOf(comps, asks, false, () => asOfDay),
    effects,
    steps: { metres, logAcres: STEP_LOG_ACRES, days: STEP_DAYS },
    levels,
    surface,
    isCovered: levels.sales > 0 ? () => true : reachOfCounties(sales),
    discount: { log: 0, deviation: 0 },
    lag: 0,
    opinion: 0,
    levelOf({ level, lon, lat, county }, entry, day) {
      const known = day === asOfDay ? level[entry]! : Number.NaN;
      if (!Number.isNaN(known)) return known;
      const found = surface.levelAt(lon[entry]!, lat[entry]!, county[entry]!, day);
      if (day === asOfDay) level[entry] = found;
      return found;
    },
  };
  return { estimates, fitted };
}

function residualsOf(market: Market, effects: Effects, asOfDay: number): Float64Array {
  return market.logPpa.map((logPpa, i) => {
    const years = (market.day[i]! - asOfDay) / DAYS_A_YEAR;
    return standardLevel(effects, logPpa, market.logAcres[i]!, years, market.land, i);
  });
}

/** Standard deviation of a sale around the level of its place, before any is known. */
const PRIOR_NOISE = 0.5;

/**
 * Robust variances: the noise of one sale by pairs of near ones, and all of it around the level of the
 * county, or of each county around.
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

/** What each listing asks above the level of sales at its place; nothing is known without sales. */
function premiumsOf({ asking, asOfDay, effects, levelOf, sales, lag }: Fitted): Float64Array {
  if (sales.source.length === 0) return new Float64Array();
  return residualsOf(asking, effects, asOfDay).map((one, i) => one - levelOf(asking, i, asOfDay) + lag);
}
