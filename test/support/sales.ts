import { fitCounty, type OtherCounties } from '../../shared/kernels/valuation/model.ts';
import { logAt, type TimeCurve } from '../../shared/kernels/valuation/time-curve.ts';
import { type Comps, NO_DAY, SOLD } from '../../shared/kernels/valuation/valuation-types.ts';
import { createRandom, type Random } from '../bench/generate/random.ts';

/**
 * A market with known effects: ln(price per acre) = level(place) + elasticity x ln(acres) +
 * trend x years + noise.
 */
export type Market = {
  elasticity: number;
  /** Price change per year. */
  trend: number;
  noise: number;
  /** Height of the hills and valleys in the price level, which are about 20 km long. */
  relief: number;
  county: number;
  asOfDay: number;
  /** Southwest corner in degrees. The market is half a degree wide and tall. */
  west: number;
  south: number;
};

export const MARKET: Market = {
  elasticity: -0.6,
  trend: 0.05,
  noise: 0.25,
  relief: 0.4,
  county: 19_153,
  asOfDay: 20_000,
  west: -94,
  south: 41.5,
};

const EXTENT_DEG = 0.5;
const YEARS = 10;
const BASE = Math.log(8_000);

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function levelAt({ relief, west, south }: Market, lon: number, lat: number): number {
  return relief * Math.sin((lon - west) * 20) * Math.cos((lat - south) * 20);
}

/** ln(price) without noise. */
export function trueLogPrice(market: Market, lon: number, lat: number, acres: number, day: number): number {
  const years = (day - market.asOfDay) / 365.25;
  return BASE + levelAt(market, lon, lat) + (1 + market.elasticity) * Math.log(acres) + market.trend * years;
}

export type Place = { lon: number; lat: number; acres: number };

export function randomPlace({ west, south }: Market, random: Random): Place {
  return {
    lon: west + EXTENT_DEG * random(),
    lat: south + EXTENT_DEG * random(),
    acres: Math.exp(1 + 1.2 * normal(random)),
  };
}

/** Sales of the last ten years. */
export function generateSales(market: Market, count: number, seed: number): Comps {
  const random = createRandom(seed);
  const sales = emptyComps(count);
  for (let i = 0; i < count; i++) {
    const { lon, lat, acres } = randomPlace(market, random);
    const day = market.asOfDay - Math.floor(random() * YEARS * 365.25);
    sales.lon[i] = lon;
    sales.lat[i] = lat;
    sales.acres[i] = acres;
    sales.soldDay[i] = day;
    sales.price[i] = Math.exp(trueLogPrice(market, lon, lat, acres, day) + market.noise * normal(random));
    sales.county[i] = market.county;
  }
  return sales;
}

/**
 * Moves sales from the last 300 days to one day in every `everyDays`, so that a backtest fits its model only
 * a few times.
 */
export function onFewDays(sales: Comps, everyDays: number): Comps {
  const { asOfDay } = MARKET;
  const before = (day: number) => everyDays * Math.floor((asOfDay - day) / everyDays);
  return { ...sales, soldDay: sales.soldDay.map(day => (day < asOfDay - 300 ? day : asOfDay - before(day))) };
}

/** Allocates space for `count` sales, all SOLD. */
export function emptyComps(count: number): Comps {
  const column = () => new Float64Array(count);
  return {
    count,
    lon: column(),
    lat: column(),
    acres: column(),
    price: column(),
    status: new Uint8Array(count).fill(SOLD),
    soldDay: new Int32Array(count),
    listedDay: new Int32Array(count).fill(NO_DAY),
    county: new Int32Array(count),
  };
}

export function joined(...parts: Comps[]): Comps {
  const all = emptyComps(parts.reduce((sum, { count }) => sum + count, 0));
  let at = 0;
  for (const part of parts) {
    for (const name of ['lon', 'lat', 'acres', 'price', 'status', 'soldDay', 'listedDay', 'county'] as const)
      all[name].set(part[name] as never, at);
    at += part.count;
  }
  return all;
}

/** The mean change of ln(price) per year over the last eight years. */
export const trendOf = (curve: TimeCurve) => -logAt(curve, MARKET.asOfDay - 8 * 365.25) / 8;

/** Fits the market of the generated county, or of another one. */
export function fitTo(
  comps: Comps,
  day = MARKET.asOfDay,
  county = MARKET.county,
  others: OtherCounties = new Map(),
) {
  return fitCounty(comps, county, day, others);
}
