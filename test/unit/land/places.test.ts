import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxArea } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { placesOf } from '../../../shared/land/read-features.ts';

const lot = (x: number, y: number, side = 10_000): Box => [x, y, x + side, y + side];
const holds = (place: Box, box: Box) =>
  place[0] <= box[0] && place[1] <= box[1] && place[2] >= box[2] && place[3] >= box[3];

test('a dense block is one place, lots far apart are one each', () => {
  const block = Array.from({ length: 100 }, (_, i) => lot((i % 10) * 12_000, Math.floor(i / 10) * 12_000));
  expect(placesOf(block)).toEqual([[0, 0, 118_000, 118_000]]);
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
      const total = (list: Box[]) => list.reduce((sum, one) => sum + boxArea(one), 0);
      expect(total(places)).toBeLessThanOrEqual(4 * total(boxes));
    }),
  );
});
