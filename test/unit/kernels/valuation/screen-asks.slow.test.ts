import { describe, expect, test } from 'vitest';
import { newChosenComps } from '../../../../shared/kernels/valuation/select.ts';
import { ACTIVE, type Comps, NO_DAY } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../../../shared/kernels/valuation/value-parcel.ts';
import { emptyComps, fitTo, generateSales, joined, MARKET } from '../../../support/sales.ts';

const { asOfDay, county, west, south } = MARKET;
const FAR = west + 8;

/** Listings for sale of 2 acres each, side by side. */
function asking(prices: readonly number[], lon: number, fips = county, acres = 2): Comps {
  const asks = emptyComps(prices.length);
  asks.lon.set(prices.map((_, i) => lon + 0.2 + i / 1_000));
  asks.lat.fill(south + 0.2);
  asks.acres.fill(acres);
  asks.price.set(prices);
  asks.status.fill(ACTIVE);
  asks.soldDay.fill(NO_DAY);
  asks.county.fill(fips);
  return asks;
}
const parcel = (lon: number) => ({ lon: lon + 0.2, lat: south + 0.2, acres: 2 });
/** What the comps that a parcel is valued by are priced at. */
function pricesUsed(comps: Comps, at: ReturnType<typeof parcel>): number[] {
  const chosen = newChosenComps();
  createValuer(fitTo(comps, asOfDay).model, chosen)(at);
  return Array.from(chosen.source.subarray(0, chosen.count), i => comps.price[i]!).sort((a, b) => a - b);
}
/** The asking prices that count in a county without sales; nothing is valued by them alone there. */
function soundOf(comps: Comps): number[] {
  const { model } = fitTo(comps, asOfDay, 53_001);
  expect(createValuer(model)(parcel(FAR))).toBeNull();
  return Array.from(model.asking.source, i => comps.price[i]!);
}

const sales = generateSales(MARKET, 600, 1);
const FAIR = [11_000, 12_000, 12_500, 13_000];

describe('outlier asking prices', () => {
  test('are excluded by the sales of their county', () => {
    const comps = joined(sales, asking([...FAIR, 1, 1_000_000_000], FAR));
    expect(pricesUsed(comps, parcel(FAR))).toEqual(FAIR);
  });

  test('are excluded by the other asking prices if nothing was sold', () => {
    for (const others of [sales, emptyComps(0)]) {
      expect(soundOf(joined(others, asking([...FAIR, 1, 1_000_000_000], FAR, 53_001)))).toEqual(FAIR);
    }
  });

  test('do not include expensive land among expensive land, whatever prices are elsewhere', () => {
    const dear = FAIR.map(price => 200 * price);
    expect(soundOf(joined(sales, asking(dear, FAR, 53_001)))).toEqual(dear);
  });

  test('do not include a listing of another size', () => {
    const large = [...FAIR].map(price => price * 4);
    const comps = joined(sales, asking(large, FAR, county, 40));
    expect(pricesUsed(comps, { ...parcel(FAR), acres: 40 })).toEqual(large);
  });
});

describe('an estimate by asking prices alone', () => {
  const comps = joined(sales, asking(FAIR, FAR));
  const { model } = fitTo(comps, asOfDay);

  test('is out of support', () => {
    expect(createValuer(model)(parcel(FAR))!.outOfSupport).toBe(true);
    expect(createValuer(model)(parcel(west))!.outOfSupport).toBe(false);
    // A sale among them is enough.
    const sold = emptyComps(1);
    sold.lon[0] = FAR + 0.2;
    sold.lat[0] = south + 0.2;
    sold.acres[0] = 2;
    sold.price[0] = 12_000;
    sold.soldDay[0] = asOfDay - 5;
    sold.county[0] = county;
    expect(createValuer(fitTo(joined(comps, sold), asOfDay).model)(parcel(FAR))!.outOfSupport).toBe(false);
  });

  test('has an interval that is wider by what sales may be off from asking prices', () => {
    const width = ({ low, high }: { low: number; high: number }) => Math.log(high / low);
    const valued = (deviation: number) =>
      createValuer({ ...model, discount: { log: -0.1, deviation } })(parcel(FAR))!;
    const added = Math.sqrt(width(valued(0.2)) ** 2 - width(valued(0)) ** 2);
    // 80 % of a normal distribution.
    expect(added).toBeCloseTo(2 * 1.2816 * 0.2, 4);
    expect(model.discount.deviation).toBeGreaterThan(0.1);
    const byModel = createValuer(model)(parcel(FAR))!;
    expect(width(byModel)).toBeGreaterThan(width(valued(0.1)));
    // Where there are sales it does not matter.
    const wide = createValuer({ ...model, discount: { log: 0, deviation: 5 } });
    expect(wide(parcel(west))).toEqual(createValuer(model)(parcel(west)));
  });

  test('knows the ratio the better, the more sales tell it', () => {
    const told: Comps = { ...sales, asked: sales.price.map(price => price / 0.9) };
    expect(fitTo(told, asOfDay).model.discount.deviation).toBeLessThan(0.05);
  });
});

test('asking prices of more than a year ago count nowhere; those of an unknown day do', () => {
  const listedOn = (days: number): Comps => {
    const asks = asking(FAIR, FAR);
    return { ...asks, listedDay: asks.listedDay.fill(days) };
  };
  const fittedTo = (asks: Comps) => fitTo(joined(sales, asks), asOfDay);
  const asksOf = (asks: Comps) => fittedTo(asks).model.asking.source.length;
  expect(asksOf(listedOn(NO_DAY))).toBe(4);
  expect(asksOf(listedOn(asOfDay - 365))).toBe(4);
  expect(asksOf(listedOn(asOfDay - 366))).toBe(0);
  expect(asksOf(listedOn(asOfDay))).toBe(4);
  expect(asksOf(listedOn(asOfDay + 1))).toBe(0);
  expect(fittedTo(listedOn(asOfDay - 366)).estimates).toEqual(fitTo(sales, asOfDay).estimates);
  expect(createValuer(fittedTo(listedOn(asOfDay - 5 * 365)).model)(parcel(FAR))).toBeNull();
  // Known to a model of their own time.
  expect(fitTo(joined(sales, listedOn(asOfDay - 366)), asOfDay - 1).model.asking.source).toHaveLength(4);
});

test('comps of less than a hundredth of an acre count nowhere', () => {
  const tiny = emptyComps(3);
  tiny.lon.fill(west + 0.2);
  tiny.lat.fill(south + 0.2);
  tiny.acres.set([1e-6, 1e-6, 0.0099]);
  tiny.price.fill(100_000);
  tiny.soldDay.fill(asOfDay - 3);
  tiny.county.fill(county);
  tiny.status[2] = ACTIVE;
  tiny.soldDay[2] = NO_DAY;
  const few = generateSales(MARKET, 40, 7);
  const alone = fitTo(few, asOfDay);
  const beside = fitTo(joined(few, tiny), asOfDay);
  expect(beside.estimates).toEqual(alone.estimates);
  const used = ({ model, outliers }: typeof beside) =>
    model.sales.source.length + model.asking.source.length + outliers.size;
  expect(used(beside)).toBe(40);
  // One at the edge counts.
  tiny.acres[0] = 0.01;
  expect(used(fitTo(joined(few, tiny), asOfDay))).toBe(41);
});
