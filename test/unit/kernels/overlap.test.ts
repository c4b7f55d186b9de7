import { describe, expect, test } from 'vitest';
import { areaSqM } from '../../../shared/geo/area.ts';
import type { MultiPolygon, Position, Ring } from '../../../shared/geo/types.ts';
import { clipRing, newEdges } from '../../../shared/kernels/overlap/clip.ts';
import { prepareOverlap } from '../../../shared/kernels/overlap/overlap.ts';
import { indexRing } from '../../../shared/kernels/overlap/runs.ts';

/** A rectangle in ten-thousandths of a degree from (-70, 0): at the equator, where shares of the plane are shares of the ground. */
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
    ['a polygon without rings', [[[]]], 0],
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
    ['a hole beyond its shell', [[[box(0, 0, 5, 10), box(4, 0, 20, 10)]]], 40],
    ['holes that overlap', [[[box(-1, -1, 11, 11), box(0, 0, 6, 10), box(5, 0, 8, 10)]]], 20],
    ['clockwise, its hole too', [[[box(-1, -1, 11, 11).reverse(), box(2, 2, 4, 4).reverse()]]], 96],
    [
      'a bow-tie',
      [
        [
          [
            ring([
              [0, 0],
              [10, 10],
              [10, 0],
              [0, 10],
              [0, 0],
            ]),
          ],
        ],
      ],
      50,
    ],
    ['a ring walked twice', [[[[...box(0, 0, 5, 10), ...box(0, 0, 5, 10).slice(1)]]]], 50],
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

test('parts of a parcel that overlap are one area', () => {
  const parcel: MultiPolygon = [[box(0, 0, 10, 10)], [box(5, 0, 20, 10)]];
  expect(prepareOverlap([[[box(0, 0, 10, 10)]]]).percentOf(parcel)).toBeCloseTo(50, 7);
});

test('parts far apart are measured together', () => {
  const parcel: MultiPolygon = [[box(0, 0, 10, 10)], [box(90_000, 0, 90_030, 10)]];
  expect(prepareOverlap([[[box(-5, -5, 5, 50)]]]).percentOf(parcel)).toBeCloseTo(12.5, 4);
});

test('a hole of the parcel is not its area', () => {
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

test('an answer does not depend on those before it', () => {
  const { percentOf } = prepareOverlap([[[box(-1, -1, 5, 11), box(2, 2, 4, 4)]], [[box(3, 3, 20, 5)]]]);
  const parcels: MultiPolygon[] = [
    square,
    [[box(-50, -50, 50, 50)]],
    [[box(2, 2, 3, 3)]],
    [[box(0, 0, 1, 1)]],
  ];
  const each = parcels.map(percentOf);
  expect(parcels.toReversed().map(percentOf).reverse()).toEqual(each);
  expect(each[2]).toBe(0);
  expect(each[3]).toBe(100);
});

describe('outlines of very many edges', () => {
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

  test('a parcel among 10,000 teeth', () => {
    const { percentOf } = prepareOverlap([[[comb(10_000, 0, 0, 10_000, 300)]]]);
    expect(percentOf([[box(0, 0, 10_000, 300)]])).toBeCloseTo(200 / 3, 4);
    expect(percentOf([[box(2_500, 100, 2_600, 300)]])).toBeCloseTo(50, 4);
    expect(percentOf([[box(2_500, 10, 2_600, 90)]])).toBe(100);
  });

  test('a parcel of 5,000 teeth that 102 strips run across', () => {
    const across = comb(5_000, 0, 0, 10_000, 306);
    const along: MultiPolygon[] = Array.from({ length: 102 }, (_, i) => [
      [box(-1, 3 * i, 10_001, 3 * i + 1)],
    ]);
    expect(prepareOverlap(along).percentOf([[across]])).toBeCloseTo(100 / 3, 3);
  });

  test('costs the edges near the parcel', () => {
    const around = Array.from({ length: 50_000 }, (_, i): [number, number] => {
      const angle = (2 * Math.PI * i) / 50_000;
      return [1_000 * Math.cos(angle) * (1 + 0.1 * Math.sin(40 * angle)), 1_000 * Math.sin(angle)];
    });
    const shore = indexRing(ring([...around, around[0]!]));
    let read = 0;
    const { positions } = shore;
    const counted = new Proxy(positions, {
      get: (target, key) => {
        read++;
        return Reflect.get(target, key) as unknown;
      },
    });
    const edges = newEdges();
    const [west, south, east, north] = [-70, 0.0995, -69.9995, 0.1005];
    const winding = clipRing(
      { ...shore, positions: counted },
      0,
      { west, south, east, north },
      { x: west, y: south },
      edges,
    );
    expect(winding).not.toBe(0);
    expect(edges.count).toBeGreaterThan(10);
    expect(read).toBeLessThan(2_000);
  });
});

test('percent is of the ground, where meridians converge', () => {
  /** A degree high; its parallels are given in short edges, since the measure of the ground takes edges for geodesics. */
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
