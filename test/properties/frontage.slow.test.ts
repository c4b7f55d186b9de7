import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Frontage,
  type Neighbor,
  prepareFrontage,
  type Road,
  type RoadClass,
} from '../../shared/kernels/frontage/frontage.ts';
import { fabric, shapeOf } from '../bench/generate/fabric.ts';
import { groundAt, type XY } from '../support/frontage-ground.ts';
import { plainFrontage } from '../support/plain-frontage.ts';

const REACH = { highway: 60, normal: 30, local: 25, private: 25 };
const CLASSES = ['highway', 'normal', 'local'] as const;

type Scene = { roads: { name: RoadClass; line: XY[] }[]; parcels: XY[][][] };

/**
 * Places on a grid of half a meter or of four, so that lines fall upon each other and corners on
 * lines, or anywhere.
 */
const places = (size: number) =>
  fc.oneof(
    fc.integer({ min: -size * 2, max: size * 2 }).map(k => k / 2),
    fc.integer({ min: -size / 4, max: size / 4 }).map(k => k * 4),
    fc.double({ min: -size, max: size, noNaN: true }),
  );
const point = (size: number) => fc.tuple(places(size), places(size));

/**
 * Corners around a center by angle, less than half a turn apart: no ring meets itself. Any two
 * parcels may overlap.
 */
const ring = fc
  .tuple(
    point(80),
    fc.array(fc.tuple(fc.integer({ min: 5, max: 50 }), fc.double({ min: 0.6, max: 1, noNaN: true })), {
      minLength: 3,
      maxLength: 9,
    }),
  )
  .map(([[x, y], spokes]): XY[] => {
    const whole = spokes.reduce((sum, [, share]) => sum + share, 0);
    let angle = 0;
    return spokes.map(([radius, share]) => {
      angle += (2 * Math.PI * share) / whole;
      return [
        x + Math.round(2 * radius * Math.cos(angle)) / 2,
        y + Math.round(2 * radius * Math.sin(angle)) / 2,
      ];
    });
  });
const rectangle = fc
  .tuple(point(80), fc.integer({ min: 2, max: 60 }), fc.integer({ min: 2, max: 60 }))
  .map(([[x, y], width, height]): XY[] => [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ]);
const parcel = fc.oneof(
  { weight: 3, arbitrary: rectangle.map(outline => [outline]) },
  { weight: 3, arbitrary: ring.map(outline => [outline]) },
  // A frame around a yard.
  {
    weight: 1,
    arbitrary: rectangle.filter(([a, , c]) => c![0] - a![0] > 12 && c![1] - a![1] > 12).map(framed),
  },
);
function framed(outline: XY[]): XY[][] {
  const [[west, south], , [east, north]] = outline as [XY, XY, XY, XY];
  return [
    outline,
    [
      [west + 5, south + 5],
      [east - 5, south + 5],
      [east - 5, north - 5],
      [west + 5, north - 5],
    ],
  ];
}

const road = fc.record({
  name: fc.constantFrom(...CLASSES, 'private' as const),
  line: fc.array(point(120), { minLength: 2, maxLength: 6 }),
});
/**
 * A street drawn as a parcel, and its road some meters beside its middle, which may end before the
 * parcel does, or after.
 */
