import type { Discount } from './asking.ts';
import type { Effects } from './effects.ts';
import { landOf } from './land.ts';
import { createNearest, type Nearest, type Steps } from './nearest.ts';
import type { Surface } from './surface.ts';
import type { Comps } from './types.ts';

/** The most comps of one estimate. */
export const MOST_COMPS = 12;

/** Sales, or listings, as the model searches them: entry i is the comp source[i]. */
export type Market = {
  source: Int32Array;
  lon: Float64Array;
  lat: Float64Array;
  logAcres: Float64Array;
  price: Float64Array;
  ppa: Float64Array;
  logPpa: Float64Array;
  day: Int32Array;
  county: Int32Array;
  /** Terms of the land, LAND_TERMS an entry. */
  land: Float64Array | undefined;
  /**
   * Price level of the comp's place, the comp included as it is in the subject's: else sales beside the subject that differ from
   * the rest would raise its level and not their own, and the difference would move each of them. NaN until `levelOf` of the
   * model was asked for it.
   */
  level: Float64Array;
  nearest: Nearest;
};

/** What is known of a county's market on a day, apart from how far off its estimates are. */
export type Fitted = {
  county: number;
  /** Days since 1970-01-01. */
  asOfDay: number;
  sales: Market;
  asking: Market;
  effects: Effects;
  steps: Steps;
  surface: Surface;
  /** The price level of a comp's place: of few comps it is ever asked where few parcels are valued. */
  levelOf(market: Market, entry: number, day: number): number;
  /** What asking prices are moved by to be those of sales. */
  discount: Discount;
  /** What estimates of the latest sales were off by, as ln(estimate / price): the trend follows the market with a lag. */
  lag: number;
};

/** The chosen comps in columns of their own. */
export function marketOf(comps: Comps, chosen: Int32Array, dayOf: (comp: number) => number): Market {
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
    ...{ source: chosen, lon, lat, logAcres, day },
    county: Int32Array.from(chosen, i => comps.county[i]!),
    land: landOf(comps.land, chosen),
    price: column(i => comps.price[i]!),
    ppa: column(i => comps.price[i]! / comps.acres[i]!),
    logPpa: column(i => Math.log(comps.price[i]! / comps.acres[i]!)),
    level: new Float64Array(chosen.length).fill(Number.NaN),
    nearest: createNearest({ count: chosen.length, lon, lat, logAcres, day }, MOST_COMPS),
  };
}
