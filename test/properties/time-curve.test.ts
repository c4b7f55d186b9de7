import { describe, expect, test } from 'vitest';
import type { OtherCounties } from '../../shared/kernels/valuation/model.ts';
import { indexAt } from '../../shared/kernels/valuation/price-index.ts';
import { newChosenComps } from '../../shared/kernels/valuation/select.ts';
import { logAt } from '../../shared/kernels/valuation/time-curve.ts';
import type { Comps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../bench/generate/random.ts';
import { fitTo, generateSales, joined, MARKET, randomPlace, trueLogPrice } from '../support/sales.ts';

const { asOfDay, county } = MARKET;
const YEAR = 365.25;

/** ln(price) so many years before the as-of day, relative to that day. */
type Past = (years: number) => number;
const FLAT: Past = () => 0;
const STEADY: Past = years => -0.12 * years;
/** Flat until four years ago, and 15 % more each year since. */
const BENT: Past = years => -0.15 * Math.min(4, years);
const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

function soldIn(past: Past, count: number, seed: number, more: Partial<typeof MARKET> = {}): Comps {
  const sales = generateSales({ ...MARKET, noise: 0.4, trend: 0, ...more }, count, seed);
  const priceOf = (i: number) => sales.price[i]! * Math.exp(past((asOfDay - sales.soldDay[i]!) / YEAR));
  return { ...sales, price: sales.price.map((_, i) => priceOf(i)) };
}

describe('how prices changed', () => {
  test.each([STEADY, BENT])('is found where sales are many', past => {
    const { time } = fitTo(soldIn(past, 1_500, 1)).model.effects;
    for (const years of [1, 2, 4, 6, 8])
      expect(Math.abs(logAt(time, asOfDay - years * YEAR) - past(years))).toBeLessThan(0.1);
  });

  test('adjusts the comps, and is the price index', () => {
    const sales = soldIn(BENT, 400, 2);
    const { model, priceIndex } = fitTo(sales);
    const index = priceIndex()!;
    const now = indexAt(index, asOfDay)!.value;
    const chosen = newChosenComps();
    createValuer(model, chosen)(randomPlace(MARKET, createRandom(3)));
    expect(chosen.count).toBeGreaterThan(10);
    for (let i = 0; i < chosen.count; i++) {
      const then = indexAt(index, sales.soldDay[chosen.source[i]!]!)!.value;
      expect(chosen.time[i]).toBeCloseTo(Math.log(now / then), 6);
    }
  });

  test('has no index with a handful of sales', () => {
    expect(fitTo(soldIn(STEADY, 9, 1)).priceIndex()).toBeNull();
    expect(fitTo(soldIn(STEADY, 30, 1)).priceIndex()).not.toBeNull();
  });

  test('is not changed by sales in a county far away', () => {
    const sales = soldIn(STEADY, 200, 4);
    const far = soldIn(FLAT, 40, 5, { county: 55_025, west: -60 });
    const [alone, beside] = [fitTo(sales), fitTo(joined(sales, far))].map(({ model }) => model.effects.time);
    for (const years of [1, 5]) {
      const day = asOfDay - years * YEAR;
      expect(logAt(beside!, day)).toBeCloseTo(logAt(alone!, day), 9);
    }
  });
});

describe('a county with few sales', () => {
  const around = (past: Past): OtherCounties =>
    new Map(
      [0, 1, 2, 3, 4].map(n => {
        const fips = county + 2 + 2 * n;
        const sales = soldIn(past, 120, 20 + n, { county: fips, west: MARKET.west + 2 * n });
        return [fips, fitTo(sales, asOfDay, fips).estimates];
      }),
    );
  const bias = (past: Past, count: number, others: OtherCounties) =>
    mean(
      Array.from({ length: 16 }, (_, seed) => {
        const value = createValuer(
          fitTo(soldIn(past, count, 60 + seed, { relief: 0.2 }), asOfDay, county, others).model,
        );
        const random = createRandom(seed);
        return mean(
          Array.from({ length: 20 }, () => {
            const place = randomPlace(MARKET, random);
            const truth = trueLogPrice(
              { ...MARKET, relief: 0.2 },
              place.lon,
              place.lat,
              place.acres,
              asOfDay,
            );
            return Math.log(value(place)!.meanAdjustedPrice) - truth;
          }),
        );
      }),
    );

  test.each([STEADY, BENT])('follows counties that changed alike, within 8 %', past => {
    const [others, flat] = [around(past), around(FLAT)];
    for (const count of [10, 20, 30]) {
      // The same sales in a flat market show what is due to chance.
      expect(Math.abs(bias(past, count, others) - bias(FLAT, count, flat))).toBeLessThan(0.08);
    }
  });

  test('is not moved by a single other county', () => {
    const sales = soldIn(FLAT, 15, 3);
    const [[fips, one]] = [...around(STEADY)] as [[number, never]];
    const curve = (others: OtherCounties) => fitTo(sales, asOfDay, county, others).model.effects.time;
    expect(curve(new Map([[fips, one]])).logs).toEqual(curve(new Map()).logs);
  });
});
