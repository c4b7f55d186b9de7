import type { Discount } from './asking.ts';
import { opinionDifference } from './assessor.ts';
import type { Effects } from './effects.ts';
import type { Kriging } from './kriging.ts';
import { landMove, landOf, shoreMove } from './land-effects.ts';
import type { CountyLevels } from './level.ts';
import { createNearest, type Place, type Steps } from './nearest.ts';
import type { Surface } from './surface.ts';
import { logAt } from './time-curve.ts';
import { type Comps, MAX_STEPS, type Subject } from './valuation-types.ts';

/** Maximum number of comps per estimate. */
export const MAX_COMPS = 24;

/** Sales or listings in the model's columns. Entry i is the comp source[i]. */
export type Market = ReturnType<typeof marketOf>;

/** The fitted market of a county on a day, before its errors are calibrated. */
export type FittedMarket = {
  county: number;
  /** Days since 1970-01-01. */
  asOfDay: number;
  sales: Market;
  asking: Market;
  effects: Effects;
  steps: Steps;
  levels: CountyLevels;
  surface: Surface;
  kriging: Kriging;
  /**
   * Whether a place has enough sales: any sales in its own county, or sales in three counties within reach.
   */
  isCovered(lon: number, lat: number): boolean;
  /** The price level at a comp's location, calculated on demand because few comps need it. */
  levelOf(market: Market, entry: number, day: number): number;
  /** The adjustment from asking prices to sale prices. */
  discount: Discount;
  /** The share of the difference between the assessor's opinions that a comp is adjusted by. */
  opinion: number;
  /** The share of the neighborhood's level in an estimate. The comps share the rest. */
  neighborhoodShare: number;
};

/** Copies chosen comps to new columns. @param sold whether they are sales, not asking prices */
export function marketOf(comps: Comps, chosen: Int32Array, sold: boolean, dayOf: (comp: number) => number) {
  // For 2,500 comps and five columns, a loop takes 0.1 ms, whereas `Float64Array.from` takes 0.9 ms.
  const column = (of: (comp: number) => number) => {
    const values = new Float64Array(chosen.length);
    for (let i = 0; i < values.length; i++) values[i] = of(chosen[i]!);
    return values;
  };
  const lon = column(i => comps.lon[i]!);
  const lat = column(i => comps.lat[i]!);
  const logAcres = column(i => Math.log(comps.acres[i]!));
  const day = Int32Array.from(chosen, dayOf);
  return {
    sold,
    source: chosen,
    lon,
    lat,
    logAcres,
    day,
    county: Int32Array.from(chosen, i => comps.county[i]!),
    /** Land terms, with LAND_TERMS values per entry. */
    land: landOf(comps.land, chosen),
    assessed: column(i => comps.assessed?.[i] ?? Number.NaN),
    shore: column(i => comps.shore?.[i] ?? Number.NaN),
    price: column(i => comps.price[i]!),
    ppa: column(i => comps.price[i]! / comps.acres[i]!),
    logPpa: column(i => Math.log(comps.price[i]! / comps.acres[i]!)),
    /** Price level at the comp's location, including the comp itself; NaN until `levelOf` calculates it. */
    level: new Float64Array(chosen.length).fill(Number.NaN),
    nearest: createNearest({ count: chosen.length, lon, lat, logAcres, day }, MAX_COMPS + 1),
  };
}

/** Minimum number of comps for an estimate. */
export const MIN_COMPS = 3;

/**
 * The comps of one subject with their adjustments. The columns are reused between calls, and only the first
 * `count` entries are valid.
 */
export type ChosenComps = ReturnType<typeof newChosenComps>;

/** Comps adjusted to a subject. */
export type AdjustedComps = Pick<
  ChosenComps,
  'count' | 'steps' | 'edge' | 'weight' | 'price' | 'ppa' | 'logAcres' | 'sale' | 'adjusted' | 'neighborhood'
>;

export function newChosenComps(most = MAX_COMPS) {
  const column = () => new Float64Array(most);
  return {
    count: 0,
    market: [] as Market[],
    entry: new Int32Array(most),
    /** Index in the model's comps. */
    source: new Int32Array(most),
    steps: column(),
    /** Share of the estimate, 0 to 1. */
    weight: column(),
    price: column(),
    ppa: column(),
    logAcres: column(),
    /** 1 for a sale, 0 for an asking price. */
    sale: new Uint8Array(most),
    /** The steps at which a listing and a sale would have no weight. */
    edge: Float64Array.of(MAX_STEPS, MAX_STEPS),
    /** The assessor's opinion of the subject minus that of the comp; NaN if unknown. */
    apart: column(),
    // Adjustments of ln(price per acre). `land` includes shores and the share of `apart`; NaN if none of them
    // is known.
    size: column(),
    time: column(),
    land: column(),
    location: column(),
    asking: column(),
    /** ln(price per acre) adjusted to the subject and the day. */
    adjusted: column(),
    /** ln(price per acre) of the neighborhood, for the subject's size and the day; NaN if unknown. */
    neighborhood: Number.NaN,
  };
}

/** Asking prices are used only if there are fewer nearby sales than this. */
const ENOUGH_SALES = 6;
/** Weight of an asking price relative to a sale. */
const ASKING_WEIGHT = 0.5;

/**
 * Chooses the comps that are the fewest steps away and adjusts each price per acre to the subject's size and
 * location and to the day.
 * @param day later sales are ignored
 * @param exclude an entry of model.sales to ignore
 */
