import geographiclib from 'geographiclib-geodesic';
import { expect, test } from 'vitest';
import { areaSqM, sqMToAcres } from '../../../shared/geo/geodesic-area.ts';
import type { Ring } from '../../../shared/geo/geometry-types.ts';
import { SQ_M_PER_ACRE } from '../../../shared/geo/units.ts';
import { ring, square } from '../../support/rings.ts';

test('holes are subtracted and parts added, whatever their winding', () => {
  const shell = areaSqM([[square(-72, 43, 0.01)]]);
  const hole = areaSqM([[square(-71.996, 43.004, 0.002)]]);
  const island = areaSqM([[square(-71.9955, 43.0045, 0.001)]]);
  const lake = [
    [square(-72, 43, 0.01), square(-71.996, 43.004, 0.002).reverse()],
    [square(-71.9955, 43.0045, 0.001).reverse()],
  ];
  expect(areaSqM(lake)).toBeCloseTo(shell - hole + island, 6);
});

test('an ellipsoid, not a sphere: 36 seconds square at the equator and at 60 degrees', () => {
  for (const lat of [0, 60]) {
    const ring = square(-72, lat, 0.01);
    const polygon = geographiclib.Geodesic.WGS84.Polygon(false);
    for (const [lon, y] of ring.slice(1)) polygon.AddPoint(y, lon);
    expect(areaSqM([[ring]]) / polygon.Compute(false, true).area!).toBeCloseTo(1, 9);
  }
  expect(areaSqM([[square(-72, 0, 0.01)]])).toBeCloseTo(1_230_907.2, 0);
});

test('the octant between the equator, two meridians and the pole is an eighth of the ellipsoid', () => {
  // Area of WGS84: 510,065,621.724 km2 (Karney 2013).
  const octant: Ring = ring('0 0, 90 0, 0 90, 0 0');
  expect(areaSqM([[octant]]) / (510_065_621_724_088.44 / 8)).toBeCloseTo(1, 9);
});

test('an acre is 43,560 international square feet', () => {
  expect(SQ_M_PER_ACRE).toBeCloseTo(43_560 * 0.3048 ** 2, 9);
  expect(sqMToAcres(40_468.564224)).toBe(10);
});

test('nothing has no area', () => {
  expect(areaSqM([])).toBe(0);
});
