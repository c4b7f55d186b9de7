import fc from 'fast-check';
import geographiclib from 'geographiclib-geodesic';
import { describe, expect, test } from 'vitest';
import { scaleBarOf, viewOf } from '../../../shared/drawing/map-extent.ts';
import type { MultiPolygon, Position } from '../../../shared/geo/geometry-types.ts';
import { square } from '../../support/parcels.ts';

const geodesic = geographiclib.Geodesic.WGS84;
const distanceM = (a: Position, b: Position) => geodesic.Inverse(a[1], a[0], b[1], b[0]).s12!;

const places = fc.record({
  lon: fc.double({ min: -170, max: -60, noNaN: true }),
  lat: fc.double({ min: 15, max: 72, noNaN: true }),
  side: fc.double({ min: 0.0001, max: 0.2, noNaN: true }),
});

describe('a view', () => {
  test('has true lengths in every direction', () => {
    fc.assert(
      fc.property(places, fc.double({ min: 0, max: 360, noNaN: true }), ({ lon, lat, side }, azimuth) => {
        const view = viewOf(square(lon, lat, side), 40, 900, 740);
        const meters = 200 * view.metersPerPx;
        const there = geodesic.Direct(lat, lon, azimuth, meters);
        const [x0, y0] = view.toPx([lon, lat]);
        const [x, y] = view.toPx([there.lon2!, there.lat2!]);
        expect(Math.hypot(x - x0, y - y0)).toBeCloseTo(200, 1);
      }),
    );
  });

  test('has north up, the parcel in the middle, and a margin around it', () => {
    fc.assert(
      fc.property(places, ({ lon, lat, side }) => {
        const shape = square(lon, lat, side);
        const view = viewOf(shape, 40, 900, 740);
        const points = shape[0]![0]!.map(view.toPx);
        const [left, right] = [Math.min(...points.map(p => p[0])), Math.max(...points.map(p => p[0]))];
        const [top, bottom] = [Math.min(...points.map(p => p[1])), Math.max(...points.map(p => p[1]))];
        expect(left + right).toBeCloseTo(900, 3);
        expect(top + bottom).toBeCloseTo(740, 3);
        const marginPx = 40 / view.metersPerPx;
        expect(Math.min(left, top)).toBeCloseTo(marginPx, 3);
        expect(view.toPx([lon, lat + side])[1]).toBeLessThan(view.toPx([lon, lat])[1]);
        expect(view.toPx([lon + side, lat])[0]).toBeGreaterThan(view.toPx([lon, lat])[0]);
      }),
    );
  });

  test('knows the area that it shows', () => {
    fc.assert(
      fc.property(places, ({ lon, lat, side }) => {
        const view = viewOf(square(lon, lat, side), 40, 900, 740);
        const [west, south, east, north] = view.box;
        for (const [x, y] of [
          view.toPx([west / 1e7, north / 1e7]),
          view.toPx([west / 1e7, (south + north) / 2e7]),
          view.toPx([west / 1e7, south / 1e7]),
        ])
          expect(x! <= 0.5 || y! < 0 || y! > 740).toBe(true);
        expect(view.toPx([(west + east) / 2e7, north / 1e7])[1]).toBeLessThan(0.5);
        expect(view.toPx([(west + east) / 2e7, south / 1e7])[1]).toBeGreaterThan(739.5);
      }),
    );
  });

  test('contains all parts, and a sliver without width', () => {
    const parts: MultiPolygon = [...square(-72, 43, 0.001), ...square(-72.01, 43.01, 0.001)];
    const view = viewOf(parts, 40, 900, 740);
    for (const [x, y] of parts.flat(2).map(view.toPx)) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(900);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(740);
    }
    const sliver = viewOf(square(-72, 43, 1e-7), 0, 900, 740);
    expect(sliver.metersPerPx).toBeGreaterThan(0.001);
  });
});

describe('the scale bar', () => {
  test.each([0.01, 0.05, 0.3, 1, 7.7, 60])('is a round length in feet at %d m per pixel', metersPerPx => {
    const view = { ...viewOf(square(-72, 43), 0, 900, 740), metersPerPx };
    const { feet, px } = scaleBarOf(view, 225);
    expect(px).toBeLessThanOrEqual(225);
    expect(px).toBeGreaterThan(225 / 2.51);
    expect(px * metersPerPx).toBeCloseTo(feet * 0.3048, 6);
    expect([1, 2, 5]).toContain(Math.round(feet / 10 ** Math.floor(Math.log10(feet) + 1e-9)));
  });

  test('is as long on the ground as it says', () => {
    const view = viewOf(square(-72, 43), 20, 900, 740);
    const { feet, px } = scaleBarOf(view, 225);
    const there = geodesic.Direct(43, -72, 90, feet * 0.3048);
    const [from, to] = [view.toPx([-72, 43]), view.toPx([there.lon2!, there.lat2!])];
    expect(to[0] - from[0]).toBeCloseTo(px, 1);
    expect(distanceM([-72, 43], [there.lon2!, there.lat2!])).toBeCloseTo(feet * 0.3048, 6);
  });
});
