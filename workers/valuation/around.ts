import type { Parameters } from '../../shared/kernels/valuation/model.ts';
import { MOST_STEPS } from '../../shared/kernels/valuation/select.ts';
import { LEVEL_STEPS } from '../../shared/kernels/valuation/surface.ts';
import type { Box } from './read-comps.ts';

/** A degree of latitude has at least so many metres: WGS84 at the equator. */
const DEGREE_M = 110_574;

/** Metres of a step in a county; -1 stands for those without sales. */
function stepMetres({ steps }: Parameters, county: number): number {
  const metres = new Map(steps);
  return metres.get(county) ?? metres.get(-1)!;
}

/** How far from a parcel of the county its comps can be. */
export function compReachM(parameters: Parameters, county: number): number {
  return MOST_STEPS * stepMetres(parameters, county);
}

/** How far from a comp of one of these counties the sales can be that set its price level, or from a parcel there. */
export function levelReachM(parameters: Parameters, counties: readonly number[]): number {
  return LEVEL_STEPS * Math.max(...counties.map(county => stepMetres(parameters, county)));
}

/** A box of degrees grown by metres on every side. */
export function grown([west, south, east, north]: Box, metres: number): Box {
  const lat = metres / DEGREE_M;
  const farthest = Math.min(85, Math.max(Math.abs(south), Math.abs(north)) + lat);
  const lon = lat / Math.cos((farthest * Math.PI) / 180);
  return [west - lon, south - lat, east + lon, north + lat];
}
