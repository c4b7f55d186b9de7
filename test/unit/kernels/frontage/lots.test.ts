import { describe, expect, test } from 'vitest';
import { box, type XY } from '../../../support/frontage-ground.ts';
import { ring } from '../../../support/rings.ts';
import { expectMeters, frontageOf, parcel, road, WEST_EAST } from './measure.ts';

describe('lots along a street', () => {
  const row = [
    parcel(1, box(0, 8, 30, 58)),
    parcel(2, box(30, 8, 60, 58)),
    parcel(3, box(60, 8, 90, 58)),
    parcel(4, box(30, 58, 60, 108)),
  ];

  test('the middle one faces it only with its front', () => {
    // 30 m of front; flanks and back lie against neighbors.
    const frontage = frontageOf(2, [WEST_EAST], row);
    expectMeters(frontage, { local: 30 });
    expect(frontage.access).not.toBe('none');
  });

  test('feet are international feet', () => {
    // 30 m / 0.3048 m; in US survey feet it would be 98.4250.
    expect(frontageOf(2, [WEST_EAST], row).localFt).toBeCloseTo(98.4252, 4);
  });

  test("the side of the first one, with nothing beside it, runs away from the street and doesn't count", () => {
    expectMeters(frontageOf(1, [WEST_EAST], row), { local: 30 });
  });

  test('the one behind is landlocked', () => {
    expect(frontageOf(4, [WEST_EAST], row)).toEqual({
      highwayFt: 0,
      normalFt: 0,
      localFt: 0,
      access: 'none',
    });
  });

  test('a private road gives it access but no frontage, touched or faced within its reach, and takes none from others', () => {
    const behind = (y: number) => frontageOf(4, [WEST_EAST, road('private', [0, y], [90, y])], row);
    for (const y of [83, 110, 108 + 24]) {
      expectMeters(behind(y), {});
      expect(behind(y).access).not.toBe('none');
    }
    expect(behind(108 + 26).access).toBe('none');
    expectMeters(frontageOf(2, [WEST_EAST, road('private', [-200, 4], [200, 4])], row), { local: 30 });
  });

  test('a front that zigzags counts with the length of its boundary', () => {
    // Two legs of 15 m by 2 m: 2 * sqrt(15^2 + 2^2) = 30.27 m.
    const jagged = ring('0 8, 15 10, 30 8, 30 58, 0 58');
    expectMeters(frontageOf(1, [WEST_EAST], [parcel(1, jagged)]), { local: 30.27 });
  });

  test("a front at an angle to the street counts, a side that leans over it doesn't", () => {
    // The front rises 10 m over 30: sqrt(30^2 + 10^2) = 31.62 m, 18 degrees askew. The flank at 60 degrees to
    // the street faces down.
    const askew: XY[] = [
      [0, 8],
      [30, 18],
      [30 + 40 / Math.tan(Math.PI / 3), 58],
      [0, 58],
    ];
    expectMeters(frontageOf(1, [WEST_EAST], [parcel(1, askew)]), { local: 31.62 });
  });
});

describe('corner lots', () => {
  const lot = parcel(1, box(8, 8, 38, 48));

  test('both streets count', () => {
    // 30 m on the one to the south, 40 m on the one to the west.
    const roads = [road('local', [-200, 0], [200, 0]), road('normal', [0, -200], [0, 200])];
    expectMeters(frontageOf(1, roads, [lot]), { local: 30, normal: 40 });
  });

  test('both count for one class', () => {
    const roads = [road('local', [-200, 0], [200, 0]), road('local', [0, -200], [0, 200])];
    expectMeters(frontageOf(1, roads, [lot]), { local: 70 });
  });

  test('beside a highway the side counts to the very corner, though the street is nearer there', () => {
    // Highway 40 m west of the flank, street 8 m south of the front, which has 30 m.
    const roads = [road('local', [-200, 0], [200, 0]), road('highway', [-32, -200], [-32, 200])];
    expectMeters(frontageOf(1, roads, [lot]), { local: 30, highway: 40 });
  });

  test('a corner cut off at 45 degrees counts', () => {
    // Front 30 - 6, flank 40 - 6, cut sqrt(2) * 6 = 8.49 m.
    const cut = ring('14 8, 38 8, 38 48, 8 48, 8 14');
    const roads = [road('local', [-200, 0], [200, 0]), road('local', [0, -200], [0, 200])];
    expectMeters(frontageOf(1, roads, [parcel(1, cut)]), { local: 24 + 34 + 8.49 });
  });

  test('streets that meet without a common vertex are still two streets', () => {
    const roads = [road('local', [-200, 0], [200, 0]), road('normal', [0, 0], [0, 200])];
    expectMeters(frontageOf(1, roads, [lot]), { local: 30, normal: 40 });
  });
});

