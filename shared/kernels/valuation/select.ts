import type { Discount } from './asking.ts';
import { opinionApart } from './assessor.ts';
import type { Effects } from './effects.ts';
import { landMove, landOf } from './land-effects.ts';
import type { CountyLevels } from './level.ts';
import { createNearest, type Place, type Steps } from './nearest.ts';
import type { Surface } from './surface.ts';
import { type Comps, DAYS_A_YEAR, MOST_STEPS, type Subject } from './valuation-types.ts';

/** The most comps of one estimate. */
export const MOST_COMPS = 12;

/** Sales, or listings, as the model searches them: entry i is the comp source[i]. */
export type Market = ReturnType<typeof marketOf>;

/** What is known of a county's market on a day, apart from how far off its estimates are. */
export type Fitted = {
  county: number;
  /** Days since 1970-01-01. */
  asOfDay: number;
  sales: Market;
  asking: Market;
  effects: Effects;
  steps: Steps;
  levels: CountyLevels;
  surface: Surface;
  /**
   * Whether there are sales enough for a place: any of the county's own, or of three counties within reach.
   */
  isCovered(lon: number, lat: number): boolean;
  /** The price level of a comp's place: of few comps it is ever asked where few parcels are valued. */
  levelOf(market: Market, entry: number, day: number): number;
  /** What asking prices are moved by to be those of sales. */
  discount: Discount;
  /**
   * What estimates of the latest sales were off by, as ln(estimate / price): the trend follows the
   * market with a lag.
   */
  lag: number;
  /** The share of what the assessor sees between a comp and the subject that the comp is moved by. */
  opinion: number;
};

/** The chosen comps in columns of their own. @param sold sales, not asking prices */
export function marketOf(comps: Comps, chosen: Int32Array, sold: boolean, dayOf: (comp: number) => number) {
  // A loop: of 2,500 comps `Float64Array.from` takes 0.9 ms for five columns, and this 0.1.
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
    /** Terms of the land, LAND_TERMS an entry. */
    land: landOf(comps.land, chosen),
    assessed: column(i => comps.assessed?.[i] ?? Number.NaN),
    price: column(i => comps.price[i]!),
    ppa: column(i => comps.price[i]! / comps.acres[i]!),
    logPpa: column(i => Math.log(comps.price[i]! / comps.acres[i]!)),
    /**
     * Price level of the comp's place, the comp included as it is in the subject's; NaN until `levelOf` of
     * the model was asked for it.
     */
    level: new Float64Array(chosen.length).fill(Number.NaN),
    nearest: createNearest({ count: chosen.length, lon, lat, logAcres, day }, MOST_COMPS),
  };
}

/** With fewer there is no estimate. */
export const FEWEST_COMPS = 3;

/**
 * The comps of one subject, with what each was moved by; entries from `count` on mean nothing. Reused
 * from call to call.
 */
export type Chosen = ReturnType<typeof newChosen>;

/** Comps that are adjusted to a subject, as an estimate is made of them. */
export type Adjusted = Pick<
  Chosen,
  'count' | 'steps' | 'weight' | 'price' | 'ppa' | 'logAcres' | 'sale' | 'adjusted'
>;

export function newChosen(most = MOST_COMPS) {
  const column = () => new Float64Array(most);
  return {
    count: 0,
    market: [] as Market[],
    entry: new Int32Array(most),
    /** Index in the comps that the model was made of. */
    source: new Int32Array(most),
    steps: column(),
    /** Share in the estimate, of 1. */
    weight: column(),
    price: column(),
    ppa: column(),
    logAcres: column(),
    /** 1 for a sale, 0 for an asking price. */
    sale: new Uint8Array(most),
    /** How far it is below the subject in the assessor's eyes, NaN where unknown. */
    apart: column(),
    // What was added to ln(price per acre); land, with the share of `apart`, is NaN where nothing is.
    size: column(),
    time: column(),
    land: column(),
    location: column(),
    asking: column(),
    /** ln(price per acre) as it would be of the subject on the day. */
    adjusted: column(),
  };
}

/** Asking prices are looked at only where fewer sales than this are near. */
const ENOUGH_SALES = 6;
/** An asking price is worth this much of a sale. */
const ASKING_WEIGHT = 0.5;

/**
 * Chooses the comps that are the fewest steps away, and moves each one's price per acre to the subject's size
 * and place and to the day.
 * @param day sales of later days are not looked at @param exclude an entry of model.sales
 */
