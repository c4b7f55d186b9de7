import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBoundary, encodeBoundary, toE7 } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position, Ring } from '../../shared/geo/geometry-types.ts';
import { combineParts } from '../../shared/geo/overlay.ts';
import { pointInMultiPolygon } from '../../shared/geo/point-in-polygon.ts';
import { prepareBoundary } from '../../shared/geo/prepare-geometry.ts';
import { isCounterClockwise } from '../../shared/geo/ring.ts';
import { stageBoundary } from '../../workers/ingest/kinds/assessor/stage-boundary.ts';
import { isClean, parcels, tangles, windingNumber } from './geometry-shapes.ts';

const fractions = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
  {
    minLength: 20,
    maxLength: 20,
  },
);

test('a tangled ring keeps all the land that it winds around, once, in valid polygons', () => {
  fc.assert(
    fc.property(tangles, fractions, (ring, samples) => {
      const prepared = prepareBoundary({ type: 'Polygon', coordinates: [ring] });
      if (!prepared.ok) {
        expect(['no_area', 'too_few_points']).toContain(prepared.reason);
        for (const point of spread(ring, samples)) expect(windingNumber(point, ring)).toBe(0);
        return;
      }
      expect(isClean(prepared.polygons)).toBe(true);
      for (const point of spread(ring, samples)) {
        expect(coverage(point, prepared.polygons)).toBe(windingNumber(point, ring) === 0 ? 0 : 1);
      }
    }),
    { numRuns: 100 },
  );
});

test('overlapping parts are merged, by prepareBoundary and by combineParts', () => {
  fc.assert(
    fc.property(fc.array(tangles, { minLength: 2, maxLength: 3 }), fractions, (rings, samples) => {
      const prepared = prepareBoundary({ type: 'MultiPolygon', coordinates: rings.map(ring => [ring]) });
      const each = rings.map(ring => prepareBoundary({ type: 'Polygon', coordinates: [ring] }));
      const combined = combineParts(each.flatMap(part => (part.ok ? [part.polygons] : [])));
      const polygons = prepared.ok ? prepared.polygons : [];
      expect(isClean(polygons)).toBe(true);
      expect(isClean(combined)).toBe(true);
      for (const point of spread(rings.flat(), samples)) {
        const covered = rings.some(ring => windingNumber(point, ring) !== 0) ? 1 : 0;
        expect(coverage(point, polygons)).toBe(covered);
        expect(coverage(point, combined)).toBe(covered);
      }
    }),
    { numRuns: 75 },
  );
});

test('a hole removes its land from the shell that it crosses', () => {
  fc.assert(
    fc.property(tangles, tangles, fractions, (shell, hole, samples) => {
      const prepared = prepareBoundary({ type: 'Polygon', coordinates: [shell, hole] });
      const polygons = prepared.ok ? prepared.polygons : [];
      expect(isClean(polygons)).toBe(true);
      const points = spread([...shell, ...hole], samples).filter(point => windingNumber(point, shell) !== 0);
      for (const point of points)
        expect(coverage(point, polygons)).toBe(windingNumber(point, hole) === 0 ? 1 : 0);
    }),
    { numRuns: 50 },
  );
});

test('a prepared boundary keeps its land when prepared again, and valid parcels are unchanged', () => {
  fc.assert(
    fc.property(tangles, fractions, (ring, samples) => {
      const once = prepareBoundary({ type: 'Polygon', coordinates: [ring] });
      if (!once.ok) return;
      const twice = prepareBoundary({ type: 'MultiPolygon', coordinates: once.polygons });
      if (!twice.ok) throw new Error(twice.message);
      for (const point of spread(ring, samples)) {
        expect(coverage(point, twice.polygons)).toBe(coverage(point, once.polygons));
      }
    }),
    { numRuns: 50 },
  );
  fc.assert(
    fc.property(parcels(5, 5000), polygon => {
      // Corners in the order of their angles run clockwise where the center is outside: a thin triangle.
      fc.pre(isCounterClockwise(polygon[0]!));
      expect(prepareBoundary({ type: 'Polygon', coordinates: polygon })).toEqual({
        ok: true,
        polygons: [polygon],
        repairs: [],
      });
    }),
    { numRuns: 500 },
  );
});

test('every shape that is served is valid on its grid, and wound as RFC 7946 requires', () => {
  /**
   * Rings of a few centimeters to meters: rounding to 1e-7 degrees folds, crosses and empties what was valid.
   */
  const share = fc.integer({ min: 0, max: 1e6 });
  const speck = fc
    .tuple(
      fc.array(fc.tuple(share, share), { minLength: 3, maxLength: 7 }),
      fc.constantFrom(4e-7, 3e-6, 5e-5),
    )
    .map(([corners, size]) => {
      const ring = corners.map(([x, y]): Position => [-72 + x * 1e-6 * size, 43 + y * 1e-6 * size]);
      return [...ring, ring[0]!];
    });
  const seen = { served: 0, moved: 0 };
  fc.assert(
    fc.property(fc.array(speck, { minLength: 1, maxLength: 2 }), rings => {
      const coordinates = rings.map(ring => [ring]);
      const result = stageBoundary({ type: 'MultiPolygon', coordinates });
      if (!result.ok) {
        expect(['no_area', 'too_few_points']).toContain(result.reason);
        return;
      }
      const shape = decodeBoundary(result.staged.boundary);
      seen.served++;
      expect(isClean(shape)).toBe(true);
      for (const polygon of shape)
        for (const [i, ring] of polygon.entries()) {
          expect(ring.at(-1)).toEqual(ring[0]);
          expect(signedArea(ring) > 0n).toBe(i === 0);
          expect(signedArea(ring)).not.toBe(0n);
        }
      const again = prepareBoundary({ type: 'MultiPolygon', coordinates: shape });
      expect(again).toEqual({ ok: true, polygons: shape, repairs: [] });
      const rounded = prepareBoundary({ type: 'MultiPolygon', coordinates });
      if (
        rounded.ok &&
        JSON.stringify(decodeBoundary(encodeBoundary(rounded.polygons))) !== JSON.stringify(shape)
      )
        seen.moved++;
    }),
    { numRuns: 100 },
  );
  expect(Math.min(seen.served, seen.moved)).toBeGreaterThan(20);
});

/** Twice the area in units of the grid, exactly: positive when the ring runs counter-clockwise. */
function signedArea(ring: Ring): bigint {
  const units = ring.map(position => position.map(degrees => BigInt(toE7(degrees))) as [bigint, bigint]);
  return units.slice(1).reduce((sum, [x, y], i) => sum + units[i]![0] * y - x * units[i]![1], 0n);
}

/**
 * Points all over the extent of some positions, offset so that neither random doubles nor their shrunken
 * forms fall on an edge.
 */
function spread(positions: Ring, samples: [number, number][]): Position[] {
  const lons = positions.map(([lon]) => lon);
  const lats = positions.map(([, lat]) => lat);
  const at = (values: number[], fraction: number) =>
    Math.min(...values) + fraction * (Math.max(...values) - Math.min(...values));
  return samples.map(([x, y]): Position => [at(lons, 0.013747 + 0.97 * x), at(lats, 0.031511 + 0.93 * y)]);
}

/** In how many parts a point lies. */
function coverage(point: Position, polygons: MultiPolygon): number {
  return polygons.filter(polygon => pointInMultiPolygon(point, [polygon]) === 'inside').length;
}
