import { expect, test } from 'vitest';
import { backtest } from '../../../../shared/kernels/valuation/backtest.ts';
import { generateSales, MARKET } from '../../../support/sales.ts';

const { asOfDay } = MARKET;

/** 208 sales, one every so many days. */
function soldEvery(days: number) {
  const sales = generateSales(MARKET, 208, 1);
  return { ...sales, soldDay: sales.soldDay.map((_, i) => asOfDay - days * i) };
}

test('a backtest says how long before each sale its knowledge ends', () => {
  const sales = soldEvery(3);
  const few = backtest(sales, { fromDay: asOfDay - 90, toDay: asOfDay });
  expect(few).toMatchObject({ sales: 31, fits: 31, daysBefore: { median: 1, most: 1 } });
  // With more than 200 days of sale every second is valued with the model of the one before.
  const many = backtest(sales, { fromDay: asOfDay - 624, toDay: asOfDay });
  expect(many).toMatchObject({ sales: 208, fits: 104, daysBefore: { median: 2.5, most: 4 } });
  const none = backtest(sales, { fromDay: asOfDay + 1, toDay: asOfDay + 9 });
  expect(none).toMatchObject({ sales: 0, fits: 0, daysBefore: null });
}, 180_000);
