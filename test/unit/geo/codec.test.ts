import { describe, expect, test } from 'vitest';
import { decodeBoundary, encodeBoundary, fromE7, toE7 } from '../../../shared/geo/codec.ts';
import type { MultiPolygon, Ring } from '../../../shared/geo/types.ts';

const lake: MultiPolygon = [
  [
    [
      [-72.1, 43],
      [-72, 43],
      [-72, 43.1],
      [-72.1, 43.1],
      [-72.1, 43],
    ],
    [
      [-72.06, 43.04],
      [-72.06, 43.06],
      [-72.04, 43.06],
      [-72.06, 43.04],
    ],
  ],
  [
    [
      [-71.5, 43.0000001],
      [-71.4, 43],
      [-71.4, 43.1],
      [-71.5, 43.0000001],
    ],
  ],
];

test('a boundary on the grid comes back equal, closed again', () => {
  expect(decodeBoundary(encodeBoundary(lake))).toEqual(lake);
});

test('the bytes are those of the format: version, counts, zigzag differences', () => {
  const triangle: Ring = [
    [0, 0],
    [0.0000001, 0],
    [0, -0.0000064],
    [0, 0],
  ];
  expect([...encodeBoundary([[triangle]])]).toEqual([1, 1, 1, 3, 0, 0, 2, 0, 1, 127]);
});

test('the whole world fits, across 360 degrees at once', () => {
  const world: MultiPolygon = [
    [
      [
        [-180, -90],
        [180, -90],
        [180, 90],
        [-180, 90],
        [-180, -90],
      ],
    ],
  ];
  expect(decodeBoundary(encodeBoundary(world))).toEqual(world);
});

test('positions equal on the grid are dropped, at the seam too', () => {
  const ring: Ring = [
    [0, 0],
    [1e-9, 0],
    [1, 0],
    [1, 1],
    [1e-9, 1e-9],
    [0, 0],
  ];
  expect(decodeBoundary(encodeBoundary([[ring]]))).toEqual([
    [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  ]);
});

test('a ring too small for the grid keeps all its positions', () => {
  const speck: Ring = [
    [0, 0],
    [1e-9, 0],
    [1e-9, 1e-9],
    [0, 1e-9],
    [0, 0],
  ];
  expect(decodeBoundary(encodeBoundary([[speck]]))).toEqual([
    [
      [
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    ],
  ]);
});

test('a boundary larger than the working buffer', () => {
  const ring = Array.from({ length: 50_000 }, (_, i): [number, number] => [
    (i % 2 ? 170 : -170) + i / 1e6,
    (i % 3) * 30,
  ]);
  ring.push([...ring[0]!]);
  const decoded = decodeBoundary(encodeBoundary([[ring]]));
  expect(JSON.stringify(decoded)).toBe(JSON.stringify([[ring.map(([x, y]) => [fromE7(toE7(x)), y])]]));
});

describe('bytes that are no boundary are refused with the reason', () => {
  const good = encodeBoundary(lake);
  test.each<[string, Uint8Array, RegExp]>([
    ['none', new Uint8Array(), /empty/],
    ['another version', Uint8Array.of(2, 0), /version 2; this program reads version 1/],
    ['cut short', good.subarray(0, good.length - 1), /cut short/],
    ['left over', Uint8Array.of(...good, 0), /1 of \d+ are left over/],
    ['a count beyond the end', Uint8Array.of(1, 255, 255, 255, 255, 15), /4294967295 items announced/],
    ['a number too long', Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 1), /more than 32 bits/],
  ])('%s', (_, bytes, message) => {
    expect(() => decodeBoundary(bytes)).toThrow(message);
  });
});

test('degrees to 1e-7 degrees, to the nearest', () => {
  expect([toE7(-72.12345678), toE7(180), toE7(0.00000004), fromE7(-721234568)]).toEqual([
    -721234568, 1_800_000_000, 0, -72.1234568,
  ]);
});
