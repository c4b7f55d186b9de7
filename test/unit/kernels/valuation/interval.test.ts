import { describe, expect, test } from 'vitest';
import type { Calibration } from '../../../../shared/kernels/valuation/calibrate.ts';
import { newChosenComps } from '../../../../shared/kernels/valuation/select.ts';
import type { Comps } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { createConclusion, createValuer } from '../../../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../../../bench/generate/random.ts';
import { fitTo, generateSales, MARKET, normal } from '../../../support/sales.ts';

const { asOfDay, west, south } = MARKET;

describe('an interval', () => {
  test('reaches down where past estimates were too high, and up where they were too low', () => {
    const sales = generateSales(MARKET, 300, 1);
    const { model } = fitTo(sales);
    const chosen = newChosenComps();
    createValuer(model, chosen)({ lon: west + 0.25, lat: south + 0.25, acres: 3 });
    const concluded = (errors: number[]) => {
      const calibration: Calibration = { ...model.calibration, errors, level: 0 };
      return createConclusion({ ...model, calibration })(chosen, 3);
    };
    // An error is ln(estimate / price): above 0 the estimate was too high.
    const tooHigh = Array.from({ length: 99 }, (_, i) => (i < 50 ? -0.1 : 1 + i / 100));
    const tooLow = tooHigh.map(error => -error).reverse();
    for (const [errors, sign] of [
      [tooHigh, 1],
      [tooLow, -1],
    ] as const) {
      const { low, high, meanAdjustedPrice } = concluded(errors);
      const down = Math.log(meanAdjustedPrice / low);
      const up = Math.log(high / meanAdjustedPrice);
      expect(low).toBeLessThan(high);
      expect(sign * (down - up)).toBeGreaterThan(0);
    }
  });

  test('is measured without the sales of the same day', () => {
    // The lots of a subdivision are sold twelve a day at one price, which differs by much from day to day.
    const random = createRandom(9);
    const sales = generateSales({ ...MARKET, noise: 0, relief: 0, trend: 0 }, 480, 7);
    const auctions: Comps = { ...sales, price: sales.price.slice(), soldDay: sales.soldDay.slice() };
    for (let first = 0; first < 480; first += 12) {
      const factor = Math.exp(0.6 * normal(random));
      for (let i = first; i < first + 12; i++) {
        auctions.soldDay[i] = asOfDay - 5 * first - 60;
        auctions.lon[i] = west + 0.2 + i / 100_000;
        auctions.lat[i] = south + 0.2;
        auctions.acres[i] = 2;
        auctions.price[i] = 20_000 * factor;
      }
    }
    const value = createValuer(fitTo(auctions).model);
    const { low, high } = value({ lon: west + 0.2, lat: south + 0.2, acres: 2 })!;
    // Four of five prices lie within ±0.77 of the logarithm; the others of its day would tell each price.
    expect(Math.log(high / low)).toBeGreaterThan(2 * 1.28 * 0.6);
  });
});
