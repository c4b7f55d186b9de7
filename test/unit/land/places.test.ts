import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Box, boxText, grow, placesOf } from '../../../shared/land/places.ts';

const lot = (x: number, y: number, side = 10_000): Box => ({
  west: x,
  south: y,
  east: x + side,
  north: y + side,
});
const holds = (place: Box, box: Box) =>
  place.west <= box.west && place.south <= box.south && place.east >= box.east && place.north >= box.north;
const areaOf = ({ west, south, east, north }: Box) => (east - west) * (north - south);

test('a dense block is one place, lots far apart are one each', () => {
  const block = Array.from({ length: 100 }, (_, i) => lot((i % 10) * 12_000, Math.floor(i / 10) * 12_000));
  expect(placesOf(block)).toEqual([{ west: 0, south: 0, east: 118_000, north: 118_000 }]);
  const apart = [lot(0, 0), lot(1_000_000, 0), lot(2_000_000, 500_000)];
  expect(placesOf(apart)).toEqual(apart);
  expect(placesOf([])).toEqual([]);
});

test('every box lies in a place, and the places are in proportion to the boxes', () => {
  const box = fc
    .tuple(fc.nat(2_000_000), fc.nat(2_000_000), fc.integer({ min: 1, max: 50_000 }))
    .map(([x, y, side]) => lot(x, y, side));
  fc.assert(
    fc.property(fc.array(box, { maxLength: 60 }), boxes => {
      const places = placesOf(boxes);
      for (const one of boxes) expect(places.some(place => holds(place, one))).toBe(true);
      const total = (list: Box[]) => list.reduce((sum, one) => sum + areaOf(one), 0);
      expect(total(places)).toBeLessThanOrEqual(4 * total(boxes));
    }),
  );
});

test('a margin is at least as wide as it says, everywhere on the ground', () => {
  fc.assert(
    fc.property(fc.integer({ min: -72, max: 72 }), fc.integer({ min: 1, max: 500 }), (latitude, metres) => {
      const box = lot(-720_000_000, latitude * 1e7);
      const grown = grow(box, metres);
      // Of the WGS84 ellipsoid: metres of a degree of latitude and of longitude.
      const phi = ((latitude + (latitude < 0 ? 0 : 0.001)) * Math.PI) / 180;
      const [a, e2] = [6_378_137, 0.006694379990141];
      const w = Math.sqrt(1 - e2 * Math.sin(phi) ** 2);
      const up = (Math.PI / 180) * ((a * (1 - e2)) / w ** 3);
      const across = (Math.PI / 180) * (a / w) * Math.cos(phi);
      expect(((box.south - grown.south) / 1e7) * up).toBeGreaterThanOrEqual(metres);
      expect(((grown.north - box.north) / 1e7) * up).toBeGreaterThanOrEqual(metres);
      expect(((box.west - grown.west) / 1e7) * across).toBeGreaterThanOrEqual(metres);
      expect(((grown.east - box.east) / 1e7) * across).toBeGreaterThanOrEqual(metres);
      // And not much wider.
      expect(((grown.north - box.north) / 1e7) * up).toBeLessThanOrEqual(1.05 * metres + 1);
    }),
  );
});

test('is written as PostgreSQL reads a box', () => {
  expect(boxText(lot(-5, 7, 2))).toBe('(-5,7),(-3,9)');
});
