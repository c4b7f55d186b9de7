import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareFrontage } from '../../shared/kernels/frontage/frontage.ts';
import { box, groundAt, type XY } from '../support/frontage-ground.ts';
import { runs } from '../support/runs.ts';

const REACH = { highway: 60, normal: 30, local: 25, private: 25 };
const metersBetween = (min: number, max: number) => fc.double({ min, max, noNaN: true });

test('a straight gap between a rod and 100 feet wide is found in any place and direction, but a crack is not', () => {
  fc.assert(
    fc.property(
      metersBetween(0, 30),
      metersBetween(15, 60),
      metersBetween(-30, 30),
      metersBetween(0, 2 * Math.PI),
      fc.constantFrom([-72, 43] as const, [-120, 35] as const, [-155, 20] as const),
      (widthM, depthM, offM, angle, [lon, lat]) => {
        const ground = groundAt([lon, lat]);
        const turn = ([x, y]: XY): XY => [
          x * Math.cos(angle) - y * Math.sin(angle),
          x * Math.sin(angle) + y * Math.cos(angle),
        ];
        const lot = (id: number, ...corners: [number, number, number, number]) =>
          ground.parcel(id, box(...corners).map(turn));
        const back = 8 + depthM;
        // Both lots of the row are too short to be strips.
        const parcels = [
          lot(1, -60, back, 60, back + 50),
          lot(2, -60, 8, offM - widthM / 2, back),
          lot(3, offM + widthM / 2, 8, 60, back),
        ];
        const roads = [ground.road('local', turn([-200, 0]), turn([200, 0]))];
        const { access } = prepareFrontage(roads, parcels, REACH).of(1);
        // The gap itself is within reach if the row is shallow.
        if (back <= 25.1) return;
        if (widthM < 3) expect(access).toBe('none');
        if (widthM > 5.03) expect(access).toBe('unmapped');
      },
    ),
    { numRuns: runs(200) },
  );
});

test('the order of the parcels and distant parcels have no effect', () => {
  const ground = groundAt([-72, 43]);
  const lots = fc.array(
    fc.tuple(metersBetween(-90, 90), metersBetween(8, 90), metersBetween(5, 60), metersBetween(5, 60)),
    { minLength: 3, maxLength: 10 },
  );
  fc.assert(
    fc.property(lots, fc.boolean(), (places, isReversed) => {
      const parcels = places.map(([x, y, width, depth], id) =>
        ground.parcel(id, box(x, y, x + width, y + depth)),
      );
      const roads = [ground.road('local', [-200, 0], [200, 0])];
      const far = ground.parcel(99, box(-90, 400, 90, 450));
      const others = isReversed ? [far, ...parcels.toReversed()] : [...parcels, far];
      const before = prepareFrontage(roads, parcels, REACH);
      const after = prepareFrontage(roads, others, REACH);
      for (const { id } of parcels) expect(after.of(id).access).toBe(before.of(id).access);
    }),
    { numRuns: runs(100) },
  );
});
