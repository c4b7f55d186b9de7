import { describe, expect, test } from 'vitest';
import {
  type Frontage,
  frontageMarginM,
  type Neighbour,
  prepareFrontage,
  type Road,
} from '../../../../shared/kernels/frontage/frontage.ts';
import { box, groundAt, type XY } from '../../../support/frontage-ground.ts';

// Lots drawn in metres on a plane at 43 N, streets through the middle of ways 16 m wide. Each figure is worked out by hand beside it.
const { parcel, road } = groundAt([-72, 43]);
const REACH = { highway: 60, normal: 30, local: 25 };
const WEST_EAST = road('local', [-200, 0], [200, 0]);

/** One piece of boundary at either end of a stretch is all that the sum may be off. */
const PIECE_M = 0.5;

const metres = (feet: number) => feet * 0.3048;

function frontageOf(id: number, roads: Road[], parcels: Neighbour[], reach = REACH): Frontage {
  return prepareFrontage(roads, parcels, reach).of(id);
}

function expectMetres(frontage: Frontage, expected: Partial<Record<'highway' | 'normal' | 'local', number>>) {
  for (const name of ['highway', 'normal', 'local'] as const) {
    const wanted = expected[name] ?? 0;
    expect
      .soft(Math.abs(metres(frontage[`${name}Ft`]) - wanted), name)
      .toBeLessThanOrEqual(wanted === 0 ? 0 : 2 * PIECE_M);
  }
}

describe('lots along a street', () => {
  const row = [
    parcel(1, box(0, 8, 30, 58)),
    parcel(2, box(30, 8, 60, 58)),
    parcel(3, box(60, 8, 90, 58)),
    parcel(4, box(30, 58, 60, 108)),
  ];

  test('the middle one faces it with its front alone', () => {
    // 30 m of front; flanks and back lie against neighbours.
    const frontage = frontageOf(2, [WEST_EAST], row);
    expectMetres(frontage, { local: 30 });
    expect(frontage.landlocked).toBe(false);
  });

  test('feet are international ones', () => {
    // 30 m / 0.3048 m; in US survey feet it would be 98.4250.
    expect(frontageOf(2, [WEST_EAST], row).localFt).toBeCloseTo(98.4252, 4);
  });

  test('the flank of the first one, with nothing beside it, runs away from the street and does not count', () => {
    expectMetres(frontageOf(1, [WEST_EAST], row), { local: 30 });
  });

  test('the one behind is landlocked', () => {
    expect(frontageOf(4, [WEST_EAST], row)).toEqual({
      highwayFt: 0,
      normalFt: 0,
      localFt: 0,
      landlocked: true,
    });
  });

  test('a front that zigzags counts with the length of its boundary', () => {
    // Two legs of 15 m by 2 m: 2 * sqrt(15^2 + 2^2) = 30.27 m.
    const jagged: XY[] = [
      [0, 8],
      [15, 10],
      [30, 8],
      [30, 58],
      [0, 58],
    ];
    expectMetres(frontageOf(1, [WEST_EAST], [parcel(1, jagged)]), { local: 30.27 });
  });

  test('a front askew to the street counts, a flank that leans over it does not', () => {
    // The front rises 10 m over 30: sqrt(30^2 + 10^2) = 31.62 m, 18 degrees askew. The flank at 60 degrees to the street faces down.
    const askew: XY[] = [
      [0, 8],
      [30, 18],
      [30 + 40 / Math.tan(Math.PI / 3), 58],
      [0, 58],
    ];
    expectMetres(frontageOf(1, [WEST_EAST], [parcel(1, askew)]), { local: 31.62 });
  });
});

