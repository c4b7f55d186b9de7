import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareShore } from '../../shared/kernels/shore.ts';
import { box, groundAt, type XY } from '../support/frontage-ground.ts';
import { runs } from '../support/runs.ts';

const metersBetween = (min: number, max: number) => fc.double({ min, max, noNaN: true });

test('a lot on a straight shore has as much shore as it is wide, whether it ends short of the water, in it, or is turned', () => {
  fc.assert(
    fc.property(
      metersBetween(-12, 60),
      metersBetween(20, 200),
      metersBetween(0, 2 * Math.PI),
      fc.constantFrom([-72, 43] as const, [-155, 20] as const),
      (intoM, widthM, angle, [lon, lat]) => {
        const ground = groundAt([lon, lat]);
        const turn = ([x, y]: XY): XY => [
          x * Math.cos(angle) - y * Math.sin(angle),
          x * Math.sin(angle) + y * Math.cos(angle),
        ];
        const lot = ground.shape(box(0, -80, widthM, intoM).map(turn));
        const lake = ground.shape(box(-300, 0, 500, 400).map(turn));
        const { feet, name } = prepareShore([{ name: 'Pond', shape: lake }], [lot]).of(lot);
        if (intoM < -5.01) expect({ feet, name }).toEqual({ feet: 0, name: null });
        if (intoM > -4.99) {
          // Allows for a piece of half a meter at either end.
          expect(Math.abs(feet * 0.3048 - widthM)).toBeLessThan(1.5);
          expect(name).toBe('Pond');
        }
      },
    ),
    { numRuns: runs(200) },
  );
});

test('neighbors share a shore without overlap, wherever they are cut', () => {
  const ground = groundAt([-72, 43]);
  const lake = { name: 'Pond', shape: ground.shape(box(-300, 0, 500, 400)) };
  fc.assert(
    fc.property(metersBetween(5, 95), metersBetween(-4, 30), (cutM, intoM) => {
      const lots = [box(0, -80, cutM, intoM), box(cutM, -80, 100, intoM)].map(lot => ground.shape(lot));
      const prepared = prepareShore([lake], lots);
      const meters = lots.reduce((sum, lot) => sum + prepared.of(lot).feet * 0.3048, 0);
      expect(Math.abs(meters - 100)).toBeLessThan(2.5);
    }),
    { numRuns: runs(100) },
  );
});
