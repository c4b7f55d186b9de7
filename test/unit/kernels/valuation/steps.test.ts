import { expect, test } from 'vitest';
import type { Comps } from '../../../../shared/kernels/valuation/valuation-types.ts';
import { fitTo, generateSales, joined, MARKET } from '../../../support/sales.ts';

const { asOfDay } = MARKET;
const meters = (comps: Comps) => fitTo(comps, asOfDay).model.steps.meters;

test('a step on the ground does not hang on whether land close together was sold first or last', () => {
  const wide = generateSales(MARKET, 1_600, 1);
  const all = generateSales(MARKET, 400, 2);
  const village: Comps = { ...all, lon: all.lon.fill(MARKET.west + 0.2), lat: all.lat.fill(MARKET.south) };
  village.lon.forEach((lon, i) => {
    village.lon[i] = lon + (i % 20) / 5_000;
    village.lat[i]! += Math.floor(i / 20) / 5_000;
  });
  const soldFrom = (sales: Comps, day: number): Comps => ({
    ...sales,
    soldDay: sales.soldDay.map((_, i) => day + i),
  });
  const first = meters(joined(soldFrom(village, asOfDay - 3_000), soldFrom(wide, asOfDay - 1_700)));
  const last = meters(joined(soldFrom(wide, asOfDay - 3_000), soldFrom(village, asOfDay - 1_000)));
  expect(last).toBeGreaterThan(1_000);
  expect(Math.abs(first / last - 1)).toBeLessThan(0.1);
});