describe('corner lots', () => {
  const lot = parcel(1, box(8, 8, 38, 48));

  test('both streets count', () => {
    // 30 m on the one to the south, 40 m on the one to the west.
    const roads = [road('local', [-200, 0], [200, 0]), road('normal', [0, -200], [0, 200])];
    expectMetres(frontageOf(1, roads, [lot]), { local: 30, normal: 40 });
  });

  test('both count for one class', () => {
    const roads = [road('local', [-200, 0], [200, 0]), road('local', [0, -200], [0, 200])];
    expectMetres(frontageOf(1, roads, [lot]), { local: 70 });
  });

  test('beside a highway the flank counts to the very corner, though the street is nearer there', () => {
    // Highway 40 m west of the flank, street 8 m south of the front, which has 30 m.
    const roads = [road('local', [-200, 0], [200, 0]), road('highway', [-32, -200], [-32, 200])];
    expectMetres(frontageOf(1, roads, [lot]), { local: 30, highway: 40 });
  });

  test('a corner cut off at 45 degrees counts', () => {
    // Front 30 - 6, flank 40 - 6, cut sqrt(2) * 6 = 8.49 m.
    const cut: XY[] = [
      [14, 8],
      [38, 8],
      [38, 48],
      [8, 48],
      [8, 14],
    ];
    const roads = [road('local', [-200, 0], [200, 0]), road('local', [0, -200], [0, 200])];
    expectMetres(frontageOf(1, roads, [parcel(1, cut)]), { local: 24 + 34 + 8.49 });
  });

  test('streets that meet without a common vertex are two streets all the same', () => {
    const roads = [road('local', [-200, 0], [200, 0]), road('normal', [0, 0], [0, 200])];
    expectMetres(frontageOf(1, roads, [lot]), { local: 30, normal: 40 });
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
  expectMetres(frontageOf(1, roads, parcels), { local: 30, normal: 30 });
});

test('a flag lot faces the street with the foot of its pole', () => {
  // A pole 6 m wide between two lots; the flag lies behind them.
  const flag: XY[] = [
    [30, 8],
    [36, 8],
    [36, 58],
    [66, 58],
    [66, 100],
    [0, 100],
    [0, 58],
    [30, 58],
  ];
  const parcels = [parcel(1, flag), parcel(2, box(0, 8, 30, 58)), parcel(3, box(36, 8, 66, 58))];
  expectMetres(frontageOf(1, [WEST_EAST], parcels), { local: 6 });
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
    expectMetres(frontageOf(1, [street], lots), { local: 15.7 });
  });

  test('so do its neighbours', () => {
    expectMetres(frontageOf(2, [street], lots), { local: 15.7 });
    expectMetres(frontageOf(3, [street], lots), { local: 15.7 });
  });

  test('so it does where the centreline stops before the bulb', () => {
    // 6 m before it: the arc of the lot straight on is 36 m off, more than the reach of 25 m, less than that and a bulb's 18.3.
    const short = road('local', [-200, 0], [-21, 0]);
    expectMetres(frontageOf(1, [short], lots), { local: 15.7 });
    // No further.
    expectMetres(frontageOf(1, [road('local', [-200, 0], [-35, 0])], lots), {});
  });

  test('where a road goes on, or ends at another, the reach is no longer', () => {
    const lot = parcel(1, box(-10, 36, 10, 60));
    const goesOn = [road('local', [-200, 0], [0, 0]), road('local', [0, 0], [200, 0])];
    expectMetres(frontageOf(1, goesOn, [lot]), {});
    // To a junction without a common corner, half a metre short of the other's middle.
    const ends = [road('local', [-200, 0], [200, 0]), road('local', [0, -100], [0, -0.5])];
    expectMetres(frontageOf(1, ends, [lot]), {});
    // Alone it is a dead end, 36.5 m off: the 20 m of the front are within 52.5 degrees.
    expectMetres(frontageOf(1, [road('local', [0, -100], [0, -0.5])], [lot]), { local: 20 });
  });

  test('so they do where the centreline goes round in the bulb', () => {
    const loop = road('local', [-200, 0], [-7, 0], ...arc(-180, 180, 7));
    expectMetres(frontageOf(1, [loop], lots), { local: 15.7 });
  });
});

describe('the way between a lot and its road', () => {
  test('a public way of any width within the reach is no obstacle', () => {
    // 60 m wide: the centreline is 30 m from the front, just within reach of a normal road.
    const lot = parcel(1, box(0, 29.9, 30, 80));
    expectMetres(frontageOf(1, [road('normal', [-200, 0], [200, 0])], [lot]), { normal: 30 });
  });

  test.each([
    ['highway', 60],
    ['normal', 30],
    ['local', 25],
  ] as const)('the reach of a %s is %d m', (name, reachM) => {
    const roads = [road(name, [-200, 0], [200, 0])];
    const inside = frontageOf(1, roads, [parcel(1, box(0, reachM - 0.01, 30, 120))]);
    const outside = frontageOf(1, roads, [parcel(1, box(0, reachM + 0.01, 30, 120))]);
    expectMetres(inside, { [name]: 30 });
    expectMetres(outside, {});
    expect(outside.landlocked).toBe(true);
  });

  test('a strip of another parcel shuts the lot off', () => {
    const parcels = [parcel(1, box(0, 10, 30, 60)), parcel(2, box(-10, 8, 40, 10))];
    const frontage = frontageOf(1, [WEST_EAST], parcels);
    expectMetres(frontage, {});
    expect(frontage.landlocked).toBe(true);
    expectMetres(frontageOf(2, [WEST_EAST], parcels), { local: 50 });
  });

  test('a strip along half of the front shuts half of it off', () => {
    const parcels = [parcel(1, box(0, 10, 30, 60)), parcel(2, box(15, 8, 40, 10))];
    expectMetres(frontageOf(1, [WEST_EAST], parcels), { local: 15 });
  });

  test('an arm of the lot itself shuts off what lies behind it', () => {
    // An L with a yard of 20 m behind its arm: of 50 m, the 30 m of the front and the arm's own 20 m count, once.
    const lot: XY[] = [
      [0, 10],
      [50, 10],
      [50, 13],
      [30, 13],
      [30, 20],
      [50, 20],
      [50, 60],
      [0, 60],
    ];
    expectMetres(frontageOf(1, [WEST_EAST], [parcel(1, lot)]), { local: 50 });
  });

  test('a private drive does not count, and is no obstacle', () => {
    // Roads that do not count are not given: the lot beside the drive faces the street with its front of 20 m and not the drive.
    const parcels = [
      parcel(1, box(5, 8, 25, 58)),
      parcel(2, box(-25, 8, -5, 58)),
      parcel(3, box(-25, 58, 25, 108)),
    ];
    expectMetres(frontageOf(1, [WEST_EAST], parcels), { local: 20 });
    expect(frontageOf(3, [WEST_EAST], parcels).landlocked).toBe(true);
  });
});

