import { describe, expect, test } from 'vitest';
import { areaSqM } from '../../../shared/geo/geodesic-area.ts';
import type { MultiPolygon, Position, Ring } from '../../../shared/geo/geometry-types.ts';
import { prepareOverlap, prepareShares } from '../../../shared/kernels/overlap.ts';

/**
 * A rectangle in ten-thousandths of a degree from (-70, 0): at the equator, where shares of the plane are
 * shares of the ground.
 */
function box(west: number, south: number, east: number, north: number): Ring {
  const corners: [number, number][] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return ring(corners);
}

const ring = (corners: [number, number][]): Ring =>
  corners.map(([x, y]): Position => [-70 + x / 10_000, y / 10_000]);

const square: MultiPolygon = [[box(0, 0, 10, 10)]];

describe('percent of a square of 10 by 10', () => {
  test.each<[string, MultiPolygon[], number]>([
    ['no polygons', [], 0],
    ['one elsewhere', [[[box(20, 0, 30, 10)]]], 0],
    ['one that touches a side', [[[box(10, 0, 20, 10)]]], 0],
    ['one that touches a corner', [[[box(-5, -5, 0, 0)]]], 0],
    ['one all around', [[[box(-1, -1, 11, 11)]]], 100],
    ['the square itself', [square], 100],
    ['a half', [[[box(5, -5, 20, 20)]]], 50],
    ['a corner', [[[box(-5, -5, 5, 5)]]], 25],
    ['a piece inside', [[[box(2, 3, 4, 8)]]], 10],
    ['two that overlap, counted once', [[[box(0, 0, 6, 10)]], [[box(4, 0, 8, 10)]]], 80],
    ['one within another, counted once', [[[box(0, 0, 6, 10)]], [[box(1, 1, 2, 2)]]], 60],
    ['parts of one that overlap', [[[box(0, 0, 6, 10)], [box(4, 0, 8, 10)]]], 80],
    ['one with a hole', [[[box(-1, -1, 11, 11), box(2, 2, 4, 4).reverse()]]], 96],
    ['the square in its hole', [[[box(-9, -9, 19, 19), box(-1, -1, 11, 11)]]], 0],
    ['an island in the hole', [[[box(-1, -1, 11, 11), box(1, 1, 9, 9)]], [[box(2, 2, 4, 4)]]], 40],
    ['a hole that another fills', [[[box(-1, -1, 11, 11), box(2, 2, 4, 4)]], [[box(1, 1, 5, 5)]]], 100],
    ['clockwise, its hole too', [[[box(-1, -1, 11, 11).reverse(), box(2, 2, 4, 4).reverse()]]], 96],
    [
      'a slanting side',
      [
        [
          [
            ring([
              [0, 0],
              [10, 0],
              [0, 10],
              [0, 0],
            ]),
          ],
        ],
      ],
      50,
    ],
  ])('%s', (_, layer, percent) => {
    expect(prepareOverlap(layer).percentOf(square)).toBeCloseTo(percent, 7);
  });
});

test('overlapping parts of a parcel are one area', () => {
  const parcel: MultiPolygon = [[box(0, 0, 10, 10)], [box(5, 0, 20, 10)]];
  expect(prepareOverlap([[[box(0, 0, 10, 10)]]]).percentOf(parcel)).toBeCloseTo(50, 7);
});

test('parts far apart are measured together', () => {
  const parcel: MultiPolygon = [[box(0, 0, 10, 10)], [box(90_000, 0, 90_030, 10)]];
  expect(prepareOverlap([[[box(-5, -5, 5, 50)]]]).percentOf(parcel)).toBeCloseTo(12.5, 4);
});

test('a hole of the parcel is not part of its area', () => {
  const parcel: MultiPolygon = [[box(0, 0, 10, 10), box(0, 0, 5, 10).reverse()]];
  expect(prepareOverlap([[[box(0, 0, 6, 10)]]]).percentOf(parcel)).toBeCloseTo(20, 7);
});

