import { type Calibration, calibrate } from './calibrate.ts';
import { estimateEffects, type Pairs } from './effects.ts';
import { DAYS_A_YEAR, type Fitted, type Market, marketOf } from './market.ts';
import { middleOf } from './middle.ts';
import type { Steps } from './nearest.ts';
import { groundSteps, pairsOf } from './pairs.ts';
import { usableSales, withoutOutliers } from './screen.ts';
import { createSurface } from './surface.ts';
import { ACTIVE, type Comps, NO_DAY, PENDING } from './types.ts';

/** Changes with anything that moves a figure; stored with every valuation. */
export const MODEL_VERSION = '1';

/**
 * A ratio of sizes of 2.7, and three years. On the 95 sales of land in Washington NH from 2012 on every choice of 0.8 to 1.2,
 * 2 to 10 years and 30 to 60 sales a step has a median error of 35 to 42 %: nothing hangs on the figure.
 */
const STEP_LOG_ACRES = 1;
const STEP_DAYS = 3 * DAYS_A_YEAR;

export type Model = Fitted & { calibration: Calibration };

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
  const noise = (1.4826 * (middleOf(differences) ?? 0)) ** 2 / 2;
  const middle = middleOf(residuals) ?? 0;
  const total = (1.4826 * (middleOf(residuals.map(one => Math.abs(one - middle))) ?? 0)) ** 2;
  return { noise, spread: Math.max(0, total - noise) };
}

/** Asking prices worth of this many listings say that they are those of sales. */
const ASKING_PRIOR = 5;

function discountOf(over: Float64Array): number {
  return (-(middleOf(over) ?? 0) * over.length) / (over.length + ASKING_PRIOR);
}
