import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areaSqM, SHORT_EDGE_M } from '../../shared/geo/geodesic-area.ts';
import type { Polygon } from '../../shared/geo/geometry-types.ts';
import { ring } from '../support/rings.ts';
import { runs } from '../support/runs.ts';
import { geographicLibAreaSqM, parcels, place, slivers } from './geometry-shapes.ts';

/**
 * GeographicLib's own rounding, at any size of parcel: what is left when it subtracts areas
 * down to the equator.
 */
const GEOGRAPHICLIB_NOISE_SQ_M = 2e-4;

function expectSameArea(polygon: Polygon): void {
  const reference = geographicLibAreaSqM([polygon]);
  expect(Math.abs(areaSqM([polygon]) - reference)).toBeLessThanOrEqual(
    1e-6 * reference + GEOGRAPHICLIB_NOISE_SQ_M,
  );
}

describe('geodesic area equals GeographicLib to 1e-6', () => {
  test('parcels of 5 m to 5 km, concave, with holes, from -60 to 71 degrees', () => {
    fc.assert(fc.property(parcels(5, 5000), expectSameArea), { numRuns: runs(750) });
  });

  test('strips down to 1 m wide at any bearing', () => {
    fc.assert(fc.property(slivers(5, 5000), expectSameArea), { numRuns: runs(750) });
  });

  test('just below and just above the longest edge of the short formula', () => {
    fc.assert(fc.property(slivers(0.97 * SHORT_EDGE_M, 1.03 * SHORT_EDGE_M), expectSameArea), {
      numRuns: runs(400),
    });
    fc.assert(fc.property(parcels(0.5 * SHORT_EDGE_M, 4 * SHORT_EDGE_M), expectSameArea), {
      numRuns: runs(400),
    });
  });

  test('a whole state, high latitudes, and across the antimeridian', () => {
    expectSameArea([place(-72, 44, ring('0 0, 150000 0, 140000 300000, 0 250000'))]);
    expectSameArea([place(15, 78, ring('0 0, 300 0, 300 200, 0 200'))]);
    expectSameArea([ring('179.99 52, -179.99 52, -179.99 52.01, 179.99 52.01, 179.99 52')]);
  });
});

test("small parcels are exact where GeographicLib isn't: a rectangle along meridians and parallels", () => {
  // The zone between two parallels by the midpoint rule in differences, which loses nothing to
  // cancellation, plus the slivers between the parallels and the geodesics of the two level edges.
  const e2 = 0.0066943799901413165;
  const a = 6378137;
  const rad = Math.PI / 180;
  fc.assert(
    fc.property(
      fc.double({ min: -60, max: 71, noNaN: true }),
      fc.double({ min: 1, max: 50, noNaN: true }),
      (south, meters) => {
        const north = south + meters / 111_195;
        const east = -70 + meters / 80_000;
        const sinMid = Math.sin(((south + north) / 2) * rad);
        const w = 1 - e2 * sinMid ** 2;
        const dLambda = (east + 70) * rad;
        const zone =
          ((a * a * (1 - e2)) / w ** 2) *
          Math.cos(((south + north) / 2) * rad) *
          (north - south) *
          rad *
          dLambda;
        const bulge = (lat: number) => {
          const sin = Math.sin(lat * rad);
          return (sin * dLambda ** 3 * a * a * (1 - sin * sin)) / (1 - e2 * sin * sin) / 12;
        };
        const expected = zone + bulge(north) - bulge(south);
        const ring: Polygon[0] = [
          [-70, south],
          [east, south],
          [east, north],
          [-70, north],
          [-70, south],
        ];
        expect(Math.abs(areaSqM([[ring]]) / expected - 1)).toBeLessThan(1e-8);
      },
    ),
  );
});
