import { describe, expect, test } from 'vitest';
import { backtest } from '../../shared/kernels/valuation/backtest.ts';
import type { Comps } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../bench/generate/random.ts';
import { fitTo, generateSales, MARKET, normal } from '../support/sales.ts';

const EVERY = 300;

/**
 * Sales of lots that differ by more than place, size and time tell (a view, a shore), and what the assessor
 * held each for. @param knows of what they differ by @param off by so much besides
 */
function assessed(count: number, knows: number, off: number, seed: number): Comps {
  const sales = generateSales({ ...MARKET, noise: 0.35 }, count, seed);
  // A backtest fits its model for every day of sale.
  sales.soldDay = sales.soldDay.map(
    day => MARKET.asOfDay - EVERY * Math.floor((MARKET.asOfDay - day) / EVERY),
  );
  const random = createRandom(1000 + seed);
  const column = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const quality = normal(random);
    sales.price[i]! *= Math.exp(0.4 * quality);
    column[i] = 0.4 * knows * quality + off * normal(random);
  }
  return { ...sales, assessed: column };
}

function errors(sales: Comps) {
  const options = { fromDay: MARKET.asOfDay - 3 * EVERY, toDay: MARKET.asOfDay };
  const study = (comps: Comps) => backtest(comps, options);
  const [beside, without] = [study(sales), study({ ...sales, assessed: undefined })];
  return {
    beside: beside.methods.model!.mdape,
    without: without.methods.model!.mdape,
    coverage: beside.coverage!,
  };
}

test('an assessor who knows what land is like makes values better', () => {
  for (const seed of [1, 2]) {
    const { beside, without, coverage } = errors(assessed(400, 1, 0.2, seed));
    expect(beside).toBeLessThan(without - 1);
    expect(coverage).toBeGreaterThan(70);
    expect(coverage).toBeLessThan(92);
  }
});

test('one who knows nothing makes none worse', () => {
  for (const seed of [1, 2]) {
    const { beside, without } = errors(assessed(400, 0, 0.5, seed));
    expect(beside).toBeLessThan(without + 0.5);
  }
});

/** The county's first roll was set on a day. Sales before it have the values of that roll. */
const firstRollOn = (sales: Comps, day: number): Comps => ({
  ...sales,
  assessedDay: sales.soldDay.map(sold => Math.max(sold - 1, day)),
});
/** Mean |ln(estimate / price)| of the sales of a day, valued as of the day before. */
function errorOn(sales: Comps, day: number): number {
  const value = createValuer(fitTo(sales, day - 1).model);
  const sold = Array.from(sales.soldDay.keys()).filter(i => sales.soldDay[i] === day);
  const errors = sold.map(i => {
    const subject = { lon: sales.lon[i]!, lat: sales.lat[i]!, acres: sales.acres[i]! };
    const { meanAdjustedPrice } = value({ ...subject, assessed: sales.assessed![i]! })!;
    return Math.abs(Math.log(meanAdjustedPrice / sales.price[i]!));
  });
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}

const withoutOlder = (sales: Comps, day: number): Comps => ({
  ...sales,
  assessed: sales.assessed!.map((one, i) => (sales.soldDay[i]! > day ? one : Number.NaN)),
});

test('the first roll also tells older sales apart, so that few later sales show what it is worth', () => {
  const firstDay = MARKET.asOfDay - 4 * EVERY;
  let [shared, alone] = [0, 0];
  for (const seed of [1, 2, 3])
    for (const back of [1, 2]) {
      const sales = assessed(200, 1, 0.1, seed);
      shared += errorOn(firstRollOn(sales, firstDay), MARKET.asOfDay - back * EVERY);
      alone += errorOn(withoutOlder(sales, firstDay), MARKET.asOfDay - back * EVERY);
    }
  expect(shared).toBeLessThan(0.95 * alone);
});

describe('an assessor who sets the values of sold land from its prices', () => {
  /** The roll's values of sold land are its prices, and those of other land are noise. */
  function chased(seed: number, firstDay: number): Comps {
    const sales = assessed(300, 0, 0.5, seed);
    const values = sales.assessed!.map((one, i) =>
      sales.soldDay[i]! <= firstDay ? Math.log(sales.price[i]! / sales.acres[i]! ** 0.4) - 9 : one,
    );
    return firstRollOn({ ...sales, assessed: values }, firstDay);
  }

  test('has no weight when all sales are older than the roll', () => {
    for (const seed of [1, 2, 3]) {
      const { model } = fitTo(chased(seed, MARKET.asOfDay));
      expect(model.opinion).toBe(0);
    }
  });

  test('makes no values worse', () => {
    for (const seed of [1, 2]) {
      const { beside, without } = errors(chased(seed, MARKET.asOfDay - 4 * EVERY));
      expect(beside).toBeLessThan(without + 0.5);
    }
  });
});

test('a roll changes nothing before its day', () => {
  const sales = assessed(200, 1, 0.1, 5);
  const place = { lon: MARKET.west + 0.2, lat: MARKET.south + 0.2, acres: 3, assessed: 0.4 };
  const value = (comps: Comps) => createValuer(fitTo(comps).model)(place)!.meanAdjustedPrice;
  const later = { ...sales, assessedDay: sales.soldDay.map(() => MARKET.asOfDay + 1) };
  expect(value(later)).toBe(value({ ...sales, assessed: undefined }));
});
