import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Position } from '../../shared/geo/geometry-types.ts';
import {
  type Assemblage,
  assemblagesOf,
  gapM,
  type Lot,
  NEAR_M,
  nearbyPairs,
  outlineOf,
  TOUCH_M,
} from '../../shared/kernels/assemblage.ts';
import { planeAround } from '../../shared/kernels/frontage/plane.ts';
import { groundAt, type XY } from '../support/frontage-ground.ts';
import { runs } from '../support/runs.ts';

type Drawn = { x: number; y: number; sides: number; radius: number; turn: number; owner: number };

/** Regular polygons of a few owners, a few of which are near each other. */
const drawn: fc.Arbitrary<Drawn[]> = fc.array(
  fc.record({
    x: fc.integer({ min: 0, max: 300 }),
    y: fc.integer({ min: 0, max: 300 }),
    sides: fc.integer({ min: 3, max: 7 }),
    radius: fc.integer({ min: 2, max: 60 }),
    turn: fc.double({ min: 0, max: 6, noNaN: true }),
    owner: fc.integer({ min: 0, max: 2 }),
  }),
  { minLength: 1, maxLength: 14 },
);

const ringOf = ({ x, y, sides, radius, turn }: Drawn): XY[] =>
  Array.from({ length: sides }, (_, i): XY => {
    const angle = turn + (2 * Math.PI * i) / sides;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });

const ORIGIN: Position = [-72.1, 43.2];

type Numbered = Lot & { owner: number; ring: XY[] };

function lotsOf(all: readonly Drawn[], origin: Position = ORIGIN): Numbered[] {
  const ground = groundAt(origin);
  return all.map((one, i) => ({
    id: i + 1,
    county: 1,
    boundary: String(i),
    acres: 1,
    boundaryAcres: 1,
    outline: outlineOf(ground.shape(ringOf(one))),
    owner: one.owner,
    ring: ringOf(one),
  }));
}

function group(lots: readonly Numbered[]): Map<number, Assemblage> {
  const pairs = nearbyPairs(
    lots.map(({ owner }) => owner),
    lots.flatMap(({ outline }) => outline.box),
  );
  return assemblagesOf(lots, pairs);
}

const isInside = (ring: readonly XY[], [x, y]: XY): boolean => {
  let inside = false;
  for (const [i, [ax, ay]] of ring.entries()) {
    const [bx, by] = ring[(i + 1) % ring.length]!;
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  }
  return inside;
};

const toSegment = ([x, y]: XY, [ax, ay]: XY, [bx, by]: XY): number => {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const share = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
  return Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay));
};

/** The distance between two convex rings: 0 if they share a point, or else from a corner to an edge. */
function plainGapM(a: readonly XY[], b: readonly XY[]): number {
  const corners = (from: readonly XY[], to: readonly XY[]) =>
    Math.min(
      ...from.map(corner =>
        isInside(to, corner)
          ? 0
          : Math.min(...to.map((end, i) => toSegment(corner, end, to[(i + 1) % to.length]!))),
      ),
    );
  const crosses = a.some((a1, i) =>
    b.some((b1, j) => {
      const a2 = a[(i + 1) % a.length]!;
      const b2 = b[(j + 1) % b.length]!;
      const side = (p: XY, q: XY, r: XY) =>
        Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
      return side(a1, a2, b1) !== side(a1, a2, b2) && side(b1, b2, a1) !== side(b1, b2, a2);
    }),
  );
  return crosses ? 0 : Math.min(corners(a, b), corners(b, a));
}

const isClear = (gap: number) => [TOUCH_M, NEAR_M].every(limit => Math.abs(gap - limit) > 0.02);

/** Groups lots by following every pair that is close enough. */
function plainGroups(lots: readonly Numbered[], limit: number): number[][] {
  const left = new Set(lots);
  const groups: number[][] = [];
  for (const first of lots) {
    if (!left.delete(first)) continue;
    const members = [first];
    for (const member of members)
      for (const other of left)
        if (other.owner === first.owner && plainGapM(member.ring, other.ring) <= limit) {
          left.delete(other);
          members.push(other);
        }
    groups.push(members.map(({ id }) => id).sort((a, b) => a - b));
  }
  return groups.filter(members => members.length > 1);
}

