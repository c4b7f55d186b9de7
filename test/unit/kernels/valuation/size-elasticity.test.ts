import { expect, test } from 'vitest';
import {
  countyElasticity,
  DEFAULT_ELASTICITY,
  ppaAtSize,
} from '../../../../shared/kernels/valuation/size-elasticity.ts';
import { fitTo, generateSales, MARKET } from '../../../support/sales.ts';

test("valuations use the county's own elasticity, or the default if there are no sales", () => {
  const { model, estimates } = fitTo(generateSales(MARKET, 400, 1), MARKET.asOfDay);
  const known = new Map([[model.county, estimates.effects[0]!]]);
  expect(countyElasticity(known, model.county)).toBeCloseTo(model.effects.elasticity, 9);
  expect(countyElasticity(new Map(), model.county)).toBe(DEFAULT_ELASTICITY);
  // A single other county isn't enough to estimate this one.
  expect(countyElasticity(known, 50_001)).toBe(DEFAULT_ELASTICITY);
});

test('a county without sales gets the elasticity that other counties agree on', () => {
  const agreed = new Map(
    Array.from({ length: 8 }, (_, i) => [33_001 + 2 * i, { value: -0.8, variance: 1e-4 }]),
  );
  expect(countyElasticity(agreed, 33_099)).toBeCloseTo(-0.8, 1);
});

test('a price per acre stays the same at its own size, and falls for a larger lot', () => {
  expect(ppaAtSize(12_345.67, 2.56, 2.56, -0.6)).toBe(12_345.67);
  expect(ppaAtSize(10_000, 1, 4, -0.5)).toBe(5_000);
});
