import fc from 'fast-check';
import { Geodesic } from 'geographiclib-geodesic';
import { describe, expect, test } from 'vitest';
import { geodesicCircleBoxes, geodesicDistanceM } from '../../../shared/geo/distance.ts';
import type { Box } from '../../../shared/geo/types.ts';

const lon = fc.double({ min: -180, max: 180, noNaN: true });
const lat = fc.double({ min: -90, max: 90, noNaN: true });

test('the distance is that along the ellipsoid', () => {
  // Flinders Peak to Buninyong, Geoscience Australia, GDA technical manual 2.4, chapter 4 (GRS80, 0.1 mm from WGS84 here): 54,972.271 m.
  const flinders = [144 + 25 / 60 + 29.5244 / 3600, -(37 + 57 / 60 + 3.7203 / 3600)] as const;
  const buninyong = [143 + 55 / 60 + 35.3839 / 3600, -(37 + 39 / 60 + 10.1561 / 3600)] as const;
  expect(geodesicDistanceM(...flinders, ...buninyong)).toBeCloseTo(54_972.271, 3);
  expect(geodesicDistanceM(-72.1, 43.2, -72.1, 43.2)).toBe(0);
  expect(geodesicDistanceM(179.999, 0, -179.999, 0)).toBeCloseTo(222.639, 3);
});

describe('the boxes of a circle', () => {
  /** A place at a bearing and at a share of the radius, by GeographicLib's direct solution. */
  const around = fc.record({
    lon,
    lat,
    metres: fc.double({ min: Math.log(0.1), max: Math.log(2e7), noNaN: true }).map(Math.exp),
    bearing: fc.double({ min: -180, max: 180, noNaN: true }),
    share: fc.oneof(
      fc.double({ min: 0, max: 2, noNaN: true }),
      fc.constantFrom(0.993, 0.9999999, 1.0000001, 1.007),
    ),
  });

  test('hold whatever is no farther than the radius', () => {
    let held = 0;
    fc.assert(
      fc.property(around, ({ lon, lat, metres, bearing, share }) => {
        const end = Geodesic.WGS84.Direct(lat, lon, bearing, metres * share);
        const [lon2, lat2] = [end.lon2!, end.lat2!];
        if (geodesicDistanceM(lon, lat, lon2, lat2) > metres) return;
        held++;
        expect(geodesicCircleBoxes(lon, lat, metres).some(box => holds(box, lon2, lat2))).toBe(true);
      }),
      { numRuns: 5000 },
    );
    expect(held).toBeGreaterThan(1000);
  });

  const holds = ([w, s, e, n]: Box, x: number, y: number) => w <= x && x <= e && s <= y && y <= n;

  test('one box where it can be, two over the antimeridian, all longitudes at a pole', () => {
    const [[west, south, east, north]] = geodesicCircleBoxes(-72.1, 43.2, 50_000) as [Box];
    // 50 km at 43.2 degrees north: 0.45 degrees of latitude, 0.615 of longitude.
    expect([-72.1 - west, 43.2 - south, east + 72.1, north - 43.2].map(d => d.toFixed(2))).toEqual([
      '0.62',
      '0.45',
      '0.62',
      '0.45',
    ]);
    const split = geodesicCircleBoxes(179.9, 52, 50_000);
    expect(split).toHaveLength(2);
    expect(split.map(([w, , e]) => [w, e].map(Math.round))).toEqual([
      [179, 180],
      [-180, -179],
    ]);
    expect(geodesicCircleBoxes(0, 89.9, 50_000).map(([w, , e, n]) => [w, e, n])).toEqual([[-180, 180, 90]]);
    expect(geodesicCircleBoxes(10, 10, 3e7)).toEqual([[-180, -90, 180, 90]]);
  });
});
