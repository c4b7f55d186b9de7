import fc from 'fast-check';
import { geojsonToWkb } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import {
  boundaryToWkb,
  decodeBoundary,
  decodeLines,
  encodeBoundary,
  encodeLines,
  fromE7,
  toE7,
  toUnits,
} from '../../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position, Ring } from '../../../shared/geo/geometry-types.ts';
import { ring } from '../../support/rings.ts';
import { runs } from '../../support/runs.ts';

const lake: MultiPolygon = [
  [
    ring('-72.1 43, -72 43, -72 43.1, -72.1 43.1, -72.1 43'),
    ring('-72.06 43.04, -72.06 43.06, -72.04 43.06, -72.06 43.04'),
  ],
  [ring('-71.5 43.0000001, -71.4 43, -71.4 43.1, -71.5 43.0000001')],
];

test('a boundary on the grid comes back equal, closed again', () => {
  expect(decodeBoundary(encodeBoundary(lake))).toEqual(lake);
});

test('the bytes match the format: version, counts, zigzag differences', () => {
  const triangle: Ring = ring('0 0, 0.0000001 0, 0 -0.0000064, 0 0');
  expect([...encodeBoundary([[triangle]])]).toEqual([1, 1, 1, 3, 0, 0, 2, 0, 1, 127]);
});

test('the whole world fits, across 360 degrees at once', () => {
  const world: MultiPolygon = [[ring('-180 -90, 180 -90, 180 90, -180 90, -180 -90')]];
  expect(decodeBoundary(encodeBoundary(world))).toEqual(world);
});

test('positions equal on the grid are dropped, also where the ring closes', () => {
  const seam = ring('0 0, 1e-9 0, 1 0, 1 1, 1e-9 1e-9, 0 0');
  expect(decodeBoundary(encodeBoundary([[seam]]))).toEqual([[ring('0 0, 1 0, 1 1, 0 0')]]);
});

test('a ring too small for the grid keeps all its positions', () => {
  const speck: Ring = ring('0 0, 1e-9 0, 1e-9 1e-9, 0 1e-9, 0 0');
  expect(decodeBoundary(encodeBoundary([[speck]]))).toEqual([[ring('0 0, 0 0, 0 0, 0 0, 0 0')]]);
});

describe("bytes that aren't a boundary are refused with the reason", () => {
  const good = encodeBoundary(lake);
  test.each<[string, Uint8Array, RegExp]>([
    ['none', new Uint8Array(), /empty/],
    ['another version', Uint8Array.of(2, 0), /version 2\b.*version 1\b/],
    ['cut short', good.subarray(0, good.length - 1), /bytes/],
    ['left over', Uint8Array.of(...good, 0), /\b1 of \d+/],
    ['a count beyond the end', Uint8Array.of(1, 255, 255, 255, 255, 15), /4294967295 items/],
    ['a number too long', Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 1), /32 bits/],
  ])('%s', (_, bytes, message) => {
    expect(() => decodeBoundary(bytes)).toThrow(message);
  });
});

test('degrees to 1e-7 degrees, to the nearest', () => {
  expect([toE7(-72.12345678), toE7(180), toE7(0.00000004), fromE7(-721234568)]).toEqual([
    -721234568, 1_800_000_000, 0, -72.1234568,
  ]);
});

test('a number of up to 7 decimals is its integer, however it is rounded; others keep a fraction', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }), e7 => {
      expect(toUnits(e7 / 1e7)).toBe(e7);
      expect(toUnits((e7 / 1e7) * (1 + Number.EPSILON))).toBe(e7);
    }),
    { numRuns: runs(2000) },
  );
  expect(toUnits(-72.12345675)).toBe(-721_234_567.5);
  expect(toUnits(0.1 + 0.2)).toBe(3_000_000);
});

test('lines: the bytes match the format: version, counts, zigzag differences that continue across lines', () => {
  const given: Position[][] = [
    ring('0 0, 0.0000001 -0.0000064'),
    ring('0.0000001 -0.0000064, 0.0000002 -0.0000064'),
  ];
  expect([...encodeLines(given)]).toEqual([101, 2, 2, 0, 0, 2, 127, 2, 0, 0, 2, 0]);
});

describe("bytes that aren't lines are refused with the reason", () => {
  const good = encodeLines([ring('1 2, 3 4')]);
  test.each<[string, Uint8Array, RegExp]>([
    ['none', new Uint8Array(), /empty/],
    ['a boundary', encodeBoundary([]), /version 1\b.*version 101\b/],
    ['left over', Uint8Array.of(...good, 0), /\b1 of \d+/],
    ['a count beyond the end', Uint8Array.of(101, 255, 255, 255, 255, 15), /4294967295 items/],
  ])('%s', (_, bytes, message) => {
    expect(() => decodeLines(bytes)).toThrow(message);
  });

  test('lines cannot be decoded as a boundary', () => {
    expect(() => decodeBoundary(good)).toThrow(/version 101\b.*version 1\b/);
  });
});

test('a boundary as WKB equals that of its GeoJSON, and has its box', () => {
  const encoded = encodeBoundary(lake);
  const both = boundaryToWkb(encoded);
  const first = boundaryToWkb(encodeBoundary([lake[0]!]));
  expect([...both.wkb]).toEqual([...geojsonToWkb({ type: 'MultiPolygon', coordinates: lake })]);
  expect([...first.wkb]).toEqual([...geojsonToWkb({ type: 'Polygon', coordinates: lake[0]! })]);
  expect(both.box).toEqual([-72.1, 43, -71.4, 43.1]);
  expect(first.box).toEqual([-72.1, 43, -72, 43.1]);
  expect(() => boundaryToWkb(encoded.subarray(0, 20))).toThrow(/boundary|bytes|short/);
});
