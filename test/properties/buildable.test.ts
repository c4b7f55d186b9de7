import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areaSqM, sqMToAcres } from '../../shared/geo/geodesic-area.ts';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { groundOf, UNBUILDABLE_REASONS, type UnbuildableReason } from '../../shared/kernels/buildable.ts';
import { prepareOverlap } from '../../shared/kernels/overlap.ts';
import { box, groundAt, type XY } from '../support/frontage-ground.ts';
import { runs } from '../support/runs.ts';

type Zone = { reason: UnbuildableReason; ring: XY[] };

const meters = (min: number, max: number) => fc.integer({ min, max });

/** A star around a point, drawn in meters. */
const star = (reach: number) =>
  fc
    .tuple(meters(-20, 220), meters(-20, 220), fc.array(meters(5, reach), { minLength: 3, maxLength: 12 }))
    .map(([x, y, spokes]) =>
      spokes.map((spoke, i): XY => {
        const angle = (2 * Math.PI * i) / spokes.length;
        return [x + spoke * Math.cos(angle), y + spoke * Math.sin(angle)];
      }),
    );

const parcel = fc.oneof(
  fc.tuple(meters(20, 200), meters(20, 200)).map(([width, height]) => box(0, 0, width, height)),
  star(150),
);
const zones = fc.array(fc.record({ reason: fc.constantFrom(...UNBUILDABLE_REASONS), ring: star(100) }), {
  maxLength: 8,
});
const { shape } = groundAt([-72, 43]);

function measure(outline: XY[], added: readonly Zone[], draw = shape) {
  const ground = groundOf(draw(outline));
  for (const { reason, ring } of added) ground.add(reason, draw(ring)[0]!);
  return ground.measure();
}

/** Sums of stretches differ in the last digits. */
const SLACK = 1e-9;

test('parts add up, and the piece is part of what is left', () => {
  fc.assert(
    fc.property(parcel, zones, (outline, added) => {
      const { buildable, piece, reasons } = measure(outline, added);
      const shares = Object.values(reasons);
      const union = 1 - buildable;
      expect(Math.min(buildable, piece, ...shares)).toBeGreaterThanOrEqual(0);
      expect(buildable).toBeLessThanOrEqual(1);
      expect(piece).toBeLessThanOrEqual(buildable);
      expect(union).toBeGreaterThanOrEqual(Math.max(...shares) - SLACK);
      expect(union).toBeLessThanOrEqual(shares.reduce((sum, share) => sum + share, SLACK));
    }),
    { numRuns: runs(600) },
  );
});

test('what is left agrees with the exact overlap, within 1% of the parcel or 0.02 acres', () => {
  fc.assert(
    fc.property(parcel, zones, (outline, added) => {
      const lot = shape(outline);
      const percent = prepareOverlap(added.map(({ ring }) => shape(ring))).percentOf(lot);
      const difference = Math.abs(1 - measure(outline, added).buildable - percent / 100);
      const acres = sqMToAcres(areaSqM(lot));
      expect(difference * acres).toBeLessThan(Math.max(0.02, acres / 100));
    }),
    { numRuns: runs(600) },
  );
});

test('the order of polygons, and one that is added twice, make no difference', () => {
  fc.assert(
    fc.property(parcel, zones, (outline, added) => {
      const again = [...added.toReversed(), ...added];
      const [one, two] = [measure(outline, added), measure(outline, again)];
      expect(two.buildable).toBeCloseTo(one.buildable, 9);
      expect(two.piece).toBeCloseTo(one.piece, 9);
    }),
    { numRuns: runs(300) },
  );
});

test('more that is unbuildable never leaves more', () => {
  fc.assert(
    fc.property(parcel, zones, star(100), (outline, added, ring) => {
      const [less, more] = [measure(outline, added), measure(outline, [...added, { reason: 'water', ring }])];
      expect(more.buildable).toBeLessThanOrEqual(less.buildable + SLACK);
      expect(more.piece).toBeLessThanOrEqual(less.piece + SLACK);
    }),
    { numRuns: runs(300) },
  );
});

test('a parcel has the same figures a few hundred meters away', () => {
  fc.assert(
    fc.property(parcel, zones, meters(-300, 300), meters(-300, 300), (outline, added, east, north) => {
      const moved: typeof shape = (...rings) =>
        shape(...rings).map(polygon =>
          polygon.map(ring => ring.map(([x, y]): Position => [x + east * 1e-5, y + north * 1e-6])),
        );
      const [here, there] = [measure(outline, added), measure(outline, added, moved)];
      expect(there.buildable).toBeCloseTo(here.buildable, 2);
    }),
    { numRuns: runs(300) },
  );
});
