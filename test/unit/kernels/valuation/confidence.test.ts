import { expect, test } from 'vitest';
import { createValuer } from '../../../../shared/kernels/valuation/value-parcel.ts';
import { fitTo, generateSales, MARKET } from '../../../support/sales.ts';

const { asOfDay, west, south } = MARKET;
const parcel = (acres: number) => ({ lon: west + 0.25, lat: south + 0.25, acres });

test('confidence is half of what it would be, just where the parcel leaves what the comps cover', () => {
  const value = createValuer(fitTo(generateSales(MARKET, 2_000, 1), asOfDay).model);
  let inside = 1;
  let outside = 250;
  expect(value(parcel(inside))!.outOfSupport).toBe(false);
  expect(value(parcel(outside))!.outOfSupport).toBe(true);
  while (outside / inside > 1 + 1e-9) {
    const middle = Math.sqrt(inside * outside);
    if (value(parcel(middle))!.outOfSupport) outside = middle;
    else inside = middle;
  }
  const [known, unknown] = [value(parcel(inside))!, value(parcel(outside))!];
  expect(unknown.confidence / known.confidence).toBeCloseTo(0.5, 3);
  // The interval is what it was.
  expect(unknown.low / known.low).toBeCloseTo(1, 6);
});

test('confidence is never above 95, though every past estimate was right', () => {
  const quiet = generateSales({ ...MARKET, noise: 0.01, relief: 0 }, 2_000, 1);
  const { confidence, low, high } = createValuer(fitTo(quiet, asOfDay).model)(parcel(3))!;
  expect(high / low).toBeLessThan(1.1);
  expect(confidence).toBe(95);
});
