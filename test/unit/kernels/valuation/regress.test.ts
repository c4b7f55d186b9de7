import { describe, expect, test } from 'vitest';
import { regress } from '../../../../shared/kernels/valuation/regress.ts';
import { createRandom } from '../../../bench/generate/random.ts';
import { normal } from '../../../support/sales.ts';

const random = createRandom(1);
const COUNT = 4_000;
const column = () => Float64Array.from({ length: COUNT }, () => normal(random));
const [a, b] = [column(), column()];
/** Goes along with the first. */
const c = a.map((value, i) => 0.8 * value + 0.6 * b[i]! + 0.3 * normal(random));
const y = a.map((value, i) => 2 * value - c[i]! + 0.5 * normal(random));

describe('robust regression of differences', () => {
  test('tells apart what goes together', () => {
    const { effects, residual } = regress(y, [a, b, c], COUNT, 0.5);
    for (const [i, expected] of [2, 0, -1].entries()) {
      expect(effects[i]!.value).toBeCloseTo(expected, 1);
      // Eight pairs a sale say no more than one.
      const se = Math.sqrt(effects[i]!.variance / 8);
      expect(Math.abs(effects[i]!.value - expected)).toBeLessThan(4 * se);
    }
    expect(residual).toBeCloseTo(0.25, 1);
  });

  test('is not moved by a tenth of absurd ones', () => {
    const absurd = y.map(value => (random() < 0.1 ? value - 8 : value));
    const { effects } = regress(absurd, [a, b, c], COUNT, 0.5);
    for (const [i, expected] of [2, 0, -1].entries()) expect(effects[i]!.value).toBeCloseTo(expected, 0);
  });

  test('says nothing of a column that follows from those before it, that never differs, or of which there are no rows', () => {
    const sum = a.map((value, i) => value + b[i]!);
    const { effects } = regress(y, [a, b, sum, new Float64Array(COUNT)], COUNT, 0.5);
    for (const { value, variance } of effects.slice(2))
      expect([value, variance]).toEqual([0, Number.POSITIVE_INFINITY]);
    expect(effects[0]).toEqual(regress(y, [a, b], COUNT, 0.5).effects[0]);
    expect(regress(y, [a], 0, 0.5)).toMatchObject({
      effects: [{ value: 0, variance: Number.POSITIVE_INFINITY }],
      residual: 0.5,
    });
  });
});
