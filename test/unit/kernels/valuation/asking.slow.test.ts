import { describe, expect, test } from 'vitest';
import { newChosenComps } from '../../../../shared/kernels/valuation/select.ts';
import { ACTIVE, type Comps } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../../../bench/generate/random.ts';
import { fitTo, generateSales, joined, MARKET, normal } from '../../../support/sales.ts';

const { asOfDay, county } = MARKET;

/** Sales of which a share is known what was asked before: the price over `ratio`, give or take 5 %. */
function soldAfterListing(
  market: typeof MARKET,
  count: number,
  seed: number,
  ratio: number,
  share = 1,
): Comps {
  const random = createRandom(seed);
  const sales = generateSales(market, count, seed);
  const asked = sales.price.map(price =>
    random() < share ? price / (ratio * Math.exp(0.05 * normal(random))) : Number.NaN,
  );
  return { ...sales, asked };
}

/** Listings for sale that ask so many times what sales bring. */
function forSale(market: typeof MARKET, count: number, seed: number, times: number): Comps {
  const listed = generateSales(market, count, seed);
  // As if sold today, without the years' trend.
  for (let i = 0; i < count; i++)
    listed.price[i]! *= times * Math.exp((market.trend * (asOfDay - listed.soldDay[i]!)) / 365.25);
  return { ...listed, status: new Uint8Array(count).fill(ACTIVE) };
}

/** Comps of several generated markets, what was asked included. */
function together(...parts: Comps[]): Comps {
  const asked = parts.flatMap(({ asked: own, count }) => [
    ...(own ?? new Float64Array(count).fill(Number.NaN)),
  ]);
  return { ...joined(...parts), asked: Float64Array.from(asked) };
}

const ratioOf = (comps: Comps, day = asOfDay) => Math.exp(fitTo(comps, day).model.discount.log);

describe('the list-to-sale ratio', () => {
  test.each([0.8, 0.93, 1.04])('is found where listings sell at %f of the asking price', ratio => {
    // What listings ask now says something else.
    const comps = together(soldAfterListing(MARKET, 2_000, 1, ratio, 0.5), forSale(MARKET, 100, 2, 1.6));
    const allowed = Math.max(0.01, 0.1 * Math.abs(1 - ratio));
    expect(Math.abs(ratioOf(comps) - ratio)).toBeLessThan(allowed);
  });

  test('does not hang on asking prices that were mistyped', () => {
    const sales = soldAfterListing(MARKET, 600, 3, 0.9);
    for (let i = 0; i < 600; i += 5) sales.asked![i]! *= i % 2 === 0 ? 10 : 0.01;
    expect(Math.abs(ratioOf(sales) - 0.9)).toBeLessThan(0.01);
    // Not even where they are all that is known.
    const last = sales.soldDay.indexOf(Math.max(...sales.soldDay));
    const only = sales.asked!.map((_, i) => (i === last ? 1 : Number.NaN));
    expect(ratioOf({ ...sales, asked: only })).toBe(1);
  });

  test("is the county's own; with few sales, it is pulled toward other counties, if those agree", () => {
    const of = (fips: number, count: number, seed: number, ratio: number) =>
      fitTo(soldAfterListing({ ...MARKET, county: fips }, count, seed, ratio), asOfDay, fips);
    const others = new Map(
      [0.86, 0.87, 0.87, 0.88].map((ratio, i) => [19_001 + i, of(19_001 + i, 400, 4 + i, ratio).estimates]),
    );
    const beside = (comps: Comps, fips: number) =>
      Math.exp(fitTo(comps, asOfDay, fips, others).model.discount.log);
    const few = soldAfterListing({ ...MARKET, county: 19_099 }, 40, 9, 0.6);
    few.asked = few.asked!.map((asked, i) => (i < 4 ? asked : Number.NaN));
    expect(Math.abs(beside(soldAfterListing(MARKET, 400, 10, 0.95), county) - 0.95)).toBeLessThan(0.02);
    expect(beside(few, 19_099)).toBeGreaterThan(0.7);
    expect(Math.abs(beside(generateSales(MARKET, 60, 11), county) - 0.87)).toBeLessThan(0.03);
  });

  test('is estimated from asking prices and sale prices if there is no listing history', () => {
    const comps = together(generateSales(MARKET, 600, 11), forSale(MARKET, 300, 12, 1.25));
    expect(Math.abs(ratioOf(comps) - 0.8)).toBeLessThan(0.05);
    expect(ratioOf(together(generateSales(MARKET, 600, 11), forSale(MARKET, 300, 12, 0.7)))).toBe(1);
    expect(ratioOf(generateSales(MARKET, 600, 11))).toBe(1);
  });

  test('knows of no later sale, and not of those of three years ago', () => {
    const sales = soldAfterListing(MARKET, 600, 13, 0.9);
    const day = asOfDay - 300;
    const changed = (when: (sold: number) => boolean): Comps => ({
      ...sales,
      asked: sales.asked!.map((price, i) => (when(sales.soldDay[i]!) ? 1.5 * price : price)),
    });
    expect(
      ratioOf(
        changed(sold => sold > day),
        day,
      ),
    ).toBe(ratioOf(sales, day));
    expect(
      ratioOf(
        changed(sold => sold < day - 1_100),
        day,
      ),
    ).toBe(ratioOf(sales, day));
    expect(
      ratioOf(
        changed(
          sold =>
            sold ===
            sales.soldDay
              .filter(one => one <= day)
              .sort()
              .at(-1),
        ),
        day,
      ),
    ).not.toBe(ratioOf(sales, day));
  });

  test('moves the asking prices among the comps of a parcel, and no sale', () => {
    const far = { ...MARKET, west: MARKET.west + 5 };
    const comps = together(soldAfterListing(MARKET, 600, 14, 0.9), forSale(far, 40, 15, 1.1));
    const chosen = newChosenComps();
    const value = createValuer(fitTo(comps, asOfDay).model, chosen);
    const moved = () => Array.from(chosen.asking.subarray(0, chosen.count), one => Math.exp(one));
    expect(value({ lon: far.west + 0.25, lat: far.south + 0.25, acres: 3 })).not.toBeNull();
    expect(moved().length).toBeGreaterThan(2);
    for (const one of moved()) expect(one).toBeCloseTo(0.9, 2);
    value({ lon: MARKET.west + 0.25, lat: MARKET.south + 0.25, acres: 3 });
    expect(moved()).toEqual(new Array(chosen.count).fill(1));
  });
});
