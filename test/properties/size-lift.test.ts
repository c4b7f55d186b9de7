import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { liftAt, liftOf } from '../../shared/kernels/valuation/size-lift.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createRandom } from '../bench/generate/random.ts';
import { runs } from '../support/runs.ts';
import { fitTo, generateSales, MARKET, randomPlace } from '../support/sales.ts';

describe('the lift of a curve over sizes', () => {
  const wave = fc.record({
    height: fc.double({ min: 0, max: 2, noNaN: true }),
    length: fc.double({ min: 1, max: 5, noNaN: true }),
    middle: fc.double({ min: -3, max: 6, noNaN: true }),
  });

  test('ends every fall that is too fast, and adds nothing at the middle or to slow curves', () => {
    fc.assert(
      fc.property(wave, ({ height, length, middle }) => {
        const curve = (logAcres: number) => height * Math.sin(logAcres / length);
        const lift = liftOf(curve, middle, -0.8);
        const lifted = (logAcres: number) => curve(logAcres) + liftAt(lift, logAcres);
        const grid = (k: number) => Math.log(0.02) + 0.25 * k;
        for (let k = 0; k < 49; k++)
          expect(lifted(grid(k + 1)) - lifted(grid(k))).toBeGreaterThan(-0.8 * 0.25 - 1e-9);
        if (height / length < 0.8) expect(Math.max(...lift.map(Math.abs))).toBeLessThan(1e-12);
        expect(Math.min(...lift.map(Math.abs))).toBe(0);
      }),
      { numRuns: runs(200) },
    );
  });

  test('is constant beyond the smallest and the largest size', () => {
    const lift = liftOf(logAcres => -2 * logAcres, 1, -0.8);
    expect(liftAt(lift, -20)).toBe(lift[0]);
    expect(liftAt(lift, 20)).toBeCloseTo(lift[49]!, 12);
  });
});

test('an estimate never falls when a parcel at one place has more acres', () => {
  for (const [count, noise, elasticity] of [
    [12, 0.5, -0.6],
    [60, 0.8, -0.9],
    [300, 0.6, -0.85],
    [1_500, 0.4, -0.5],
  ] as const) {
    const market = { ...MARKET, noise, elasticity };
    const value = createValuer(fitTo(generateSales(market, count, 3)).model);
    const random = createRandom(5);
    for (let n = 0; n < 8; n++) {
      const place = randomPlace(market, random);
      let last = 0;
      for (let acres = 0.1; acres < 60; acres *= 1.06) {
        const price = value({ ...place, acres })?.meanAdjustedPrice ?? last;
        expect(price).toBeGreaterThanOrEqual(last);
        last = price;
      }
    }
  }
});
