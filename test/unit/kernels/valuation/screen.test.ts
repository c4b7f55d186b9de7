import { describe, expect, test } from 'vitest';
import type { Comps } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../../../shared/kernels/valuation/value-parcel.ts';
import { emptyComps, fitTo, generateSales, joined, MARKET } from '../../../support/sales.ts';

const { asOfDay, west, south } = MARKET;
const [FAR, FAR_COUNTY, OTHER_STATE] = [west + 8, 19_155, 53_001];
/** Land of 3 acres brings 12,000 there. */
const SALES = generateSales(MARKET, 600, 1);

/** Sales of 3 acres side by side, one every ten days, the last on the day. */
function oneByOne(prices: readonly number[], fips = FAR_COUNTY, every = 10): Comps {
  const sales = emptyComps(prices.length);
  sales.lon.set(prices.map((_, i) => FAR + 0.2 + i / 1_000));
  sales.lat.fill(south + 0.2);
  sales.acres.fill(3);
  sales.price.set(prices);
  sales.county.fill(fips);
  sales.soldDay.set(prices.map((_, i) => asOfDay - every * (prices.length - 1 - i)));
  return sales;
}
/** Prices of the sales of the county far away that are left out. */
function leftOut(far: Comps, day = asOfDay, others = SALES): number[] {
  const { outliers } = fitTo(joined(others, far), day, far.county[0]);
  return [...outliers].filter(i => i >= others.count).map(i => far.price[i - others.count]!);
}
const same = (count: number, price: number) => new Array<number>(count).fill(price);

describe('in a county with a handful of sales', () => {
  test('an outlier among the sales is excluded', () => {
    const prices = [...same(3, 40_000), 1_000, ...same(4, 40_000)];
    expect(leftOut(oneByOne(prices))).toEqual([1_000]);
    const { model } = fitTo(joined(SALES, oneByOne(prices)), asOfDay, FAR_COUNTY);
    const parcel = { lon: FAR + 0.2, lat: south + 0.2, acres: 3 };
    expect(Math.abs(createValuer(model)(parcel)!.meanAdjustedPrice / 40_000 - 1)).toBeLessThan(0.02);
    // So are a price too high, and the first of several on one day.
    expect(leftOut(oneByOne([...same(5, 40_000), 4_000_000]))).toEqual([4_000_000]);
    expect(leftOut(oneByOne([1_000, ...same(7, 40_000)], FAR_COUNTY, 0))).toEqual([1_000]);
  });

  test.each([FAR_COUNTY, OTHER_STATE])(
    'the first is compared with the sales of all counties around: %i',
    fips => {
      expect(leftOut(oneByOne([500, ...same(7, 40_000)], fips))).toEqual([500]);
      expect(leftOut(oneByOne([500], fips), asOfDay, emptyComps(0))).toEqual([]);
    },
  );

  test('land that is ten times as dear as elsewhere is left as it is', () => {
    expect(leftOut(oneByOne(same(8, 120_000)))).toEqual([]);
    expect(leftOut(oneByOne(same(8, 1_200)))).toEqual([]);
    // And a hundred times, where three agree.
    expect(leftOut(oneByOne(same(3, 1_200_000), FAR_COUNTY, 0))).toEqual([]);
  });

  test('no later sale decides, be it of the county or of another', () => {
    expect(leftOut(oneByOne([2_000, ...same(10, 40_000)]))).toEqual([]);
    const early = oneByOne([500, 700, 500], FAR_COUNTY, 1);
    const until = early.soldDay[2]!;
    const later: Comps = { ...SALES, soldDay: SALES.soldDay.map(() => until + 1) };
    expect(leftOut(early, until + 1, later)).toEqual([]);
    expect(leftOut(early, until + 1)).toEqual([500, 700]);
  });
});
