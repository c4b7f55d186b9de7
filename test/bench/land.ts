import { bench as assemblage } from './assemblage.ts';
import type { Bench } from './bench.ts';
import { bench as buildable } from './buildable.ts';
import { bench as frontage } from './frontage.ts';
import { bench as overlap } from './overlap.ts';
import { bench as slope } from './slope.ts';

/**
 * Measurements of every parcel's land: slope, road frontage, the percentage in wetlands and flood zones, and
 * buildable land, and the assemblages.
 */
export const bench: Bench = async options =>
  [
    await slope(options),
    await frontage(options),
    await overlap(options),
    await buildable(options),
    await assemblage(options),
  ].flat();