export function chooseComps(
  model: FittedMarket,
  subject: Subject,
  day: number,
  exclude: number,
  into: ChosenComps,
): ChosenComps {
  const { sales, asking, asOfDay, steps } = model;
  const place = placeOf(subject, day);
  into.count = 0;
  addNearest(sales, MAX_COMPS);
  if (into.count < ENOUGH_SALES && day === asOfDay) addNearest(asking, ENOUGH_SALES - into.count);
  return into.count < MIN_COMPS ? into : adjust(model, subject, day, exclude, into);

  function addNearest(market: Market, most: number): void {
    const { nearest } = market;
    const near = nearest.find(place, steps, most + 1, MAX_STEPS, market === sales ? exclude : -1);
    const count = Math.min(most, near);
    into.edge[market.sold ? 1 : 0] = near > most ? nearest.steps[most]! : MAX_STEPS;
    for (let i = 0; i < count; i++) addComp(into, market, nearest.index[i]!, nearest.steps[i]!);
  }
}

export const placeOf = ({ lon, lat, acres }: Subject, day: number): Place => ({
  lon,
  lat,
  logAcres: Math.log(acres),
  day,
});

/** Adds a comp without adjustments. */
export function addComp(into: ChosenComps, market: Market, entry: number, steps: number): void {
  const i = into.count++;
  into.market[i] = market;
  into.entry[i] = entry;
  into.source[i] = market.source[entry]!;
  into.steps[i] = steps;
}

/** The weight of a comp beyond the edge, which only a user adds, as a share of what its steps alone give. */
const OUTER_WEIGHT = 0.02;

/**
 * Sets the weights of the comps. One step farther is 1/e of the weight. The weight of the first comp that is
 * not used is subtracted from all, so that none enters or leaves with a jump.
 * @param stepsPerE in reports of earlier versions, this many steps farther is 1/e of the weight
 */
export function weighComps({ count, sale, steps, edge, weight }: AdjustedComps, stepsPerE = 1): void {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) least = Math.min(least, steps[i]!);
  let total = 0;
  for (let i = 0; i < count; i++) {
    const near = Math.exp((least - steps[i]!) / stepsPerE);
    const end = edge[sale[i]!]!;
    const above = steps[i]! < end ? near - Math.exp((least - end) / stepsPerE) : OUTER_WEIGHT * near;
    weight[i] = (sale[i] === 1 ? 1 : ASKING_WEIGHT) * above;
    total += weight[i]!;
  }
  for (let i = 0; i < count; i++) weight[i]! /= total;
}

/** Adjusts the price per acre of each comp to the subject's size, location, and land, and to the day. */
export function adjust(
  model: FittedMarket,
  subject: Subject,
  day: number,
  exclude: number,
  into: ChosenComps,
): ChosenComps {
  const { opinion } = model;
  const { elasticity, time: curve, land: landEffects } = model.effects;
  const now = logAt(curve, day);
  const logAcres = Math.log(subject.acres);
  const level = model.surface.levelAt(subject.lon, subject.lat, model.county, day, exclude);
  const neighborhood = model.kriging.at(subject, day, exclude);
  into.neighborhood = neighborhood.logPpa;
  for (let i = 0; i < into.count; i++) {
    const market = into.market[i]!;
    const entry = into.entry[i]!;
    into.price[i] = market.price[entry]!;
    into.ppa[i] = market.ppa[entry]!;
    into.logAcres[i] = market.logAcres[entry]!;
    into.sale[i] = market.sold ? 1 : 0;
    const size = elasticity * (logAcres - market.logAcres[entry]!);
    const time = now - logAt(curve, market.day[entry]!);
    const location = level - model.levelOf(market, entry, day);
    const apart = opinionDifference(subject.assessed ?? Number.NaN, market.assessed[entry]!);
    const ofLand =
      landEffects === null || subject.land === undefined || market.land === undefined
        ? Number.NaN
        : landMove(landEffects, subject.land, market.land, entry);
    const ofShore = shoreMove(neighborhood.shore, subject.shore ?? Number.NaN, market.shore[entry]!);
    const ofOpinion = opinion > 0 ? opinion * apart : Number.NaN;
    const land = addKnown(addKnown(ofLand, ofShore), ofOpinion);
    into.apart[i] = apart;
    const discount = market.sold ? 0 : model.discount.log;
    into.size[i] = size;
    into.time[i] = time;
    into.land[i] = land;
    into.location[i] = location;
    into.asking[i] = discount;
    into.adjusted[i] =
      market.logPpa[entry]! + size + time + (Number.isNaN(land) ? 0 : land) + location + discount;
  }
  weighComps(into);
  // Sales around the subject differ from it in the assessor's opinion as its comps do.
  into.neighborhood += opinion * meanOpinionDifference(into);
  return into;
}

/** The sum of what is known; NaN if neither is. */
const addKnown = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : a + b);

/** Weighted mean of the known differences between the assessor's opinions of the subject and its comps. */
export function meanOpinionDifference({ count, weight, apart }: ChosenComps): number {
  let mean = 0;
  for (let i = 0; i < count; i++) if (!Number.isNaN(apart[i]!)) mean += weight[i]! * apart[i]!;
  return mean;
}

/** Weighted mean of the adjusted ln(price per acre), and their weighted standard deviation. */
export function combine({ count, weight, adjusted }: AdjustedComps): { mean: number; deviation: number } {
  let mean = 0;
  for (let i = 0; i < count; i++) mean += weight[i]! * adjusted[i]!;
  let variance = 0;
  for (let i = 0; i < count; i++) variance += weight[i]! * (adjusted[i]! - mean) ** 2;
  return { mean, deviation: Math.sqrt(variance) };
}
