import { expect } from 'vitest';
import {
  type Frontage,
  type Neighbor,
  prepareFrontage,
  type Road,
} from '../../../../shared/kernels/frontage/frontage.ts';
import { groundAt } from '../../../support/frontage-ground.ts';

// Lots drawn in meters on a plane at 43 N, streets through the middle of ways 16 m wide. Each figure is
// worked out by hand beside it.
export const { shape, parcel, road } = groundAt([-72, 43]);
export const REACH = { highway: 60, normal: 30, local: 25, private: 25 };
export const WEST_EAST = road('local', [-200, 0], [200, 0]);

/** One piece of boundary at either end of a stretch is all that the sum may be off. */
const PIECE_M = 0.5;

export const meters = (feet: number) => feet * 0.3048;

export function frontageOf(id: number, roads: Road[], parcels: Neighbor[]): Frontage {
  return prepareFrontage(roads, parcels, REACH).of(id);
}

/** Classes that are not named must be 0. */
export function expectMeters(
  frontage: Frontage,
  expected: Partial<Record<'highway' | 'normal' | 'local', number>>,
): void {
  for (const name of ['highway', 'normal', 'local'] as const) {
    const wanted = expected[name] ?? 0;
    const offM = Math.abs(meters(frontage[`${name}Ft`]) - wanted);
    expect.soft(offM, name).toBeLessThanOrEqual(wanted === 0 ? 0 : 2 * PIECE_M);
  }
}
