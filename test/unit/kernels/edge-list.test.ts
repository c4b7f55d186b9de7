import { expect, test } from 'vitest';
import type { Box, Position, Ring } from '../../../shared/geo/geometry-types.ts';
import { addPolygon, cutEdges, type EdgeList, newEdgeList } from '../../../shared/kernels/edge-list.ts';

const BOX: Box = [0, 0, 10, 10];

const edgesOf = ({ length, ends }: EdgeList) =>
  Array.from({ length }, (_, i) => [...ends.subarray(4 * i, 4 * i + 4)]);

function within(ring: Ring, box: Box): number[][] {
  const list = newEdgeList();
  addPolygon(list, [ring], 0, box);
  return edgesOf(list);
}

test('a polygon inside keeps its edges, except for horizontal ones', () => {
  const square: Ring = [
    [1, 1],
    [9, 1],
    [9, 9],
    [1, 9],
    [1, 1],
  ];
  expect(within(square, BOX)).toEqual([
    [9, 1, 9, 9],
    [1, 9, 1, 1],
  ]);
});

test('edges outside follow the sides', () => {
  const diamond: Ring = [
    [5, -10],
    [20, 5],
    [5, 20],
    [-10, 5],
    [5, -10],
  ];
  expect(within(diamond, BOX)).toEqual([
    [10, 0, 10, 10],
    [0, 10, 0, 0],
  ]);
});

test('an edge across both sides is cut twice', () => {
  const triangle: Ring = [
    [-10, 2],
    [20, 8],
    [-10, 20],
    [-10, 2],
  ];
  const edges = within(triangle, BOX);
  expect(edges.slice(0, 3)).toEqual([
    [0, 2, 0, 4],
    [0, 4, 10, 6],
    [10, 6, 10, 10],
  ]);
  expect(edges.slice(3)).toEqual([[0, 10, 0, 2]]);
});

test('a shore of a thousand bays beside the box leaves one edge, and nothing if the box is outside', () => {
  const bays = Array.from({ length: 2_000 }, (_, i): Position => [i % 2 === 0 ? -5 : -1, i / 100 - 5]);
  expect(within([[20, -5], ...bays, [20, 15], [20, -5]], BOX)).toEqual([
    [0, 0, 0, 10],
    [10, 10, 10, 0],
  ]);
  expect(within([[-9, -5], ...bays, [-9, 15], [-9, -5]], BOX)).toEqual([]);
});

test('more edges than there was room for, cut again', () => {
  const list = newEdgeList();
  const teeth = Array.from({ length: 1_000 }, (_, i): Position => [i / 100, i % 2 === 0 ? 1 : 9]);
  addPolygon(list, [[...teeth, teeth[0]!]], 7, BOX);
  expect(list.length).toBe(1_000);
  const half = newEdgeList();
  cutEdges(list, half, [0, 0, 10, 5]);
  expect(half.length).toBe(1_000);
  expect(edgesOf(half).every(([, y1, , y2]) => Math.max(y1!, y2!) <= 5)).toBe(true);
  expect([...half.polygons.subarray(0, half.length)].every(polygon => polygon === 7)).toBe(true);
});