test('very many parts and holes', () => {
  const pieces = Array.from({ length: 400 }, (_, i) => {
    const [x, y] = [10 * (i % 20), 10 * Math.floor(i / 20)];
    return box(x + 1, y + 1, x + 6, y + 6);
  });
  const around = box(0, 0, 200, 200);
  const north: MultiPolygon = [[box(-5, 100, 205, 205)]];
  const parts = pieces.map(piece => [piece]);
  expect(prepareOverlap([north]).percentOf(parts)).toBeCloseTo(50, 5);
  expect(prepareOverlap([[[around, ...pieces]]]).percentOf([[around]])).toBeCloseTo(75, 5);
  expect(prepareOverlap([parts]).percentOf([[around, ...pieces]])).toBeCloseTo(0, 5);
  expect(prepareOverlap([parts]).percentOf([[around]])).toBeCloseTo(25, 5);
  expect(prepareOverlap([[[around, ...pieces]], north]).percentOf(parts)).toBeCloseTo(50, 5);
});

describe('outlines with very many edges', () => {
  /** A comb: a bar of half the height of its teeth, which are half as wide as they stand apart. */
  function comb(teeth: number, west: number, south: number, width: number, height: number): Ring {
    const corners: [number, number][] = [];
    const step = width / teeth;
    for (let i = 0; i < teeth; i++) {
      const x = west + i * step;
      corners.push([x, south + height / 3], [x, south + height], [x + step / 2, south + height]);
      corners.push([x + step / 2, south + height / 3]);
    }
    corners.push([west + width, south + height / 3], [west + width, south], [west, south]);
    return ring([...corners, corners[0]!]).reverse();
  }

  test('a parcel among 3,000 teeth', () => {
    const { percentOf } = prepareOverlap([[[comb(3_000, 0, 0, 3_000, 300)]]]);
    expect(percentOf([[box(0, 0, 3_000, 300)]])).toBeCloseTo(200 / 3, 4);
    expect(percentOf([[box(2_500, 100, 2_600, 300)]])).toBeCloseTo(50, 4);
    expect(percentOf([[box(2_500, 10, 2_600, 90)]])).toBe(100);
  });

  test('a parcel of 5,000 teeth that 102 strips cross', () => {
    const across = comb(5_000, 0, 0, 10_000, 306);
    const along: MultiPolygon[] = Array.from({ length: 102 }, (_, i) => [
      [box(-1, 3 * i, 10_001, 3 * i + 1)],
    ]);
    expect(prepareOverlap(along).percentOf([[across]])).toBeCloseTo(100 / 3, 3);
  });
});

test('percent is of the land, where meridians converge', () => {
  /**
   * A degree high; its parallels are given in short edges, since the measure of the ground takes
   * edges for geodesics.
   */
  const strip = (south: number, north: number): MultiPolygon => {
    const steps = Array.from({ length: 201 }, (_, i) => -150 + i / 200);
    const shell = [
      ...steps.map((lon): Position => [lon, south]),
      ...steps.toReversed().map((lon): Position => [lon, north]),
      [-150, south] satisfies Position,
    ];
    return [[shell]];
  };
  const percent = prepareOverlap([strip(64.5, 66)]).percentOf(strip(64, 65));
  expect(percent).toBeCloseTo((100 * areaSqM(strip(64.5, 65))) / areaSqM(strip(64, 65)), 4);
  expect(percent).toBeLessThan(49.6);
});

test('shares by group: overlaps within a group count once, and regions are measured on their own', () => {
  const shares = prepareShares(
    [
      { shape: [[box(0, 0, 6, 10)]], groups: [0, 1] },
      { shape: [[box(4, 0, 8, 10)]], groups: [0, 1] },
      { shape: [[box(5, 0, 10, 10)]], groups: [0, 2] },
      { shape: [[box(50, 0, 60, 10)]], groups: [0, 2] },
    ],
    3,
  ).of(square);
  expect([...shares.groups].map(Math.round)).toEqual([100, 80, 50]);
  expect([...shares.regions].map(([region, share]) => [region, Math.round(share)]).sort()).toEqual([
    [0, 60],
    [1, 40],
    [2, 50],
  ]);
});
