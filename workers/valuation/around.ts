import type { Parameters } from '../../shared/kernels/valuation/model.ts';
import { MOST_STEPS } from '../../shared/kernels/valuation/select.ts';
import { LEVEL_STEPS } from '../../shared/kernels/valuation/surface.ts';
import type { Box } from './read-comps.ts';

/** A degree of latitude has at least so many metres: WGS84 at the equator. */
const DEGREE_M = 110_574;

/** Metres of a step in a county; -1 stands for those without sales. */
export function stepMetres({ steps }: Parameters): (county: number) => number {
  const metres = new Map(steps);
  return county => metres.get(county) ?? metres.get(-1)!;
}

/** How far away a comp can be that changes the valuation of a parcel of the county: a comp of it, or one that sets a comp's price level. */
export function farthestReachM(parameters: Parameters, county: number): number {
  return (MOST_STEPS + LEVEL_STEPS) * stepMetres(parameters)(county);
}

/** A box of degrees grown by metres on every side. */
export function grown([west, south, east, north]: Box, metres: number): Box {
  const lat = metres / DEGREE_M;
  const farthest = Math.min(85, Math.max(Math.abs(south), Math.abs(north)) + lat);
  const lon = lat / Math.cos((farthest * Math.PI) / 180);
  return [west - lon, south - lat, east + lon, north + lat];
}
