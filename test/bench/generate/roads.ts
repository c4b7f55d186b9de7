import type { Position } from '../../../shared/geo/types.ts';
import type { Road, RoadClass } from '../../../shared/kernels/frontage/frontage.ts';
import type { Centreline } from './blocks.ts';
import type { Section } from './fabric.ts';
import { UNIT_M } from './mesh.ts';
import { createRandom, type Random, seedOf } from './random.ts';

/** Of the roads between sections, one in so many is a highway, and one in so many a road of the state or county. */
const HIGHWAY_EVERY = 12;
const NORMAL_EVERY = 3;

/** A bend for about every so many metres, off by up to so many, as mapped centrelines have them. */
const BEND_M = 60;
const WANDER_M = 1;

/** The roads along the streets of a section and on its sides. */
export function roadsOf({ number, roads }: Section, seed: number): Road[] {
  const random = createRandom(seedOf(seed, 30, number));
  return roads.map(({ centreline, gridLine }) => ({
    class: gridLine === 'street' ? 'local' : classOf(gridLine),
    line: wander(centreline, random),
  }));
}

function classOf(gridLine: number): RoadClass {
  if (gridLine % HIGHWAY_EVERY === 0) return 'highway';
  return gridLine % NORMAL_EVERY === 0 ? 'normal' : 'local';
}

function wander([[x1, y1], [x2, y2]]: Centreline, random: Random): Position[] {
  const scaleX = UNIT_M * Math.cos((y1 / 1e7) * (Math.PI / 180));
  const [alongX, alongY] = [(x2 - x1) * scaleX, (y2 - y1) * UNIT_M];
  const length = Math.hypot(alongX, alongY);
  const bends = Math.floor(length / BEND_M);
  const line: Position[] = [degrees(x1, y1)];
  for (let k = 1; k <= bends; k++) {
    const share = k / (bends + 1);
    const off = (WANDER_M * (2 * random() - 1)) / length;
    line.push(
      degrees(
        x1 + share * (x2 - x1) - (off * alongY) / scaleX,
        y1 + share * (y2 - y1) + (off * alongX) / UNIT_M,
      ),
    );
  }
  line.push(degrees(x2, y2));
  return line;
}

/** Seven decimals, as in files. */
const degrees = (x: number, y: number): Position => [Math.round(x) / 1e7, Math.round(y) / 1e7];
