import { describe, expect, test } from 'vitest';
import { box, type XY } from '../../../support/frontage-ground.ts';
import { ring } from '../../../support/rings.ts';
import { expectMeters, frontageOf, meters, parcel, road, shape, WEST_EAST } from './measure.ts';

describe('a street drawn as a parcel', () => {
  // 20 m wide and 200 m long; the lot's front is 10 m from the centerline.
  const street = parcel(9, box(-100, -10, 100, 10));
  const lot = parcel(1, box(0, 10, 30, 60));

  test("doesn't block the lots on it", () => {
    expectMeters(frontageOf(1, [WEST_EAST], [lot, street]), { local: 30 });
    expect(frontageOf(1, [WEST_EAST], [lot, street]).access).not.toBe('none');
    expectMeters(frontageOf(2, [WEST_EAST], [parcel(2, box(0, -60, 30, -10)), lot, street]), { local: 30 });
  });

  test('itself counts as land on both sides of its road', () => {
    expectMeters(frontageOf(9, [WEST_EAST], [lot, street]), { local: 2 * 200 });
  });

  test("doesn't open the lots on it: whatever lies behind them stays landlocked", () => {
    const behind = parcel(2, box(0, 22, 30, 60));
    const shallow = parcel(1, box(0, 10, 30, 22));
    expect(frontageOf(2, [WEST_EAST], [shallow, behind, street]).access).toBe('none');
  });

  test('is only the way of its own road', () => {
    // An old street without a road in it, 20 m of the 24 to the next road.
    const next = road('local', [-200, -14], [200, -14]);
    expect(frontageOf(1, [next], [lot, street]).access).toBe('none');
  });

  test('is one even if its road was drawn some meters off', () => {
    const off = road('local', [-200, 4], [200, 4]);
    expectMeters(frontageOf(1, [off], [lot, street]), { local: 30 });
    expectMeters(frontageOf(2, [off], [parcel(2, box(0, -60, 30, -10)), street]), { local: 30 });
  });

  test('counts with each of its parts, and lots of the same parcel stay lots', () => {
    const parts = (...of: XY[][]) => ({ id: 9, shape: of.flatMap(part => shape(part)) });
    const second = box(200, -10, 400, 10);
    const roads = [road('local', [-200, 0], [500, 0])];
    const there = parcel(2, box(250, 10, 280, 60));
    const all = [lot, there, parts(box(-100, -10, 100, 10), second)];
    expectMeters(frontageOf(1, roads, all), { local: 30 });
    expectMeters(frontageOf(2, roads, all), { local: 30 });
    // The second part is 200 m by 80 m and no way: the lot behind it, 20 m from the road, has none.
    const broad = [parcel(3, box(250, 20, 280, 60)), parts(box(-100, -10, 100, 10), box(200, -60, 400, 20))];
    expect(frontageOf(3, roads, broad).access).toBe('none');
  });

  test('is as wide as twice the reach of its class and no wider', () => {
    const wide = (name: 'local' | 'highway', halfM: number) =>
      frontageOf(
        1,
        [road(name, [-400, 0], [400, 0])],
        [parcel(1, box(0, 20, 30, 80)), parcel(9, box(-300, -2 * halfM + 20, 300, 20))],
      );
    expectMeters(wide('local', 24), { local: 30 });
    expectMeters(wide('local', 26), {});
    expectMeters(wide('highway', 26), { highway: 30 });
  });
});

describe('streets of a town drawn as one parcel, with a bend and side streets', () => {
  // From the west to a right angle at x = 200, then north; side streets go south at x = 0 and north at x =
  // 100. All are 16 m wide.
  const streets = ring(
    '-150 -8, -8 -8, -8 -120, 8 -120, 8 -8, 208 -8, 208 150, 192 150, 192 8, 108 8, 108 120, 92 120, 92 8, -150 8',
  );
  const roads = [
    road('local', [-200, 0], [0, 0]),
    road('local', [0, 0], [100, 0]),
    road('local', [100, 0], [200, 0], [200, 200]),
    road('local', [0, 0], [0, -120]),
    road('local', [100, 0], [100, 120]),
  ];
  const lots = [
    parcel(1, box(-60, 8, -30, 50)),
    parcel(2, box(-20, 8, 20, 50)),
    parcel(3, box(8, -50, 40, -8)),
    parcel(4, box(150, 8, 192, 60)),
    parcel(5, box(180, -50, 208, -8)),
    parcel(6, box(208, 30, 240, 60)),
    parcel(7, box(50, 50, 92, 100)),
    parcel(8, box(50, 8, 92, 50)),
  ];
  const all = [...lots, parcel(9, streets)];

  test.each([
    // Fronts; at corners both flanks.
    [1, 30],
    [2, 40],
    [3, 32 + 42],
    [4, 42 + 52],
    [6, 30],
    [7, 50],
    [8, 42 + 42],
  ])('lot %d has what it has where they are a gap', (id, frontM) => {
    expectMeters(frontageOf(id, roads, all), { local: frontM });
    // To the rounding: the plane has another middle.
    expect(frontageOf(id, roads, all).localFt).toBeCloseTo(frontageOf(id, roads, lots).localFt, 6);
  });

  test('so has the lot on the outside of the bend', () => {
    expect(frontageOf(5, roads, all).localFt).toBeCloseTo(frontageOf(5, roads, lots).localFt, 6);
    expect(frontageOf(5, roads, all).access).not.toBe('none');
  });
});