test('a through lot faces the street at either end', () => {
  // Front and back of 30 m each.
  const roads = [WEST_EAST, road('normal', [-200, 66], [200, 66])];
  const parcels = [
    parcel(1, box(0, 8, 30, 58)),
    parcel(2, box(-30, 8, 0, 58)),
    parcel(3, box(30, 8, 60, 58)),
  ];
  expectMeters(frontageOf(1, roads, parcels), { local: 30, normal: 30 });
});

test('a flag lot faces the street with the foot of its pole', () => {
  // A pole 6 m wide between two lots; the flag lies behind them.
  const flag = ring('30 8, 36 8, 36 58, 66 58, 66 100, 0 100, 0 58, 30 58');
  const parcels = [parcel(1, flag), parcel(2, box(0, 8, 30, 58)), parcel(3, box(36, 8, 66, 58))];
  expectMeters(frontageOf(1, [WEST_EAST], parcels), { local: 6 });
});

describe('a cul-de-sac', () => {
  // The street comes from the west and ends in the middle of a bulb of 15 m radius. Corners every 5 degrees.
  const street = road('local', [-200, 0], [0, 0]);
  const arc = (from: number, to: number, radius: number): XY[] =>
    Array.from({ length: Math.round((to - from) / 5) + 1 }, (_, i) => {
      const angle = ((from + 5 * i) * Math.PI) / 180;
      return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
    });
  const wedge = (from: number, to: number): XY[] => [...arc(from, to, 15), ...arc(from, to, 60).reverse()];
  const lots = [parcel(1, wedge(-30, 30)), parcel(2, wedge(30, 90)), parcel(3, wedge(-90, -30))];

  test('a lot on the bulb faces the end of the street along its arc', () => {
    // 12 chords of 5 degrees: 12 * 2 * 15 m * sin(2.5 deg) = 15.70 m.
    expectMeters(frontageOf(1, [street], lots), { local: 15.7 });
  });

  test('neighboring lots face it as well', () => {
    expectMeters(frontageOf(2, [street], lots), { local: 15.7 });
    expectMeters(frontageOf(3, [street], lots), { local: 15.7 });
  });

  test('a lot faces it if the centerline stops before the bulb', () => {
    // 6 m before it: the arc of the lot straight on is 36 m off, more than the reach of 25 m, less than that
    // and a bulb's 18.3.
    const short = road('local', [-200, 0], [-21, 0]);
    expectMeters(frontageOf(1, [short], lots), { local: 15.7 });
    // No further.
    expectMeters(frontageOf(1, [road('local', [-200, 0], [-35, 0])], lots), {});
  });

  test('does not extend the reach of a road that continues or ends at another', () => {
    const lot = parcel(1, box(-10, 36, 10, 60));
    const goesOn = [road('local', [-200, 0], [0, 0]), road('local', [0, 0], [200, 0])];
    expectMeters(frontageOf(1, goesOn, [lot]), {});
    // To a junction without a common corner, half a meter short of the other's middle.
    const ends = [road('local', [-200, 0], [200, 0]), road('local', [0, -100], [0, -0.5])];
    expectMeters(frontageOf(1, ends, [lot]), {});
    // Alone it is a dead end, 36.5 m off: the 20 m of the front are within 52.5 degrees.
    expectMeters(frontageOf(1, [road('local', [0, -100], [0, -0.5])], [lot]), { local: 20 });
  });

  test('lots face it if the centerline goes around in the bulb', () => {
    const loop = road('local', [-200, 0], [-7, 0], ...arc(-180, 180, 7));
    expectMeters(frontageOf(1, [loop], lots), { local: 15.7 });
  });
});

describe('a street that ends at a lot', () => {
  // A way 16 m wide between two lots, and a third across its end.
  const parcels = [
    parcel(1, box(-40, 0, 40, 50)),
    parcel(2, box(-40, -50, -8, 0)),
    parcel(3, box(8, -50, 40, 0)),
  ];

  test.each([6, 0.5, 0.02])('%d m before it serves it for 25 feet to either side', beforeM => {
    // 2 * 7.62 m.
    const frontage = frontageOf(1, [road('local', [0, -100], [0, -beforeM])], parcels);
    expectMeters(frontage, { local: 15.24 });
  });

  test('serves it less if its way is narrower', () => {
    const narrow = [parcels[0]!, parcel(2, box(-40, -50, -6, 0)), parcel(3, box(6, -50, 40, 0))];
    expectMeters(frontageOf(1, [road('local', [0, -100], [0, -0.5])], narrow), { local: 12 });
  });

  test('serves the lots beside it as always', () => {
    expectMeters(frontageOf(2, [road('local', [0, -100], [0, -0.5])], parcels), { local: 50 });
  });
});
