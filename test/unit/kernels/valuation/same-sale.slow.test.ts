import { describe, expect, test } from 'vitest';
import { backtest } from '../../../../shared/kernels/valuation/backtest.ts';
import type { Comps } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { fitTo, generateSales, joined, MARKET } from '../../../support/sales.ts';

const { asOfDay } = MARKET;
const [ROLL, LISTINGS, OTHER] = [1, 2, 3];

const of = (comps: Comps, feed: number): Comps & { feed: Int32Array; ofRoll: Uint8Array } => ({
  ...comps,
  feed: new Int32Array(comps.count).fill(feed),
  ofRoll: new Uint8Array(comps.count).fill(feed === ROLL ? 1 : 0),
});
type Sourced = ReturnType<typeof of>;
const together = (...parts: Sourced[]): Sourced => ({
  ...joined(...parts),
  feed: Int32Array.from(parts.flatMap(({ feed }) => [...feed])),
  ofRoll: Uint8Array.from(parts.flatMap(({ ofRoll }) => [...ofRoll])),
});
const changed = (sales: Sourced, change: { [Column in 'lon' | 'acres' | 'price' | 'soldDay']?: number }) => ({
  ...sales,
  lon: sales.lon.map(lon => lon + (change.lon ?? 0)),
  acres: sales.acres.map(acres => acres * (change.acres ?? 1)),
  price: sales.price.map(price => price * (change.price ?? 1)),
  soldDay: sales.soldDay.map(day => day + (change.soldDay ?? 0)),
});
/** The sales that a model is fitted to. */
const known = (comps: Comps) => [...fitTo(comps, asOfDay).model.sales.source].sort((a, b) => a - b);

const roll = of(generateSales({ ...MARKET, noise: 0.4 }, 300, 1), ROLL);
const older = { ...roll, soldDay: roll.soldDay.map(day => day - 60) };
const closings = of(older, LISTINGS);

describe('a sale that two sources tell', () => {
  test.each([
    ['the listing closes before the deed is recorded', -20],
    ['it is reported after the deed', 60],
    ['both on one day', 0],
  ])('counts once: %s', (_, days) => {
    const feed = changed(closings, { soldDay: days, acres: 1.015, lon: 0.002 });
    const alone = fitTo(days < 0 ? feed : older, asOfDay);
    const both = fitTo(together(of(older, ROLL), feed), asOfDay);
    expect(both.model.calibration).toEqual(alone.model.calibration);
    expect(both.estimates).toEqual(alone.estimates);
    // The record of the earlier day stays, of one day the roll's.
    const stays = [...both.model.sales.source].every(i => (days < 0 ? i >= roll.count : i < roll.count));
    expect(stays).toBe(true);
    expect(both.outliers.size).toBe(alone.outliers.size + (days < 0 ? roll.count : closings.count));
  });

  test('is told by a third as well', () => {
    const third = changed(of(older, OTHER), { soldDay: 5 });
    expect(known(together(of(older, ROLL), closings, third))).toEqual(known(older));
  });

  test('tells what was asked, whichever record knows it', () => {
    const asked = Float64Array.from([
      ...older.price.map(() => Number.NaN),
      ...older.price.map(price => price / 0.9),
    ]);
    const comps = { ...together(of(older, ROLL), closings), asked };
    expect(Math.exp(fitTo(comps, asOfDay).model.discount.log)).toBeCloseTo(0.9, 2);
  });

  test.each([
    ['another price', { price: 1.001 }],
    ['another size', { acres: 1.03 }],
    ['another place', { lon: 0.02 }],
    ['two months and a day later', { soldDay: 61 }],
  ])('is not one of %s', (_, change) => {
    const early = changed(of(older, ROLL), { soldDay: -100 });
    const both = together(early, changed(of(early, LISTINGS), change));
    const { model, outliers } = fitTo(both, asOfDay);
    expect(model.sales.source.length + outliers.size).toBe(2 * roll.count);
    expect([...model.sales.source].filter(i => i >= roll.count).length).toBeGreaterThan(0.9 * roll.count);
  });
});

test("a developer's lots of one price are several sales, and each record of a feed is one of them", () => {
  const lots = (count: number, feed: number) => {
    const sales = generateSales(MARKET, count, 3);
    return of(
      {
        ...sales,
        lon: sales.lon.map((_, i) => MARKET.west + 0.2 + i / 5_000),
        lat: sales.lat.fill(MARKET.south + 0.2),
        acres: sales.acres.fill(1),
        price: sales.price.fill(30_000),
        soldDay: sales.soldDay.map((_, i) => asOfDay - 50 + i),
      },
      feed,
    );
  };
  expect(known(lots(8, ROLL))).toHaveLength(8);
  expect(known(together(lots(8, ROLL), lots(8, LISTINGS)))).toHaveLength(8);
  expect(known(together(lots(8, ROLL), lots(3, LISTINGS)))).toHaveLength(8);
  expect(known(together(lots(3, ROLL), lots(8, LISTINGS)))).toHaveLength(8);
});

test('a sale is never its own comp in a backtest', () => {
  const options = { fromDay: asOfDay - 90, toDay: asOfDay };
  const alone = backtest(older, options);
  const twins = together(of(older, ROLL), changed(closings, { soldDay: 20 }));
  const { sales, valued, methods } = backtest(twins, options);
  expect({ sales, valued, methods }).toEqual({
    sales: alone.sales,
    valued: alone.valued,
    methods: alone.methods,
  });
  // Counted twice, they would seem to foretell themselves.
  const { feed: _, ...unknown } = twins;
  expect(backtest(unknown, options).methods.model!.mdape).toBeLessThan(0.8 * alone.methods.model!.mdape);
}, 180_000);
