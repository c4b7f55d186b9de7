import { expect, test } from 'vitest';
import { combineParts } from '../../../shared/geo/combine.ts';
import type { MultiPolygon, Ring } from '../../../shared/geo/types.ts';

const square = (x: number, y: number, size: number): Ring => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
];
const lot = (x: number, y: number, size: number): MultiPolygon => [[square(x, y, size)]];

test('identical features collapse to one', () => {
  expect(combineParts([lot(0, 0, 1), lot(0, 0, 1), lot(0, 0, 1)])).toEqual(lot(0, 0, 1));
});

test('features apart are put side by side, untouched and in order', () => {
  // A vertex in mid-edge would not survive a clipper.
  const withMidpoint: MultiPolygon = [
    [
      [
        [5, 0],
        [5.5, 0],
        [6, 0],
        [6, 1],
        [5, 1],
        [5, 0],
      ],
    ],
  ];
  expect(combineParts([withMidpoint, lot(0, 0, 1)])).toEqual([...withMidpoint, ...lot(0, 0, 1)]);
});

test('features whose extents overlap but that do not meet are untouched too', () => {
  const corner: MultiPolygon = [
    [
      [
        [0, 0],
        [4, 0],
        [4, 1],
        [1, 1],
        [1, 4],
        [0, 4],
        [0, 0],
      ],
    ],
  ];
  expect(combineParts([corner, lot(2, 2, 1)])).toEqual([...corner, ...lot(2, 2, 1)]);
});

test('features that overlap or share an edge are united, and the others are left', () => {
  const united = combineParts([lot(0, 0, 2), lot(9, 9, 1), lot(1, 1, 2), lot(2, 0, 1)]);
  expect(united).toHaveLength(2);
  expect(united).toContainEqual(lot(9, 9, 1)[0]);
  expect(united[0]![0]!.length).toBeGreaterThan(5);
});

test('one part, and none', () => {
  expect(combineParts([lot(0, 0, 1)])).toEqual(lot(0, 0, 1));
  expect(combineParts([])).toEqual([]);
});
