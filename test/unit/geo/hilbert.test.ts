import { expect, test } from 'vitest';
import { hilbertIndex, hilbertOrder } from '../../../shared/geo/hilbert.ts';

test('the curve visits each cell once, and steps from one to a neighbour', () => {
  // The first 4,096 steps fill a square of 64 by 64 cells in the corner where the curve begins.
  const cells = new Map<number, [number, number]>();
  for (let x = 0; x < 64; x++) for (let y = 0; y < 64; y++) cells.set(hilbertIndex(x, y), [x, y]);
  expect(cells.size).toBe(4_096);
  for (let index = 0; index < 4_095; index++) {
    const [x, y] = cells.get(index)!;
    const [nextX, nextY] = cells.get(index + 1)!;
    expect(Math.abs(nextX - x) + Math.abs(nextY - y)).toBe(1);
  }
});

test('its ends are two corners of the square, 65,536 cells wide', () => {
  const last = 65_535;
  expect(hilbertIndex(0, 0)).toBe(0);
  expect(hilbertIndex(last, 0)).toBe(2 ** 32 - 1);
});

test('points come in the order of the curve, those without a place last, equal ones in their own order', () => {
  const xs = [100, 0, Number.NaN, 0, 100, 0];
  const ys = [0, 0, Number.NaN, 100, 100, 0];
  expect([...hilbertOrder(xs, ys)]).toEqual([1, 5, 3, 4, 0, 2]);
  expect([...hilbertOrder([], [])]).toEqual([]);
  expect([...hilbertOrder([7, 7], [7, 7])]).toEqual([0, 1]);
  expect([...hilbertOrder([Number.NaN], [Number.NaN])]).toEqual([0]);
});