const street = fc
  .record({
    name: fc.constantFrom(...CLASSES),
    at: point(60),
    angle: fc.constantFrom(0, Math.PI / 2, 0.3, 2),
    lengthM: fc.integer({ min: 30, max: 200 }),
    // No round figure, so that no street is exactly as long or as wide as it may be.
    halfM: fc.integer({ min: 4, max: 30 }).map(k => k + 0.15),
    offM: fc.integer({ min: -8, max: 8 }),
    endM: fc.integer({ min: -40, max: 40 }),
  })
  .map(({ name, at: [x, y], angle, lengthM, halfM, offM, endM }) => {
    const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
    const place = (along: number, left: number): XY => [
      x + along * ux - left * uy,
      y + along * uy + left * ux,
    ];
    return {
      parcel: [[place(0, -halfM), place(lengthM, -halfM), place(lengthM, halfM), place(0, halfM)]],
      road: { name, line: [place(-endM, offM), place(lengthM / 2, offM), place(lengthM + endM, offM)] },
    };
  });

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    roads: fc.array(road, { maxLength: 5 }),
    parcels: fc.array(parcel, { minLength: 1, maxLength: 8 }),
    streets: fc.array(street, { maxLength: 2 }),
    along: fc.array(fc.nat({ max: 7 }), { maxLength: 2 }),
    again: fc.array(fc.tuple(fc.constantFrom(...CLASSES), fc.integer({ min: -7, max: 7 })), { maxLength: 2 }),
  })
  // Some roads run along the outline of a parcel, some were mapped twice, and some parcels are
  // stacked on another.
  .map(({ roads, parcels, streets, along, again }) => {
    const own = [...roads, ...streets.map(each => each.road)];
    return {
      roads: [
        ...own,
        ...along.map(i => ({ name: 'local' as const, line: parcels[i % parcels.length]![0]!.slice(0, 3) })),
        ...again.flatMap(([name, off], i) => {
          const first = own[i];
          return first ? [{ name, line: first.line.map(([x, y]): XY => [x + off / 2, y + off]) }] : [];
        }),
      ],
      parcels: [
        ...parcels,
        ...streets.map(each => each.parcel),
        ...along.map(i => parcels[(i + 1) % parcels.length]!),
      ],
    };
  });

function laid(
  { roads, parcels }: Scene,
  move: (at: XY) => XY = at => at,
  origin: [number, number] = [-72, 43],
): { roads: Road[]; parcels: Neighbor[] } {
  const ground = groundAt(origin);
  return {
    roads: roads.map(({ name, line }) => ground.road(name, ...line.map(move))),
    parcels: parcels.map((rings, id) => ground.parcel(id, ...rings.map(corners => corners.map(move)))),
  };
}

function allOf(prepared: { of(id: number): Frontage }, parcels: readonly Neighbor[]): Frontage[] {
  return parcels.map(({ id }) => prepared.of(id));
}

function expectEqual(ours: readonly Frontage[], theirs: readonly Frontage[]): void {
  ours.forEach((frontage, i) => {
    for (const name of CLASSES) expect(frontage[`${name}Ft`]).toBeCloseTo(theirs[i]![`${name}Ft`], 6);
    // The simple implementation doesn't check for corridors.
    expect(frontage.access === 'unmapped' ? 'none' : frontage.access).toBe(theirs[i]!.access);
  });
}

test('equals a simple implementation of the definition, whatever overlaps', () => {
  fc.assert(
    fc.property(scenes, scene => {
      const { roads, parcels } = laid(scene);
      expectEqual(
        allOf(prepareFrontage(roads, parcels, REACH), parcels),
        allOf(plainFrontage(roads, parcels, REACH), parcels),
      );
    }),
    { numRuns: 30 },
  );
});

test('equals a simple implementation of the definition on generated towns', () => {
  for (const [seed, extent] of [
    [1, [-69.35, 44.7, -68.2, 45.5]],
    [2, [-97.9, 30.0, -97.3, 30.6]],
  ] as const) {
    const parcels: Neighbor[] = [];
    const roads: Road[] = [];
    for (const section of fabric({ count: 200, seed, extent: [...extent] })) {
      for (const { polygons } of section.parcels)
        parcels.push({ id: parcels.length, shape: shapeOf(polygons) });
      roads.push(...section.roads);
    }
    const ours = allOf(prepareFrontage(roads, parcels, REACH), parcels);
    expectEqual(ours, allOf(plainFrontage(roads, parcels, REACH), parcels));
    // Most lots of a town lie on a street.
    expect(ours.filter(({ access }) => access === 'none').length).toBeLessThan(0.5 * parcels.length);
  }
});