describe("lots that aren't a way", () => {
  test("a long thin lot with a drive that doesn't count", () => {
    // Roads that do not count are not given.
    const parcels = [parcel(1, box(0, 10, 30, 60)), parcel(2, box(-100, -10, 100, 10))];
    expect(frontageOf(1, [], parcels).access).toBe('none');
  });

  test('a small lot with a road drawn through it some meters off', () => {
    // 40 m deep, the road 12 m inside of its front; the lot behind it is 18 m from the road, within reach.
    const drifted = [parcel(1, box(0, -12, 30, 18)), parcel(2, box(0, 18, 30, 60))];
    expect(frontageOf(2, [WEST_EAST], drifted).access).toBe('none');
  });

  test('a row of them, though the road runs through all', () => {
    const row = Array.from({ length: 6 }, (_, i) => parcel(10 + i, box(20 * i, -12, 20 * i + 20, 18)));
    expect(frontageOf(1, [WEST_EAST], [...row, parcel(1, box(40, 18, 60, 60))]).access).toBe('none');
  });

  test('a corner lot whose side lies along the road', () => {
    // 15 by 45 m, three times as long as wide.
    const parcels = [parcel(1, box(0, -7, 45, 8)), parcel(2, box(0, 8, 45, 40))];
    expect(frontageOf(2, [WEST_EAST], parcels).access).toBe('none');
  });

  test('a long thin lot that a road crosses', () => {
    // It ends 15 m beyond the road, before another lot.
    const parcels = [parcel(1, box(0, -200, 20, 15)), parcel(2, box(0, 15, 20, 60))];
    expect(frontageOf(2, [WEST_EAST], parcels).access).toBe('none');
  });

  test('a strip beside the road that blocks others', () => {
    // The centerline is 2 m inside of it: it has no ground beyond the way.
    const parcels = [parcel(1, box(0, 12, 30, 60)), parcel(2, box(-100, -2, 100, 12))];
    expect(frontageOf(1, [WEST_EAST], parcels).access).toBe('none');
  });
});

describe('a road mapped twice', () => {
  const ground = parcel(1, box(0, -80, 100, 80));
  const beside = (y: number, name: 'local' | 'normal' = 'local') => road(name, [-150, y], [10, y], [250, y]);

  test('through a parcel counts once, in any order', () => {
    expectMeters(frontageOf(1, [WEST_EAST, beside(1)], [ground]), { local: 200 });
    expectMeters(frontageOf(1, [beside(1), WEST_EAST], [ground]), { local: 200 });
    expectMeters(frontageOf(1, [WEST_EAST, beside(-5)], [ground]), { local: 200 });
  });

  test('counts for the higher class', () => {
    expectMeters(frontageOf(1, [WEST_EAST, beside(2, 'normal')], [ground]), { normal: 200 });
  });

  test('counts where the mappings diverge by more than half a way: the other carriageway is a separate road', () => {
    expectMeters(frontageOf(1, [WEST_EAST, beside(5.5)], [ground]), { local: 400 });
    // Beside the first for 60 m, then away from it at 0.2 radians: it is 5.03 m off after 20.3 of 40.8 m.
    const fork = road('local', [-100, 1], [60, 1], [100, 1 + 40 * Math.tan(0.2)]);
    const apartM = 40 / Math.cos(0.2) - (5.0292 - 1) / Math.sin(0.2);
    const { localFt } = frontageOf(1, [WEST_EAST, fork], [ground]);
    expect(Math.abs(meters(localFt) - (200 + 2 * apartM))).toBeLessThan(2);
  });

  test('a road that crosses counts in full, and so does one that continues into another', () => {
    const across = road('local', [50, -200], [50, 200]);
    expectMeters(frontageOf(1, [WEST_EAST, across], [ground]), { local: 200 + 320 });
    const halves = [road('local', [-200, 0], [50, 0]), road('local', [50, 0], [200, 0])];
    expectMeters(frontageOf(1, halves, [ground]), { local: 200 });
  });

  test('on both sides of a boundary counts once', () => {
    // 2 m inside and 1 m outside of the front: the front faces the one, or the other runs inside, not both.
    const lot = parcel(1, box(0, -2, 100, 80));
    for (const roads of [
      [WEST_EAST, beside(-3)],
      [beside(-3), WEST_EAST],
    ]) {
      expectMeters(frontageOf(1, roads, [lot]), { local: 100 });
    }
  });
});
