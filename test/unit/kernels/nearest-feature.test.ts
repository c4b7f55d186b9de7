import fc from 'fast-check';
import { expect, test } from 'vitest';
import { geodesicDistanceM } from '../../../shared/geo/distance.ts';
import type { Box, MultiPolygon, Position } from '../../../shared/geo/geometry-types.ts';
import { type NearFeature, prepareNearest } from '../../../shared/kernels/nearest-feature.ts';
import { square } from '../../support/parcels.ts';

const EVERYWHERE: Box = [-180, -90, 180, 90];
const parcel = square(-72, 43, 0.001);
const of = (features: NearFeature[], limitM = 5_000, shape: MultiPolygon = parcel) =>
  prepareNearest(features, limitM, EVERYWHERE).of(shape);
const point = (x: number, y: number): NearFeature => [[[x, y]]];

test.each<[string, NearFeature, number]>([
  [
    'a line through it',
    [
      [
        [-72.01, 43],
        [-71.99, 43],
      ],
    ],
    0,
  ],
  [
    'a line inside',
    [
      [
        [-72.0001, 43],
        [-71.9999, 43],
      ],
    ],
    0,
  ],
  ['a point inside', point(-72, 43), 0],
  [
    'a line that touches a corner',
    [
      [
        [-71.9995, 43.0005],
        [-71.99, 43.01],
      ],
    ],
    0,
  ],
  ['a point to the east', point(-71.9985, 43), geodesicDistanceM(-71.9995, 43, -71.9985, 43)],
  [
    'a line to the north',
    [
      [
        [-72.01, 43.0105],
        [-71.99, 43.0105],
      ],
    ],
    geodesicDistanceM(-72, 43.0005, -72, 43.0105),
  ],
])('%s', (_what, feature, meters) => {
  expect(of([feature])?.meters).toBeCloseTo(meters, 0);
});

test('the hole of a parcel is not part of it', () => {
  const holed: MultiPolygon = [
    [square(-72, 43, 0.003)[0]![0]!, [...square(-72, 43, 0.001)[0]![0]!].reverse()],
  ];
  expect(of([point(-72, 43)], 5_000, holed)?.meters).toBeCloseTo(geodesicDistanceM(-72, 43, -71.9995, 43), 0);
});

test('nothing is found beyond the limit, or without features', () => {
  expect(of([point(-71.9, 43)], 8_000)).toBeNull();
  expect(of([])).toBeNull();
  expect(prepareNearest([point(-71.9, 43)], 20_000, [-72.1, 42.9, -71.95, 43.1]).of(parcel)).toBeNull();
});

test('of equally close features, the first is nearest', () => {
  const side: NearFeature = [
    [
      [-71.99, 42.9],
      [-71.99, 43.1],
    ],
  ];
  expect(of([point(-71, 43), side, side])?.feature).toBe(1);
});

test('the nearest of many points is the one with the smallest geodesic distance', () => {
  const place = fc.tuple(
    fc.double({ min: -72.05, max: -71.95, noNaN: true }),
    fc.double({ min: 42.95, max: 43.05, noNaN: true }),
  );
  const corner: Position = [-72, 43];
  const dot: MultiPolygon = square(...(corner as [number, number]), 1e-6);
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 40 }), places => {
      const distances = places.map(([x, y]) => geodesicDistanceM(...(corner as [number, number]), x, y));
      const found = of(
        places.map(([x, y]) => point(x, y)),
        20_000,
        dot,
      )!;
      expect(Math.abs(found.meters - Math.min(...distances))).toBeLessThan(0.005 * found.meters + 0.2);
    }),
  );
});