const groupsOf = (found: ReadonlyMap<number, Assemblage>): number[][] => {
  const groups = new Map<number, number[]>();
  for (const [member, { id }] of found) groups.set(id, [...(groups.get(id) ?? []), member]);
  return [...groups.values()].map(ids => ids.sort((a, b) => a - b)).sort((a, b) => a[0]! - b[0]!);
};

const areClear = (lots: readonly Numbered[]) =>
  lots.every((a, i) => lots.slice(i + 1).every(b => isClear(plainGapM(a.ring, b.ring))));

test('the gap between random lots is the same in both directions, and to 2 cm that of the plain definition', () => {
  fc.assert(
    fc.property(drawn, all => {
      const lots = lotsOf(all);
      for (const a of lots)
        for (const b of lots) {
          if (a === b) continue;
          const plain = plainGapM(a.ring, b.ring);
          if (!isClear(plain)) continue;
          const gap = gapM(a.outline, b.outline);
          if (plain > NEAR_M) expect(gap).toBe(Infinity);
          else if (plain <= TOUCH_M) expect(gap).toBeLessThanOrEqual(TOUCH_M);
          else expect(Math.abs(gap - plain)).toBeLessThan(0.04);
          expect(gapM(b.outline, a.outline) <= TOUCH_M).toBe(gap <= TOUCH_M);
        }
    }),
    { numRuns: runs(300) },
  );
});

test('groups are those of the plain definition, at both distances', () => {
  fc.assert(
    fc.property(drawn, all => {
      const lots = lotsOf(all);
      fc.pre(areClear(lots));
      const found = group(lots);
      expect(groupsOf(found)).toEqual(plainGroups(lots, NEAR_M));
      const touching = plainGroups(lots, TOUCH_M);
      for (const [id, { touching_parcels }] of found)
        expect(touching_parcels).toBe(touching.find(ids => ids.includes(id))?.length ?? 1);
    }),
    { numRuns: runs(300) },
  );
});

test('the order of the lots and the place on Earth make no difference', () => {
  fc.assert(
    fc.property(
      drawn.chain(all => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      fc.double({ min: -155, max: -68, noNaN: true }),
      fc.double({ min: 19, max: 65, noNaN: true }),
      ([all, shuffled], lon, lat) => {
        const lots = lotsOf(all);
        fc.pre(areClear(lots));
        const found = groupsOf(group(lots));
        const ids = new Map(all.map((one, i) => [one, i + 1]));
        const inOrder = lotsOf(shuffled).map((lot, i) => ({ ...lot, id: ids.get(shuffled[i]!)! }));
        expect(groupsOf(group(inOrder))).toEqual(found);
        expect(groupsOf(group(lotsOf(all, [lon, lat])))).toEqual(found);
      },
    ),
    { numRuns: runs(200) },
  );
});

test('where the boxes of two lots meet, the plane has the scale of the ellipsoid', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 19, max: 70, noNaN: true }),
      fc.double({ min: 2, max: 29.9, noNaN: true }),
      (lat, meters) => {
        const plane = planeAround([-100, lat]);
        const ground = groundAt([-100, lat]);
        const wide = ground.shape([
          [-3_000, -3_000],
          [0, -3_000],
          [0, 3_000],
          [-3_000, 3_000],
        ]);
        const spot = ground.shape([
          [meters, 2_000],
          [meters + 5, 2_000],
          [meters + 5, 2_005],
        ]);
        expect(plane.toPlane(spot[0]![0]![0]!)[0]).toBeCloseTo(meters, 6);
        expect(Math.abs(gapM(outlineOf(wide), outlineOf(spot)) - meters)).toBeLessThan(0.03);
      },
    ),
    { numRuns: runs(100) },
  );
});