describe('lots without a street', () => {
  const outer = parcel(1, box(0, 8, 200, 208), box(80, 100, 120, 140));
  const island = parcel(2, box(80, 100, 120, 140));

  test('a parcel within another is landlocked', () => {
    expect(frontageOf(2, [WEST_EAST], [outer, island]).landlocked).toBe(true);
  });

  test('not so where a public road comes to it across the other', () => {
    // The road runs 20 m into the island: both of its sides count, 40 m.
    const easement = road('local', [100, 0], [100, 120]);
    const frontage = frontageOf(2, [WEST_EAST, easement], [outer, island]);
    expectMetres(frontage, { local: 40 });
    expect(frontage.landlocked).toBe(false);
  });

  test('nor where one ends at its boundary', () => {
    const frontage = frontageOf(2, [WEST_EAST, road('local', [100, 0], [100, 100])], [outer, island]);
    expect(frontage.landlocked).toBe(false);
  });

  test('all parcels are landlocked where there is no road', () => {
    expect(frontageOf(1, [], [outer, island]).landlocked).toBe(true);
  });

  test('the boundary of a hole faces a road inside the hole', () => {
    // A square of 40 m around a public lane that comes from nowhere: 30 m of lane, 10 m off three sides of the hole.
    const lane = road('local', [90, 120], [110, 120]);
    const around = parcel(1, box(0, 0, 200, 200), box(80, 110, 120, 130));
    // North and south side: 20 m beside the lane and at its ends as far as 52.5 degrees from straight across, 10 m * tan(52.5) = 13.03,
    // of which 10 m are left of the side. East and west: 10 m beyond the ends, all 20 m within 45 degrees.
    expectMetres(frontageOf(1, [lane], [around]), { local: 40 + 40 + 20 + 20 });
  });
});

describe('a road through a parcel', () => {
  test('counts on both sides', () => {
    // 100 m of centreline inside, twice; the boundary that it crosses runs away from it.
    const frontage = frontageOf(1, [WEST_EAST], [parcel(1, box(0, -80, 100, 80))]);
    expectMetres(frontage, { local: 200 });
    expect(frontage.landlocked).toBe(false);
  });

  test('counts once where nothing of the parcel is left beyond it', () => {
    // Mapped 3 m inside of the front, less than half a narrow way.
    expectMetres(frontageOf(1, [WEST_EAST], [parcel(1, box(0, -3, 100, 80))]), { local: 100 });
  });

  test('under two names counts as one', () => {
    const roads = [WEST_EAST, road('normal', [200, 0], [-200, 0])];
    expectMetres(frontageOf(1, roads, [parcel(1, box(0, -80, 100, 80))]), { normal: 200 });
  });

  test('counts for every part of a parcel of several', () => {
    // Two parts on either side of the way, 30 and 40 m of front.
    const { shape } = groundAt([-72, 43]);
    const parts = { id: 1, shape: [...shape(box(0, 8, 30, 58)), ...shape(box(0, -58, 40, -8))] };
    expectMetres(frontageOf(1, [WEST_EAST], [parts]), { local: 70 });
  });
});

