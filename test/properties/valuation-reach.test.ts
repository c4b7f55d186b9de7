import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Box } from '../../shared/geo/types.ts';
import {
  createReachGrid,
  noteReach,
  packReaches,
  reachedBoxes,
  unpackReaches,
} from '../../shared/kernels/valuation/reach-grid.ts';

type Place = { lon: number; lat: number };

const place = (degrees: number) =>
  fc.record({
    lon: fc.integer({ min: -95e7, max: -95e7 + degrees * 1e7 }),
    lat: fc.integer({ min: 44e7, max: 44e7 + degrees * 1e7 }),
  });
const parcel = fc.record({ at: place(1), reachM: fc.double({ min: 0, max: 40_000, noNaN: true }) });

/** Along a great circle: R. W. Sinnott, Virtues of the Haversine, 1984. */
function distanceM(a: Place, b: Place): number {
  const half = (units: number) => Math.sin((units * Math.PI) / 360e7) ** 2;
  const cos = (units: number) => Math.cos((units * Math.PI) / 180e7);
  const hav = half(b.lat - a.lat) + cos(a.lat) * cos(b.lat) * half(b.lon - a.lon);
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(hav));
}

function gridOf(parcels: readonly { at: Place; reachM: number }[], as: number) {
  const [lon, lat] = [parcels.map(({ at }) => at.lon), parcels.map(({ at }) => at.lat)];
  const extent: Box = [Math.min(...lon), Math.min(...lat), Math.max(...lon), Math.max(...lat)];
  const grid = createReachGrid(extent, as);
  for (const { at, reachM } of parcels) noteReach(grid, at.lon, at.lat, reachM);
  return grid;
}

const inside =
  ({ lon, lat }: Place) =>
  ([west, south, east, north]: readonly number[]) =>
    west! <= lon && lon <= east! && south! <= lat && lat <= north!;

test('every parcel that a comp can reach is in a box, as cells of any size, and as they are stored', () => {
  fc.assert(
    fc.property(
      fc.array(parcel, { minLength: 1, maxLength: 60 }),
      place(1.2),
      fc.constantFrom(1, 1_000, 30_000, 1_000_000),
      (parcels, comp, as) => {
        const grid = gridOf(parcels, as);
        const stored = unpackReaches(grid.extent, packReaches(grid));
        expect(stored).toEqual(grid);
        const boxes = reachedBoxes(stored, comp.lon, comp.lat);
        for (const { at, reachM } of parcels)
          if (distanceM(at, comp) <= reachM) expect(boxes.some(inside(at))).toBe(true);
      },
    ),
  );
});

test('parcels of other cells that reach far have no others looked at', () => {
  const near = Array.from({ length: 900 }, (_, i) => ({
    at: { lon: -95e7 + (i % 30) * 3e5, lat: 44e7 + Math.floor(i / 30) * 3e5 },
    reachM: 5_000,
  }));
  const comp = { lon: -95e7, lat: 44e7 };
  const looked = (parcels: typeof near) => {
    const boxes = reachedBoxes(gridOf(parcels, 45_000), comp.lon, comp.lat);
    return parcels.filter(({ at }) => boxes.some(inside(at))).length;
  };
  const few = looked(near);
  expect(few).toBeLessThan(50);
  const far = near.map((one, i) => (i === 899 ? { ...one, reachM: 200_000 } : one));
  expect(looked(far)).toBeLessThan(few + 10);
});

test('a cell says whether it reaches farther than before', () => {
  const grid = createReachGrid([0, 0, 100, 100], 1);
  expect(noteReach(grid, 50, 50, 1_000.1)).toBe(true);
  // What a float of 32 bits cannot tell from it is no farther.
  expect(noteReach(grid, 100, 0, 1_000.1)).toBe(false);
  expect(noteReach(grid, 0, 100, 999)).toBe(false);
  expect(noteReach(grid, 0, 100, 1_001)).toBe(true);
});
