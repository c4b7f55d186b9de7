import { describe, expect, test } from 'vitest';
import {
  opinionBefore,
  opinionDifference,
  opinionsOn,
  opinionWeight,
} from '../../../../shared/kernels/valuation/assessor.ts';
import { createRandom } from '../../../bench/generate/random.ts';
import { normal } from '../../../support/sales.ts';

/** Errors of sales, of which the assessor foretells a share. */
function sales(count: number, share: number, seed = 1) {
  const random = createRandom(seed);
  const apart = Array.from({ length: count }, () => 0.5 * normal(random));
  const errors = apart.map(one => 0.3 * normal(random) - 0.2 - share * one);
  return { apart, errors };
}

const weightOf = ({ errors, apart }: ReturnType<typeof sales>) => opinionWeight(errors, apart);

describe('the weight of the assessor', () => {
  test('is what past errors show, up to all of it', () => {
    expect(weightOf(sales(300, 0.3))).toBeCloseTo(0.3, 1);
    expect(weightOf(sales(300, 0.8))).toBeCloseTo(0.8, 1);
    expect(weightOf(sales(300, 1.5))).toBe(1);
  });

  test('is none where errors have nothing to do with what is seen, are the other way round, or nobody sees', () => {
    const weights = Array.from({ length: 100 }, (_, seed) => weightOf(sales(60, 0, seed)));
    // Two standard errors above none lies one in 44.
    expect(weights.filter(weight => weight > 0).length).toBeLessThan(7);
    expect(Math.max(...weights)).toBeLessThan(0.2);
    expect(weightOf(sales(300, -0.5))).toBe(0);
    expect(weightOf({ ...sales(300, 0.5), apart: new Array(300).fill(0) })).toBe(0);
  });

  test('is none with three sales', () => {
    expect(weightOf(sales(3, 0.9))).toBe(0);
  });
});

test('land that is assessed at next to nothing moves a comp by a factor of three at most', () => {
  expect(opinionDifference(0.2, 0.5)).toBeCloseTo(-0.3);
  expect(opinionDifference(-9, 0)).toBeCloseTo(-Math.log(3));
  expect(opinionDifference(0, Number.NaN)).toBeNaN();
});

test('an opinion counts from its day on, and only one from before a sale is compared with its price', () => {
  const comps = {
    assessed: Float64Array.of(0.1, 0.2, Number.NaN),
    assessedDay: Int32Array.of(99, 150, 150),
    soldDay: Int32Array.of(100, 100, 100),
  };
  expect([...opinionsOn(comps, 149)!]).toEqual([0.1, Number.NaN, Number.NaN]);
  expect([...opinionsOn(comps, 150)!]).toEqual([0.1, 0.2, Number.NaN]);
  expect([0, 1, 2].map(sale => opinionBefore(comps, sale))).toEqual([0.1, Number.NaN, Number.NaN]);
  expect(opinionBefore({ ...comps, assessedDay: comps.soldDay }, 0)).toBeNaN();
  const undated = { ...comps, assessedDay: undefined };
  expect(opinionsOn(undated, 0)).toBe(comps.assessed);
  expect(opinionBefore(undated, 1)).toBe(0.2);
});
