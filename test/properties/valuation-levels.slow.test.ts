import { expect, test } from 'vitest';
import { type Comps, pickComps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { fitTo, generateSales, joined, MARKET, type Market } from '../support/sales.ts';

const { asOfDay } = MARKET;
const SALES = 150;

/**
 * Six counties side by side, which differ in elasticity, trend and noise, and fourfold in their price levels.
 */
const KINDS: Partial<Market>[] = [
  { elasticity: -0.7, trend: 0.02, noise: 0.35 },
  { elasticity: -0.5, trend: 0.04, noise: 0.5 },
  { elasticity: -0.6, trend: 0, noise: 0.3 },
  { elasticity: -0.4, trend: 0.05, noise: 0.6 },
  { elasticity: -0.6, trend: 0.03, noise: 0.4 },
  { elasticity: -0.5, trend: 0.01, noise: 0.45 },
];
const fipsOf = (n: number) => 33_001 + 2 * n;
const LEVELS = [1, 4, 1.7, 2.3, 1.3, 3];

function sixCounties(seed: number): Comps {
  return joined(
    ...KINDS.map((kind, n) => {
      const place = { west: MARKET.west + 0.55 * (n % 3), south: MARKET.south + 0.52 * Math.floor(n / 3) };
      const sales = generateSales({ ...MARKET, ...kind, ...place, county: fipsOf(n) }, SALES, 10 * seed + n);
      return { ...sales, price: sales.price.map(price => price * LEVELS[(n + seed) % 6]!) };
    }),
  );
}
const some = (comps: Comps, holds: (i: number) => boolean) =>
  pickComps(
    comps,
    Array.from({ length: comps.count }, (_, i) => i).filter(i => holds(i)),
  );

type Result = { inside: boolean; hit: boolean; confidence: number; width: number; outOfSupport: boolean };

/**
 * What the last three years' sales of a county say of their estimates by so many of its own earlier sales and
 * those of some others.
 */
function valueBy(all: Comps, fips: number, own: number, others: readonly number[]): (Result | null)[] {
  const before = asOfDay - 1_000;
  let kept = 0;
  const comps = some(all, i =>
    all.county[i] === fips
      ? all.soldDay[i]! <= before && kept++ < own
      : others.includes(all.county[i]!) && all.soldDay[i]! <= before,
  );
  const value = createValuer(fitTo(comps, before, fips).model);
  const next = some(all, i => all.county[i] === fips && all.soldDay[i]! > before);
  return Array.from(next.price, (price, i) => {
    const valuation = value({ lon: next.lon[i]!, lat: next.lat[i]!, acres: next.acres[i]! });
    if (valuation === null) return null;
    const { low, high, meanAdjustedPrice, confidence, outOfSupport } = valuation;
    return {
      inside: low <= price && price <= high,
      hit: Math.abs(meanAdjustedPrice / price - 1) <= 0.25,
      confidence,
      width: Math.log(high / low),
      outOfSupport,
    };
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
const percent = (values: readonly boolean[]) => 100 * mean(values.map(Number));
const besides = (n: number, most = 6) =>
  KINDS.map((_, k) => fipsOf(k))
    .filter(fips => fips !== fipsOf(n))
    .slice(0, most);
const markets = [1, 2, 3].map(sixCounties);
const ofAll = (own: number) =>
  markets
    .flatMap(all => KINDS.flatMap((_, n) => valueBy(all, fipsOf(n), own, besides(n))))
    .flatMap(one => one ?? []);

test('a county without sales is valued by five others, as surely as levels that differ fourfold allow', () => {
  const results = ofAll(0);
  expect(results.length).toBeGreaterThan(300);
  const inside = percent(results.map(one => one.inside));
  expect(inside).toBeGreaterThan(75);
  expect(inside).toBeLessThan(88);
  const said = mean(results.map(({ confidence }) => confidence));
  expect(Math.abs(said - percent(results.map(one => one.hit)))).toBeLessThan(7);
  expect(results.every(({ outOfSupport }) => outOfSupport)).toBe(true);
});

test('one or two other counties are not enough to value it', () => {
  for (const most of [0, 1, 2])
    expect(new Set(valueBy(markets[0]!, fipsOf(0), 0, besides(0, most)))).toEqual(new Set([null]));
});

test('counties beyond 100 km do not value it', () => {
  const { length } = besides(0);
  expect(length).toBe(5);
  const all = markets[0]!;
  const far = { ...all, lon: all.lon.map((lon, i) => (all.county[i] === fipsOf(0) ? lon - 3 : lon)) };
  expect(new Set(valueBy(far, fipsOf(0), 0, besides(0)))).toEqual(new Set([null]));
  expect(new Set(valueBy(far, fipsOf(0), 20, besides(0)))).not.toContain(null);
});

test('its first sales make it surer, step by step, and its interval holds what it says', () => {
  const steps = [0, 1, 2, 5, 20].map(ofAll);
  const widths = steps.map(results => mean(results.map(({ width }) => width)));
  expect(widths).toEqual(widths.toSorted((a, b) => b - a));
  for (const results of steps) expect(percent(results.map(one => one.inside))).toBeGreaterThan(72);
  const outside = steps.map(results => percent(results.map(({ outOfSupport }) => outOfSupport)));
  expect(outside).toEqual(outside.toSorted((a, b) => b - a));
});
