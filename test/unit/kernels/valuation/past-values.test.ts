import { expect, test } from 'vitest';
import { valuePastSales } from '../../../../shared/kernels/valuation/past-values.ts';
import { generateSales, MARKET } from '../../../support/sales.ts';

test('a past sale is valued without its own price, and without those of its day and after', () => {
  const sales = generateSales(MARKET, 120, 7);
  const latest = Array.from(sales.soldDay.keys())
    .sort((a, b) => sales.soldDay[b]! - sales.soldDay[a]!)
    .slice(0, 10);
  const values = valuePastSales(sales, MARKET.county, latest);
  expect(values.size).toBe(10);
  const moved = { ...sales, price: sales.price.map((price, i) => (latest.includes(i) ? 10 * price : price)) };
  expect(valuePastSales(moved, MARKET.county, latest)).toEqual(values);
  // What was known before counts.
  const before = {
    ...sales,
    price: sales.price.map((price, i) => (latest.includes(i) ? price : 10 * price)),
  };
  for (const [sale, value] of valuePastSales(before, MARKET.county, latest))
    expect(value.meanAdjustedPrice / values.get(sale)!.meanAdjustedPrice).toBeCloseTo(10, 6);
});

test('a sale before which nothing is known has no value', () => {
  const sales = generateSales(MARKET, 20, 3);
  const first = sales.soldDay.indexOf(Math.min(...sales.soldDay));
  expect(valuePastSales(sales, MARKET.county, [first])).toEqual(new Map());
});
