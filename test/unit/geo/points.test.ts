import { describe, expect, test } from 'vitest';
import { boxOf } from '../../../shared/geo/box.ts';
import type { Polygon, Position, Ring } from '../../../shared/geo/geometry-types.ts';
import { pointInMultiPolygon, pointInPolygon, pointInRing } from '../../../shared/geo/point-in-polygon.ts';
import { pointOnSurface } from '../../../shared/geo/point-on-surface.ts';
import { ring, square } from '../../support/rings.ts';

describe('point in polygon', () => {
  const lake: Polygon = [square(0, 0, 9), square(3, 3, 3).reverse()];

  test.each<[Position, string]>([
    [[1, 1], 'inside'],
    [[4, 4], 'outside'],
    [[3, 4], 'boundary'],
    [[6, 6], 'boundary'],
    [[9, 9], 'boundary'],
    [[0, 5], 'boundary'],
    [[5, 9], 'boundary'],
    [[10, 9], 'outside'],
    [[-1, 0], 'outside'],
    [[1, 3], 'inside'],
  ])('%j is %s a square with a hole', (point, side) => {
    expect(pointInPolygon(point, lake)).toBe(side);
  });

  test('a ray through vertices counts them once', () => {
    const diamond: Ring = ring('0 1, 1 0, 2 1, 1 2, 0 1');
    expect(pointInRing([1, 1], diamond)).toBe('inside');
    expect(pointInRing([-1, 1], diamond)).toBe('outside');
    expect(pointInRing([-1, 2], diamond)).toBe('outside');
  });

  test('the last bit of a coordinate decides', () => {
    const triangle: Ring = ring('0 0, 1 1, 0 1, 0 0');
    const below = 0.5 - 2 ** -54;
    expect(pointInRing([0.5, 0.5], triangle)).toBe('boundary');
    expect(pointInRing([below, 0.5], triangle)).toBe('inside');
    expect(pointInRing([0.5, below], triangle)).toBe('outside');
  });

  test('any part counts', () => {
    expect(pointInMultiPolygon([20.5, 0.5], [lake, [square(20, 0, 1)]])).toBe('inside');
    expect(pointInMultiPolygon([15, 0.5], [lake, [square(20, 0, 1)]])).toBe('outside');
  });
});

describe('point on surface', () => {
  test("lies on the land of a C, a ring, and a comb, where the centroid doesn't", () => {
    const c = ring('0 0, 9 0, 9 1, 1 1, 1 8, 9 8, 9 9, 0 9, 0 0');
    const hollow: Polygon = [square(0, 0, 9), square(1, 1, 7).reverse()];
    for (const polygon of [[c], hollow])
      expect(pointInPolygon(pointOnSurface([polygon]), polygon)).toBe('inside');
    expect(pointInPolygon([4.5, 4.5], hollow)).toBe('outside');
  });

  test('is in the largest part, with holes subtracted', () => {
    const hollow: Polygon = [square(0, 0, 4), square(0.5, 0.5, 3).reverse()];
    const solid: Polygon = [square(10, 0, 3)];
    expect(pointInPolygon(pointOnSurface([hollow, solid]), solid)).toBe('inside');
  });

  test('is in the middle of the widest stretch', () => {
    const twoTowers: Ring = ring('0 0, 10 0, 10 9, 4 9, 4 1, 1 1, 1 9, 0 9, 0 0');
    expect(pointOnSurface([[twoTowers]])).toEqual([7, 5]);
  });

  test('is on the grid of 1e-7 degrees', () => {
    const third: Ring = [
      [0, 0],
      [1 / 3, 0],
      [1 / 7, 1 / 3],
      [0, 0],
    ];
    for (const v of pointOnSurface([[third]]))
      expect(Math.abs(v * 1e7 - Math.round(v * 1e7))).toBeLessThan(1e-8);
  });

  test('fits even where the middle is as thin as a hair', () => {
    const waist: Ring = ring('0 0, 1 0, 1 1, 1e-9 4, 1e-9 6, 1 9, 0 9, 0 0');
    const [lon, lat] = pointOnSurface([[waist]]);
    expect(lon).toBeGreaterThan(0.1);
    expect(pointInRing([lon, lat], waist)).toBe('inside');
  });
});

test('the extent of all parts', () => {
  expect(boxOf([[square(0, 0, 1)], [square(-5, 3, 2), square(-4, 4, 0.5)]])).toEqual([-5, 0, 1, 5]);
});
