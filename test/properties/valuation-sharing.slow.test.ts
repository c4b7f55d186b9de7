import { median } from 'simple-statistics';
import { expect, test } from 'vitest';
import { backtestByCounty } from '../../shared/kernels/valuation/backtest.ts';
import type { OtherCounties } from '../../shared/kernels/valuation/model.ts';
import type { Comps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../bench/generate/random.ts';
import {
  fitTo,
  generateSales,
  joined,
  MARKET,
  type Market,
  normal,
  randomPlace,
  trueLogPrice,
} from '../support/sales.ts';

const { asOfDay } = MARKET;
/** Counties far from one another. */
const county = (n: number, more: Partial<Market>): Market => ({
  ...MARKET,
  county: 1_001 + 1_000 * n,
  west: -120 + 4 * n,
  ...more,
});
/** Raw land, city lots, and what lies between: no two are alike. */
const UNLIKE: { market: Market; sales: number }[] = [
  { market: county(1, { elasticity: -0.8, trend: 0, noise: 0.4 }), sales: 100 },
  { market: county(2, { elasticity: -0.1, trend: 0.15, noise: 1.1, relief: 0.8 }), sales: 1_500 },
  { market: county(3, { elasticity: -0.5, trend: -0.05, noise: 0.2 }), sales: 500 },
  { market: county(4, { elasticity: -0.3, trend: 0.1, noise: 0.7 }), sales: 250 },
  { market: county(5, { elasticity: -0.7, trend: 0.05, noise: 0.3, relief: 0 }), sales: 800 },
];
const salesOf = UNLIKE.map(({ market, sales }, i) => generateSales(market, sales, 50 + i));
const estimates = new Map(
  UNLIKE.map(({ market }, i) => [market.county, fitTo(salesOf[i]!, asOfDay, market.county).estimates]),
);
const others = (but: Market): OtherCounties =>
  new Map([...estimates].filter(([fips]) => fips !== but.county));

/**
 * What the next sales of a market say of its valuations: the median error, and how many are in their
 * interval, in percent.
 */
function valueNext(market: Market, sales: Comps, beside: OtherCounties, seed: number) {
  const value = createValuer(fitTo(sales, asOfDay, market.county, beside).model);
  const random = createRandom(seed);
  const results = Array.from({ length: 1_000 }, () => {
    const place = randomPlace(market, random);
    const truth = trueLogPrice(market, place.lon, place.lat, place.acres, asOfDay);
    const price = Math.exp(truth + market.noise * normal(random));
    const valuation = value(place);
    if (valuation === null) return [];
    const { meanAdjustedPrice, low, high } = valuation;
    return [{ error: Math.abs(meanAdjustedPrice / price - 1), inside: low <= price && price <= high }];
  }).flat();
  return {
    mdape: 100 * median(results.map(({ error }) => error)),
    coverage: (100 * results.filter(({ inside }) => inside).length) / results.length,
  };
}

test('beside one other county, however large, a county is valued as it is alone', () => {
  const [small, large] = UNLIKE;
  const beside = new Map([[large!.market.county, estimates.get(large!.market.county)!]]);
  expect(fitTo(salesOf[0]!, asOfDay, small!.market.county, beside).model.calibration).toEqual(
    fitTo(salesOf[0]!, asOfDay, small!.market.county).model.calibration,
  );
});

test.each(UNLIKE.map((one, i) => ({ ...one, i })))(
  'beside unlike counties none is worse by a point, and 80 % intervals hold 75 to 87 % ($sales sales)',
  ({ market, i }) => {
    // A hundred sales tell their own 10 % quantiles to within some points: the mean of four draws
    // has half of that.
    const seeds = UNLIKE[i]!.sales > 400 ? [1, 2] : [1, 2, 3, 4];
    const draws = seeds.map(seed => {
      const sales = generateSales(market, UNLIKE[i]!.sales, 60 + seed);
      return {
        alone: valueNext(market, sales, new Map(), seed),
        beside: valueNext(market, sales, others(market), seed),
      };
    });
    const mean = (of: (draw: (typeof draws)[number]) => number) =>
      draws.reduce((sum, draw) => sum + of(draw) / draws.length, 0);
    expect(mean(({ beside }) => beside.mdape)).toBeLessThan(mean(({ alone }) => alone.mdape) + 1);
    expect(mean(({ beside }) => beside.coverage)).toBeGreaterThan(75);
    expect(mean(({ beside }) => beside.coverage)).toBeLessThan(87);
  },
);

test('counties that are alike make one of few sales better', () => {
  const few = county(9, { elasticity: -0.2, trend: 0.1, noise: 0.5 });
  const alike = new Map(
    [1, 2, 3, 4, 5, 6, 7, 8].map(n => {
      const market = { ...few, county: few.county + 2 * n };
      return [market.county, fitTo(generateSales(market, 300, 80 + n), asOfDay, market.county).estimates];
    }),
  );
  const errors = [1, 2, 3, 4, 5, 6].map(seed => {
    const sales = generateSales(few, 12, 90 + seed);
    return {
      alone: valueNext(few, sales, new Map(), seed).mdape,
      beside: valueNext(few, sales, alike, seed).mdape,
    };
  });
  const sum = (of: 'alone' | 'beside') => errors.reduce((total, one) => total + one[of], 0);
  expect(sum('beside')).toBeLessThan(0.95 * sum('alone'));
});

test('backtests by county say how each is alone and beside the others', () => {
  const both = joined(salesOf[0]!, generateSales(UNLIKE[2]!.market, 120, 7));
  const options = { fromDay: asOfDay - 200, toDay: asOfDay };
  const rows = backtestByCounty(both, options);
  expect(rows.map(({ fips }) => fips)).toEqual([UNLIKE[0]!.market.county, UNLIKE[2]!.market.county]);
  // Of one other county nothing is borrowed.
  for (const { alone, withOthers } of rows) expect(withOthers).toEqual(alone);
});
