import fc from 'fast-check';
import { Geodesic } from 'geographiclib-geodesic';
import { describe, expect, test } from 'vitest';
import { geodesicCircle, geodesicDistanceM } from '../../../shared/geo/distance.ts';
import { coversPoint, type PreparedQuery, prepareQuery } from '../../../shared/geo/intersects.ts';
import { runs } from '../../support/runs.ts';

const lon = fc.double({ min: -180, max: 180, noNaN: true });
const lat = fc.double({ min: -90, max: 90, noNaN: true });

test('the distance is along the ellipsoid', () => {
  // Flinders Peak to Buninyong, Geoscience Australia, GDA technical manual 2.4, chapter 4 (GRS80, 0.1 mm from
  // WGS84 here): 54,972.271 m.
  const flinders = [144 + 25 / 60 + 29.5244 / 3600, -(37 + 57 / 60 + 3.7203 / 3600)] as const;
  const buninyong = [143 + 55 / 60 + 35.3839 / 3600, -(37 + 39 / 60 + 10.1561 / 3600)] as const;
  expect(geodesicDistanceM(...flinders, ...buninyong)).toBeCloseTo(54_972.271, 3);
  expect(geodesicDistanceM(-72.1, 43.2, -72.1, 43.2)).toBe(0);
  expect(geodesicDistanceM(179.999, 0, -179.999, 0)).toBeCloseTo(222.639, 3);
});

describe('a circle', () => {
  /** A place at a bearing and at a share of the radius, by GeographicLib's direct solution. */
  const around = fc.record({
    lon,
    lat,
    meters: fc.double({ min: Math.log(10), max: Math.log(200_000), noNaN: true }).map(Math.exp),
    bearing: fc.double({ min: -180, max: 180, noNaN: true }),
    share: fc.oneof(fc.double({ min: 0, max: 2, noNaN: true }), fc.constantFrom(0.999, 1.001)),
  });
  const holds = (query: PreparedQuery, x: number, y: number) =>
    coversPoint(query, Math.round(x * 1e7), Math.round(y * 1e7));

  test('contains what is nearer than its radius by a hundredth of a percent and a decimeter, and nothing beyond it', () => {
    fc.assert(
      fc.property(around, ({ lon, lat, meters, bearing, share }) => {
        const { lon2, lat2 } = Geodesic.WGS84.Direct(lat, lon, bearing, meters * share);
        const query = prepareQuery(geodesicCircle(lon, lat, meters));
        const away = geodesicDistanceM(lon, lat, lon2!, lat2!);
        if (away < meters * 0.9999 - 0.1) expect(holds(query, lon2!, lat2!)).toBe(true);
        if (away > meters + 0.1) expect(holds(query, lon2!, lat2!)).toBe(false);
      }),
      { numRuns: runs(600) },
    );
  });

  test('crosses the antimeridian, and contains a pole', () => {
    const date = prepareQuery(geodesicCircle(179.9, 52, 50_000));
    expect([179.5, -179.6, 178.9, -178.9].map(x => holds(date, x, 52))).toEqual([true, true, false, false]);
    const north = prepareQuery(geodesicCircle(20, 89.9, 50_000));
    expect([0, 90, 180, -180, -90].map(x => holds(north, x, 89.9))).toEqual([true, true, true, true, true]);
    expect(holds(north, 20, 89.4)).toBe(false);
  });
});
