import { describe, expect, test } from 'vitest';
import { frontageMarginM, prepareFrontage } from '../../../../shared/kernels/frontage/frontage.ts';
import { box, groundAt } from '../../../support/frontage-ground.ts';
import { ring } from '../../../support/rings.ts';
import { expectMeters, frontageOf, meters, parcel, REACH, road, WEST_EAST } from './measure.ts';

describe('real parcel maps', () => {
  test('a boundary drawn along the centerline faces it', () => {
    const parcels = [
      parcel(1, box(0, 0, 30, 50)),
      parcel(2, box(30, 0, 60, 50)),
      parcel(3, box(0, -50, 60, 0)),
    ];
    expectMeters(frontageOf(1, [WEST_EAST], parcels), { local: 30 });
    expectMeters(frontageOf(3, [WEST_EAST], parcels), { local: 60 });
  });

  test('so it does if the road winds around it', () => {
    // Up to 2 m off to either side: inside it counts by its own length, outside by the
    // boundary's, 0.8 % less.
    const winding = road(
      'local',
      [-10, 2],
      ...[-2, 2, -2, 2].map((y, i) => [10 + 30 * i, y] as const),
      [130, -2],
    );
    const parcels = [parcel(1, box(0, 0, 100, 50)), parcel(2, box(0, -50, 100, 0))];
    for (const id of [1, 2]) {
      const { localFt } = frontageOf(id, [winding], parcels);
      expect(meters(localFt)).toBeGreaterThan(98);
      expect(meters(localFt)).toBeLessThan(103);
    }
  });

  test("neighbors that overlap across the front don't block each other", () => {
    // The lot over the way was drawn to 2 m beyond the centerline.
    const parcels = [parcel(1, box(0, 8, 30, 58)), parcel(2, box(0, -50, 30, 2))];
    expectMeters(frontageOf(1, [WEST_EAST], parcels), { local: 30 });
  });

  test('a neighbor that overlaps or leaves a gap at the side line changes nothing', () => {
    const lot = parcel(1, box(0, 8, 30, 58));
    for (const west of [29.8, 30.2]) {
      expectMeters(frontageOf(1, [WEST_EAST], [lot, parcel(2, box(west, 8, 60, 58))]), { local: 30 });
    }
  });

  test('units stacked on one lot all face the street', () => {
    const parcels = [1, 2, 3].map(id => parcel(id, box(0, 8, 30, 58)));
    // Drawn from another corner, the other way round.
    parcels.push(parcel(4, box(0, 8, 30, 58).reverse()));
    for (const { id } of parcels) expectMeters(frontageOf(id, [WEST_EAST], parcels), { local: 30 });
  });

  test('rings may have either winding', () => {
    const lot = parcel(1, box(0, 8, 30, 58).reverse());
    expectMeters(frontageOf(1, [WEST_EAST], [lot]), { local: 30 });
  });

  test('lengths are true at any latitude', () => {
    for (const lat of [18, 43, 71]) {
      const there = groundAt([-150, lat]);
      const frontage = frontageOf(
        1,
        [there.road('local', [-200, 0], [200, 0])],
        [there.parcel(1, box(0, 8, 100, 58))],
      );
      expect(Math.abs(meters(frontage.localFt) / 100 - 1)).toBeLessThan(1e-4);
    }
  });
});

test('lengths are true to 1e-4 across a neighborhood 160 km wide', () => {
  // Two lots of 100 m, a degree of longitude (81 km) east and west of the middle.
  const ends = [-73, -71].map((lon, id) => {
    const there = groundAt([lon, 43]);
    return { lot: there.parcel(id, box(0, 8, 100, 58)), street: there.road('local', [-200, 0], [200, 0]) };
  });
  const prepared = prepareFrontage(
    ends.map(({ street }) => street),
    ends.map(({ lot }) => lot),
    REACH,
  );
  for (const id of [0, 1]) expect(Math.abs(meters(prepared.of(id).localFt) / 100 - 1)).toBeLessThan(1e-4);
});

test('the stretches that count are returned for drawing, with a road that runs through', () => {
  const prepared = prepareFrontage(
    [WEST_EAST, road('normal', [0, -200], [0, 200])],
    [parcel(1, ring('8 8, 20 8, 38 8, 38 48, 8 48'))],
    REACH,
  );
  const stretches = prepared.facing(1);
  // The front in one piece, though it has a corner in it, and the flank.
  expect(stretches.map(({ class: name, line }) => [name, line.length])).toEqual([
    ['local', 3],
    ['normal', 2],
  ]);
  expect(stretches.every(({ sides }) => sides === 1)).toBe(true);
  const through = prepareFrontage([WEST_EAST], [parcel(1, box(0, -80, 100, 80))], REACH).facing(1);
  expect(through).toEqual([{ class: 'local', line: expect.anything(), sides: 2 }]);
});

test('anything further away than the margin changes nothing', () => {
  const marginM = frontageMarginM(REACH);
  const lot = parcel(1, box(0, 0, 30, 50));
  // The end of a highway as far off as it may be, and beyond.
  const at = (distanceM: number) =>
    frontageOf(1, [road('highway', [15, -distanceM - 100], [15, -distanceM])], [lot]);
  expect(at(marginM - 0.5).access).not.toBe('none');
  expect(at(marginM + 0.01).access).toBe('none');
});

test('an unknown parcel is refused', () => {
  const prepared = prepareFrontage([WEST_EAST], [], REACH);
  expect(() => prepared.of(7)).toThrow(RangeError);
  expect(() => prepared.facing(7)).toThrow(RangeError);
});
