import { describe, expect, test } from 'vitest';
import { areaSqM, sqMToAcres } from '../../../shared/geo/geodesic-area.ts';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import { assemblagesOf, gapM, nearbyPairs, outlineOf } from '../../../shared/kernels/assemblage.ts';
import { box, groundAt } from '../../support/frontage-ground.ts';

const ground = groundAt([-72.1, 43.2]);
const lot = (west: number, south: number, east: number, north: number) =>
  ground.shape(box(west, south, east, north));

type Given = { shape: MultiPolygon; owner?: number; name?: string; county?: number };

/** Groups lots, which have the ids 1, 2, and so on. */
function group(given: readonly Given[]) {
  const lots = given.map(({ shape, name, county = 1 }, i) => {
    const acres = sqMToAcres(areaSqM(shape));
    return {
      id: i + 1,
      county,
      boundary: name ?? String(i),
      acres,
      boundaryAcres: acres,
      outline: outlineOf(shape),
    };
  });
  const pairs = nearbyPairs(
    given.map(({ owner = 0 }) => owner),
    lots.flatMap(({ outline }) => outline.box),
  );
  return assemblagesOf(lots, pairs);
}

const gap = (a: MultiPolygon, b: MultiPolygon) => gapM(outlineOf(a), outlineOf(b));

describe('the gap between two lots', () => {
  test('is measured between edges and corners, to 2 cm', () => {
    expect(gap(lot(0, 0, 100, 100), lot(120, 20, 200, 80))).toBeCloseTo(20, 1);
    expect(gap(lot(0, 0, 100, 100), lot(103, 104, 200, 200))).toBeCloseTo(5, 1);
    expect(gap(lot(0, 0, 100, 100), lot(129.98, 0, 200, 100))).toBeLessThan(30);
    expect(gap(lot(0, 0, 100, 100), lot(130.02, 0, 200, 100))).toBe(Infinity);
  });

  test('is 0 for lots that overlap, and for a lot inside another', () => {
    expect(gap(lot(0, 0, 100, 100), lot(50, 50, 200, 200))).toBe(0);
    expect(gap(lot(0, 0, 100, 100), lot(40, 40, 60, 60))).toBe(0);
    expect(gap(lot(40, 40, 60, 60), lot(0, 0, 100, 100))).toBe(0);
    // Only the second part is inside.
    const parts = [...lot(500, 500, 600, 600), ...lot(45, 45, 55, 55)];
    expect(gap(lot(0, 0, 100, 100), parts)).toBe(0);
  });

  test('reaches across a hole', () => {
    const ring = ground.shape(box(0, 0, 100, 100), box(20, 20, 80, 80));
    expect(gap(ring, lot(45, 45, 55, 55))).toBeCloseTo(25, 1);
  });
});

describe('an assemblage', () => {
  test('tells lots that touch from lots across a road', () => {
    const found = group([
      { shape: lot(0, 0, 100, 100) },
      { shape: lot(100.5, 0, 200, 100) },
      { shape: lot(220, 0, 300, 100) },
      { shape: lot(400, 0, 500, 100) },
    ]);
    expect(found.get(1)).toMatchObject({ id: 1, parcels: 3, touching_parcels: 2 });
    expect(found.get(3)).toMatchObject({ id: 1, parcels: 3, touching_parcels: 1 });
    expect(found.get(3)!.acres).toBeCloseTo((10_000 + 9_950 + 8_000) / 4_046.856, 2);
    expect(found.get(3)!.touching_acres).toBeCloseTo(8_000 / 4_046.856, 2);
    expect(found.has(4)).toBe(false);
  });

  test("has only one owner's lots, even with a stranger's sliver in between", () => {
    const found = group([
      { shape: lot(0, 0, 100, 100) },
      { shape: lot(100, 0, 100.8, 100), owner: 2 },
      { shape: lot(100.8, 0, 200, 100) },
    ]);
    expect(found.get(1)).toMatchObject({ parcels: 2, touching_parcels: 2 });
    expect(found.has(2)).toBe(false);
  });

  test('counts duplicates of a lot and condominium units once, and needs two lots', () => {
    const unit = { shape: lot(0, 0, 100, 100), name: 'building' };
    expect(group([unit, unit, unit]).size).toBe(0);
    const found = group([unit, unit, { shape: lot(100, 0, 200, 100) }]);
    expect(found.size).toBe(3);
    expect(found.get(2)).toMatchObject({ id: 1, parcels: 2, touching_parcels: 2 });
    expect(found.get(2)!.acres).toBeCloseTo(20_000 / 4_046.856, 2);
  });

  test('counts the land of lots that overlap as the roll states it, and each lot once', () => {
    const found = group([
      { shape: lot(0, 0, 100, 100) },
      { shape: lot(60, 0, 160, 100) },
      { shape: lot(20, 20, 40, 40) },
    ]);
    expect(found.get(1)).toMatchObject({ id: 1, parcels: 3, touching_parcels: 3 });
    expect(found.get(3)!.acres).toBeCloseTo((10_000 + 10_000 + 400) / 4_046.856, 2);
  });

  test('is held together by a sliver of the same owner, which is a lot', () => {
    const found = group([
      { shape: lot(0, 0, 100, 100) },
      { shape: lot(100, 0, 100.3, 100) },
      { shape: lot(130.4, 0, 200, 100) },
    ]);
    // The lots are 30.4 m apart, and the sliver is 30.1 m from the second one.
    expect(found.get(1)).toMatchObject({ parcels: 2, touching_parcels: 2 });
    expect(found.has(3)).toBe(false);
    const nearer = group([
      { shape: lot(0, 0, 100, 100) },
      { shape: lot(100, 0, 100.6, 100) },
      { shape: lot(130.4, 0, 200, 100) },
    ]);
    expect(nearer.get(3)).toMatchObject({ id: 1, parcels: 3, touching_parcels: 1 });
  });

  test('has no lots without a box', () => {
    const box = outlineOf(lot(0, 0, 100, 100)).box;
    const none = [NaN, NaN, NaN, NaN];
    expect(nearbyPairs([1, 1, 1, 1], [...none, ...box, ...none, ...box])).toEqual([1, 3]);
    expect(nearbyPairs([1, 1], [...none, ...none])).toEqual([]);
  });

  test('lists its counties', () => {
    const found = group([{ shape: lot(0, 0, 100, 100) }, { shape: lot(100, 0, 200, 100), county: 2 }]);
    expect(found.get(1)!.counties).toEqual([1, 2]);
  });

  test('is empty without lots', () => {
    expect(group([]).size).toBe(0);
  });
});