export function choose(model: Fitted, subject: Subject, day: number, exclude: number, into: Chosen): Chosen {
  const { sales, asking, asOfDay, steps } = model;
  const place = placeOf(subject, day);
  into.count = 0;
  take(sales, MOST_COMPS);
  if (into.count < ENOUGH_SALES && day === asOfDay) take(asking, ENOUGH_SALES - into.count);
  return into.count < FEWEST_COMPS ? into : adjust(model, subject, day, exclude, into);

  function take(market: Market, most: number): void {
    const found = market.nearest.find(place, steps, most, MOST_STEPS, market === sales ? exclude : -1);
    for (let i = 0; i < found; i++) put(into, market, market.nearest.index[i]!, market.nearest.steps[i]!);
  }
}

export const placeOf = ({ lon, lat, acres }: Subject, day: number): Place => ({
  lon,
  lat,
  logAcres: Math.log(acres),
  day,
});

/** Adds a comp, not adjusted yet. */
export function put(into: Chosen, market: Market, entry: number, steps: number): void {
  const i = into.count++;
  into.market[i] = market;
  into.entry[i] = entry;
  into.source[i] = market.source[entry]!;
  into.steps[i] = steps;
  into.weight[i] = worthOf(market.sold, steps);
}

/** What a comp counts for beside others, before they share out the estimate. */
export function worthOf(sold: boolean, steps: number): number {
  return (sold ? 1 : ASKING_WEIGHT) * Math.exp(-steps);
}

/** Moves the price per acre of each comp to the subject's size, place and land and to the day. */
export function adjust(model: Fitted, subject: Subject, day: number, exclude: number, into: Chosen): Chosen {
  const { lag, opinion } = model;
  const { elasticity, trend, land: landEffects } = model.effects;
  const logAcres = Math.log(subject.acres);
  const level = model.surface.levelAt(subject.lon, subject.lat, model.county, day, exclude);
  let weights = 0;
  for (let i = 0; i < into.count; i++) {
    const market = into.market[i]!;
    const entry = into.entry[i]!;
    into.price[i] = market.price[entry]!;
    into.ppa[i] = market.ppa[entry]!;
    into.logAcres[i] = market.logAcres[entry]!;
    into.sale[i] = market.sold ? 1 : 0;
    const size = elasticity * (logAcres - market.logAcres[entry]!);
    const time = (trend * (day - market.day[entry]!)) / DAYS_A_YEAR - (market.sold ? lag : 0);
    const location = level - model.levelOf(market, entry, day);
    const apart = opinionApart(subject.assessed ?? Number.NaN, market.assessed[entry]!);
    const ofLand =
      landEffects === null || subject.land === undefined || market.land === undefined
        ? Number.NaN
        : landMove(landEffects, subject.land, market.land, entry);
    const ofOpinion = opinion > 0 ? opinion * apart : Number.NaN;
    const land = Number.isNaN(ofLand) ? ofOpinion : ofLand + (Number.isNaN(ofOpinion) ? 0 : ofOpinion);
    into.apart[i] = apart;
    const discount = market.sold ? 0 : model.discount.log;
    into.size[i] = size;
    into.time[i] = time;
    into.land[i] = land;
    into.location[i] = location;
    into.asking[i] = discount;
    into.adjusted[i] =
      market.logPpa[entry]! + size + time + (Number.isNaN(land) ? 0 : land) + location + discount;
    weights += into.weight[i]!;
  }
  for (let i = 0; i < into.count; i++) into.weight[i]! /= weights;
  return into;
}

/** How far comps are below their subject in the assessor's eyes, as far as known. */
export function meanOpinion({ count, weight, apart }: Chosen): number {
  let mean = 0;
  for (let i = 0; i < count; i++) if (!Number.isNaN(apart[i]!)) mean += weight[i]! * apart[i]!;
  return mean;
}

/** Weighted mean of the adjusted ln(price per acre), and their weighted standard deviation. */
export function combine({ count, weight, adjusted }: Adjusted): { mean: number; deviation: number } {
  let mean = 0;
  for (let i = 0; i < count; i++) mean += weight[i]! * adjusted[i]!;
  let variance = 0;
  for (let i = 0; i < count; i++) variance += weight[i]! * (adjusted[i]! - mean) ** 2;
  return { mean, deviation: Math.sqrt(variance) };
}
