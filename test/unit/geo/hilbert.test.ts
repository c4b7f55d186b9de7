import { expect, test } from 'vitest';
import { hilbertOrder } from '../../../shared/geo/hilbert.ts';

test('points come in runs of neighbors, each once, those without a location last', () => {
  const [xs, ys] = [0, 1].map(axis =>
    Float64Array.from({ length: 10_000 }, (_, i) => (axis === 0 ? i % 100 : i / 100)),
  );
  xs![4711] = Number.NaN;
  const order = [...hilbertOrder(xs!, ys!)];
  expect(order.at(-1)).toBe(4711);
  expect(new Set(order).size).toBe(10_000);
  for (let from = 0; from < 9_900; from += 100) {
    const run = order.slice(from, from + 100);
    const side = (values: number[]) => Math.max(...values) - Math.min(...values) + 1;
    // A hundred places of a grid fill a square of 10 by 10 at best.
    expect(side(run.map(i => xs![i]!)) * side(run.map(i => ys![i]!))).toBeLessThan(1_200);
  }
  expect([...hilbertOrder([], [])]).toEqual([]);
  expect([...hilbertOrder([Number.NaN], [Number.NaN])]).toEqual([0]);
});