test("a road that is mapped twice within half a narrow road's width, in separate pieces, adds nothing inside a parcel", () => {
  const ground = groundAt([-72, 43]);
  const around = ground.parcel(1, [
    [-500, -500],
    [500, -500],
    [500, 500],
    [-500, 500],
  ]);
  fc.assert(
    fc.property(
      fc.double({ min: -5, max: 5, noNaN: true }),
      fc.double({ min: 0, max: 3.1, noNaN: true }),
      fc.array(fc.integer({ min: -190, max: 190 }), { maxLength: 4 }),
      fc.boolean(),
      (offM, angle, breaks, isFirst) => {
        const place = (along: number, left: number): XY => [
          along * Math.cos(angle) - left * Math.sin(angle),
          along * Math.sin(angle) + left * Math.cos(angle),
        ];
        const alongs = [-200, ...new Set(breaks.toSorted((a, b) => a - b)), 200];
        const once = ground.road('local', place(-200, 0), place(200, 0));
        const again = ground.road('local', ...alongs.map(m => place(m, offM)));
        const roads = isFirst ? [again, once] : [once, again];
        const { localFt } = prepareFrontage(roads, [around], REACH).of(1);
        // 400 m on both sides; a piece of half a meter at either end of each stretch.
        expect(Math.abs(localFt * 0.3048 - 800)).toBeLessThan(2);
      },
    ),
    { numRuns: 30 },
  );
});

test("doesn't depend on location or orientation", () => {
  fc.assert(
    fc.property(
      scenes,
      fc.double({ min: 0, max: 6.28, noNaN: true }),
      point(3000),
      (scene, angle, [dx, dy]) => {
        // Off all grids, so that nothing lies exactly at a limit.
        const shaken: Scene = {
          roads: scene.roads.map(({ name, line }, i) => ({
            name,
            line: line.map((at, k) => shake(at, i, k)),
          })),
          parcels: scene.parcels.map((rings, i) =>
            rings.map(corners => corners.map((at, k) => shake(at, i + 50, k))),
          ),
        };
        const here = laid(shaken);
        const turn = ([x, y]: XY): XY => [
          dx + x * Math.cos(angle) - y * Math.sin(angle),
          dy + x * Math.sin(angle) + y * Math.cos(angle),
        ];
        const there = laid(shaken, turn, [-120, 35]);
        const before = allOf(prepareFrontage(here.roads, here.parcels, REACH), here.parcels);
        const after = allOf(prepareFrontage(there.roads, there.parcels, REACH), there.parcels);
        before.forEach((frontage, i) => {
          // A piece more or less (1.6 feet) at the ends of a few stretches.
          for (const name of CLASSES) {
            expect(Math.abs(frontage[`${name}Ft`] - after[i]![`${name}Ft`])).toBeLessThan(5);
          }
        });
      },
    ),
    { numRuns: 30 },
  );
});

/** Up to a quarter of a meter off, always the same way. */
function shake([x, y]: XY, i: number, k: number): XY {
  return [x + 0.25 * Math.sin(12.9898 * i + 78.233 * k), y + 0.25 * Math.sin(39.346 * i + 11.135 * k + 1)];
}

test("grows with the reach: whatever one class gains, all classes together don't lose", () => {
  fc.assert(
    fc.property(
      scenes,
      fc.constantFrom(...CLASSES),
      fc.integer({ min: 1, max: 60 }),
      (scene, name, moreM) => {
        const { roads, parcels } = laid(scene);
        const near = allOf(prepareFrontage(roads, parcels, REACH), parcels);
        const far = allOf(
          prepareFrontage(roads, parcels, { ...REACH, [name]: REACH[name] + moreM }),
          parcels,
        );
        near.forEach((frontage, i) => {
          expect(far[i]![`${name}Ft`]).toBeGreaterThanOrEqual(frontage[`${name}Ft`] - 1e-6);
          expect(totalFt(far[i]!)).toBeGreaterThanOrEqual(totalFt(frontage) - 1e-6);
          if (frontage.access.endsWith('_road')) expect(far[i]!.access).toMatch(/_road$/);
        });
      },
    ),
    { numRuns: 30 },
  );
});

const totalFt = ({ highwayFt, normalFt, localFt }: Frontage) => highwayFt + normalFt + localFt;
