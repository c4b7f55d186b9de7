import { describe, expect, test } from 'vitest';
import { findRepeatSales } from '../../../../shared/kernels/valuation/repeat-sales.ts';
import { salesUntil } from '../../../../shared/kernels/valuation/same-sale.ts';
import type { Comps } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { createRandom } from '../../../bench/generate/random.ts';
import { emptyComps, fitTo, generateSales, MARKET } from '../../../support/sales.ts';

type Sale = { lot: number; day: number; price: number; approved?: number; county?: number };

function compsOf(sales: readonly Sale[]): Comps {
  const comps = emptyComps(sales.length);
  comps.acres.fill(1);
  comps.soldDay.set(sales.map(({ day }) => day));
  comps.price.set(sales.map(({ price }) => price));
  comps.county.set(sales.map(({ county = 1 }) => county));
  return {
    ...comps,
    lot: Float64Array.from(sales, ({ lot }) => lot),
    approved: Uint8Array.from(sales, ({ approved = 0 }) => approved),
  };
}
const found = (...sales: Sale[]) => {
  const { twoDates, resold } = findRepeatSales(compsOf(sales), sales.keys());
  return { twoDates: [...twoDates], resold: [...resold] };
};
const sale = (day: number, price = 10, rest: Partial<Sale> = {}): Sale => ({ lot: 7, day, price, ...rest });

describe('sales of one lot', () => {
  test('at the same price within 90 days are one sale, and the earlier record is kept', () => {
    expect(found(sale(0), sale(90))).toEqual({ twoDates: [1], resold: [] });
    expect(found(sale(0), sale(91))).toEqual({ twoDates: [], resold: [] });
    expect(found(sale(0), sale(60), sale(90), sale(120))).toEqual({ twoDates: [1, 2], resold: [] });
  });

  test('at different prices within 90 days mark the earlier one as resold', () => {
    expect(found(sale(0), sale(90, 20))).toEqual({ twoDates: [], resold: [0] });
    expect(found(sale(0), sale(91, 20))).toEqual({ twoDates: [], resold: [] });
    expect(found(sale(0), sale(10), sale(50, 20))).toEqual({ twoDates: [1], resold: [0] });
  });

  test('do not include those of other lots, in other counties, of unknown lots, or approved ones', () => {
    const none = { twoDates: [], resold: [] };
    expect(found(sale(0), sale(1, 10, { lot: 8 }))).toEqual(none);
    expect(found(sale(0), sale(1, 10, { county: 2 }))).toEqual(none);
    expect(found(sale(0, 10, { lot: NaN }), sale(1, 10, { lot: NaN }))).toEqual(none);
    expect(found(sale(0), sale(1, 10, { approved: 1 }))).toEqual(none);
  });
});

test('a sale is dropped if and only if the last kept one has the same price within 90 days', () => {
  const random = createRandom(5);
  for (let round = 0; round < 200; round++) {
    const sales = Array.from({ length: 12 }, () =>
      sale(Math.floor(random() * 600), 1 + Math.floor(random() * 2), { lot: Math.floor(random() * 3) }),
    ).sort((a, b) => a.day - b.day);
    const { twoDates, resold } = findRepeatSales(compsOf(sales), sales.keys());
    for (let lot = 0; lot < 3; lot++) {
      const own = [...sales.keys()].filter(i => sales[i]!.lot === lot);
      const kept = own.filter(i => !twoDates.has(i));
      for (const [k, i] of kept.entries()) {
        const next = kept[k + 1];
        const isSoon = next !== undefined && sales[next]!.day - sales[i]!.day <= 90;
        expect(resold.has(i)).toBe(isSoon);
        if (isSoon) expect(sales[next]!.price).not.toBe(sales[i]!.price);
      }
      for (const i of own.filter(one => twoDates.has(one))) {
        const before = kept.filter(one => one < i).at(-1)!;
        expect(sales[i]!.price).toBe(sales[before]!.price);
        expect(sales[i]!.day - sales[before]!.day).toBeLessThanOrEqual(90);
      }
    }
  }
});

test('deeds with two dates change no estimate', () => {
  const sales = generateSales(MARKET, 300, 2);
  const lot = Float64Array.from(sales.lon.keys());
  const twice = (column: Float64Array | Int32Array | Uint8Array) =>
    (column.constructor as Float64ArrayConstructor).from([...column, ...column]);
  const both = Object.fromEntries(
    Object.entries(sales).map(([name, column]) => [
      name,
      typeof column === 'object' ? twice(column as Float64Array) : column,
    ]),
  ) as unknown as Comps;
  const doubled: Comps = {
    ...both,
    count: 600,
    lot: twice(lot) as Float64Array,
    soldDay: Int32Array.from([...sales.soldDay, ...sales.soldDay.map(day => day + 20)]),
  };
  const asOfDay = MARKET.asOfDay + 30;
  expect([...salesUntil(doubled, asOfDay).all]).toEqual([...salesUntil(sales, asOfDay).all]);
  expect(fitTo(doubled, asOfDay).estimates).toEqual(fitTo(sales, asOfDay).estimates);
});

test('a sale that an operator approved is never an outlier', () => {
  const sales = generateSales(MARKET, 200, 4);
  sales.price[17]! *= 400;
  expect(fitTo(sales).outliers.has(17)).toBe(true);
  const approved = new Uint8Array(200);
  approved[17] = 1;
  expect(fitTo({ ...sales, approved }).outliers.has(17)).toBe(false);
});