describe('parcel maps as they are', () => {
  test('a boundary drawn along the centreline faces it', () => {
    const parcels = [
      parcel(1, box(0, 0, 30, 50)),
      parcel(2, box(30, 0, 60, 50)),
      parcel(3, box(0, -50, 60, 0)),
    ];
    expectMetres(frontageOf(1, [WEST_EAST], parcels), { local: 30 });
    expectMetres(frontageOf(3, [WEST_EAST], parcels), { local: 60 });
  });

  test('so it does where the road winds about it', () => {
    // Up to 2 m off to either side: inside it counts by its own length, outside by the boundary's, 0.8 % less.
    const winding = road(
      'local',
      [-10, 2],
      ...[-2, 2, -2, 2].map((y, i) => [10 + 30 * i, y] as const),
      [130, -2],
    );
    const parcels = [parcel(1, box(0, 0, 100, 50)), parcel(2, box(0, -50, 100, 0))];
    for (const id of [1, 2]) {
      const { localFt } = frontageOf(id, [winding], parcels);
      expect(metres(localFt)).toBeGreaterThan(98);
      expect(metres(localFt)).toBeLessThan(103);
    }
  });

  test('neighbours that overlap across the front do not shut each other off', () => {
    // The lot over the way was drawn to 2 m beyond the centreline.
    const parcels = [parcel(1, box(0, 8, 30, 58)), parcel(2, box(0, -50, 30, 2))];
    expectMetres(frontageOf(1, [WEST_EAST], parcels), { local: 30 });
  });

  test('a neighbour that overlaps or leaves a gap at the side line changes nothing', () => {
    const lot = parcel(1, box(0, 8, 30, 58));
    for (const west of [29.8, 30.2]) {
      expectMetres(frontageOf(1, [WEST_EAST], [lot, parcel(2, box(west, 8, 60, 58))]), { local: 30 });
    }
  });

  test('units stacked on one lot all face the street', () => {
    const parcels = [1, 2, 3].map(id => parcel(id, box(0, 8, 30, 58)));
    // Drawn from another corner, the other way round.
    parcels.push(parcel(4, box(0, 8, 30, 58).reverse()));
    for (const { id } of parcels) expectMetres(frontageOf(id, [WEST_EAST], parcels), { local: 30 });
  });

  test('rings may turn either way', () => {
    const lot = parcel(1, box(0, 8, 30, 58).reverse());
    expectMetres(frontageOf(1, [WEST_EAST], [lot]), { local: 30 });
  });

  test('lengths are true at any latitude', () => {
    for (const lat of [18, 43, 71]) {
      const there = groundAt([-150, lat]);
      const frontage = frontageOf(
        1,
        [there.road('local', [-200, 0], [200, 0])],
        [there.parcel(1, box(0, 8, 100, 58))],
      );
      expect(Math.abs(metres(frontage.localFt) / 100 - 1)).toBeLessThan(1e-4);
    }
  });
});

test('lengths are true to 1e-4 across a neighbourhood 160 km wide', () => {
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
  for (const id of [0, 1]) expect(Math.abs(metres(prepared.of(id).localFt) / 100 - 1)).toBeLessThan(1e-4);
});

test('the stretches that count are given for drawing, with a road that runs through', () => {
  const prepared = prepareFrontage(
    [WEST_EAST, road('normal', [0, -200], [0, 200])],
    [
      parcel(1, [
        [8, 8],
        [20, 8],
        [38, 8],
        [38, 48],
        [8, 48],
      ]),
    ],
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
    expectMetres(frontage, { local: 15.24 });
  });

  test('serves it less where its way is narrower', () => {
    const narrow = [parcels[0]!, parcel(2, box(-40, -50, -6, 0)), parcel(3, box(6, -50, 40, 0))];
    expectMetres(frontageOf(1, [road('local', [0, -100], [0, -0.5])], narrow), { local: 12 });
  });

  test('serves the lots beside it as ever', () => {
    expectMetres(frontageOf(2, [road('local', [0, -100], [0, -0.5])], parcels), { local: 50 });
  });
});

test('what lies further off than the margin changes nothing', () => {
  const marginM = frontageMarginM(REACH);
  const lot = parcel(1, box(0, 0, 30, 50));
  // The end of a highway as far off as it may be, and beyond.
  const at = (distanceM: number) =>
    frontageOf(1, [road('highway', [15, -distanceM - 100], [15, -distanceM])], [lot]);
  expect(at(marginM - 0.5).landlocked).toBe(false);
  expect(at(marginM + 0.01).landlocked).toBe(true);
});

test('a parcel that was not given is refused', () => {
  const prepared = prepareFrontage([WEST_EAST], [], REACH);
  expect(() => prepared.of(7)).toThrow(RangeError);
  expect(() => prepared.facing(7)).toThrow(RangeError);
});
