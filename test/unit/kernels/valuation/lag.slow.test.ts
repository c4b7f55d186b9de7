import { describe, expect, test } from 'vitest';
import { newChosenComps } from '../../../../shared/kernels/valuation/select.ts';
import type { Comps } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../../../shared/kernels/valuation/value-parcel.ts';
import { fitTo, generateSales, joined, MARKET, type Market } from '../../../support/sales.ts';

const { asOfDay, county } = MARKET;
const MONTANA: Market = { ...MARKET, county: 30_031, west: -111 };

/** Prices of the sales of the last so many days are moved by a logarithm. */
const lately = (sales: Comps, days: number, by: number): Comps => ({
  ...sales,
  price: sales.price.map((price, i) => (sales.soldDay[i]! > asOfDay - days ? price * Math.exp(by) : price)),
});
const soldOn = (sales: Comps, dayOf: (i: number) => number): Comps => ({
  ...sales,
  soldDay: sales.soldDay.map((_, i) => dayOf(i)),
});
/** Sales at one place, of nearly one price and size, of the last days. */
function alike(market: Market, count: number, from: number): Comps {
  const sales = generateSales({ ...market, noise: 0, relief: 0 }, count, 90);
  return {
    ...soldOn(sales, i => asOfDay - from - i),
    lon: sales.lon.map((_, i) => market.west + 0.2 + i / 1_000),
    lat: sales.lat.fill(market.south + 0.2),
    acres: sales.acres.fill(2),
    price: sales.price.map((_, i) => 10_500 + 150 * (i % 4)),
  };
}
const lagIn = (comps: Comps, fips = county, day = asOfDay) => fitTo(comps, day, fips).model.lag;

const quiet = generateSales(MARKET, 1_000, 1);
const risen = lately(quiet, 365, 0.4);

describe('the error of the latest estimates', () => {
  test('is removed from the estimates of the county whose sales show it', () => {
    expect(lagIn(risen)).toBeLessThan(-0.15);
    expect(Math.abs(lagIn(quiet))).toBeLessThan(0.05);
  });

  test('raises the comps where prices have risen, and lowers them where they have fallen', () => {
    for (const [sales, sign] of [
      [risen, 1],
      [lately(quiet, 365, -0.4), -1],
    ] as const) {
      const { model } = fitTo(sales);
      const chosen = newChosenComps();
      createValuer(model, chosen)({ lon: MARKET.west + 0.25, lat: MARKET.south + 0.25, acres: 3 });
      for (let i = 0; i < chosen.count; i++) {
        const years = (asOfDay - sales.soldDay[chosen.source[i]!]!) / 365.25;
        const withoutLag = model.effects.trend * years;
        expect(sign * (chosen.time[i]! - withoutLag)).toBeGreaterThan(0.1);
      }
    }
  });

  test('moves no comp of a county far away, nor of one with a handful of sales', () => {
    const few = alike(MONTANA, 4, 1);
    const chosen = newChosenComps();
    const value = createValuer(fitTo(joined(risen, few), asOfDay, MONTANA.county).model, chosen);
    const parcel = { lon: MONTANA.west + 0.2, lat: MONTANA.south + 0.2, acres: 2 };
    const { meanAdjustedPrice } = value(parcel)!;
    expect(chosen.count).toBe(4);
    for (const time of chosen.time.subarray(0, 4)) expect(Math.abs(Math.expm1(time))).toBeLessThan(0.03);
    expect(meanAdjustedPrice).toBeGreaterThan(0.97 * 10_500);
    expect(meanAdjustedPrice).toBeLessThan(1.03 * 10_950);
    // Of five sales at two thirds of the price a fifth at most is believed.
    const five = lately(
      soldOn(generateSales({ ...MARKET, noise: 0.05 }, 205, 3), i => asOfDay - (i < 5 ? 9 : 400) - i),
      365,
      -0.4,
    );
    expect(Math.abs(lagIn(five))).toBeLessThan(0.2 * 0.4);
  });

  test('is not changed by quiet sales of another state', () => {
    const alone = lagIn(risen);
    const beside = lagIn(joined(risen, alike({ ...MARKET, county: 55_025, west: -89 }, 28, 1)));
    expect(Math.abs(beside - alone)).toBeLessThan(0.02);
  });

  test("is taken from last year's sales alone, even if there are few or none", () => {
    expect(lagIn(lately(quiet, 365, 0.4), county, asOfDay + 370)).toBe(0);
    const thin = generateSales(MARKET, 60, 4);
    const older = lately(
      soldOn(thin, i => asOfDay - 366 - 20 * i),
      1_000,
      0.4,
    );
    expect(Math.abs(lagIn(older))).toBe(0);
  });
});
