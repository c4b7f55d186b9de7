import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBoundary, encodeBoundary, fromE7, toE7 } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import { pointInMultiPolygon, pointInRing } from '../../shared/geo/point-in-polygon.ts';
import { pointOnSurface } from '../../shared/geo/point-on-surface.ts';
import { prepareBoundary } from '../../shared/geo/prepare-geometry.ts';
import { planarArea } from '../../shared/geo/ring.ts';
import { runs } from '../support/runs.ts';
import { parcels, slivers, tangles, windingNumber } from './geometry-shapes.ts';

function expectInside(polygons: MultiPolygon): void {
  const point = pointOnSurface(polygons);
  expect(pointInMultiPolygon(point, polygons)).toBe('inside');
  const stored: Position = [fromE7(toE7(point[0])), fromE7(toE7(point[1]))];
  expect(pointInMultiPolygon(stored, polygons)).toBe('inside');
  expect(pointInMultiPolygon(stored, decodeBoundary(encodeBoundary(polygons)))).toBe('inside');
}

test('the point lies strictly inside, as computed and as stored, for parcels at least a meter across', () => {
  fc.assert(
    fc.property(parcels(3, 20_000), polygon => expectInside([polygon])),
    { numRuns: runs(350) },
  );
  fc.assert(
    fc.property(slivers(2, 5000), polygon => expectInside([polygon])),
    { numRuns: runs(350) },
  );
});

test('the point lies inside whatever remains of a repaired ring', () => {
  fc.assert(
    fc.property(tangles, ring => {
      const prepared = prepareBoundary({ type: 'Polygon', coordinates: [ring] });
      if (!prepared.ok) return;
      const side = pointInMultiPolygon(pointOnSurface(prepared.polygons), prepared.polygons);
      // A ring that all but retraces itself may enclose less than the spacing of doubles: nothing
      // lies inside it then.
      if (prepared.polygons.some(([shell]) => planarArea([[shell!]]) > 5e-13)) expect(side).toBe('inside');
      else expect(side).not.toBe('outside');
    }),
    { numRuns: runs(350) },
  );
});

test('the point is never outside, however thin the triangle', () => {
  const coordinate = fc.double({ min: -1e-6, max: 1e-6, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 3 }), corners => {
      const shifted = corners.map(([x, y]): Position => [-72 + x, 43 + y * 1e-4]);
      const prepared = prepareBoundary({ type: 'Polygon', coordinates: [[...shifted, shifted[0]!]] });
      if (!prepared.ok) return;
      expect(pointInMultiPolygon(pointOnSurface(prepared.polygons), prepared.polygons)).not.toBe('outside');
    }),
    { numRuns: runs(1000) },
  );
});

test('point in ring agrees with the winding number off a simple boundary', () => {
  const offset = fc.double({ min: -0.6, max: 0.6, noNaN: true });
  fc.assert(
    fc.property(parcels(100, 1000), offset, offset, ([shell], dx, dy) => {
      const ring = shell!;
      const point: Position = [ring[0]![0] + dx * 0.01, ring[0]![1] + dy * 0.01];
      const side = pointInRing(point, ring);
      if (side !== 'boundary') expect(side === 'inside').toBe(windingNumber(point, ring) !== 0);
    }),
    { numRuns: runs(350) },
  );
});
