import { withMargin } from '../../shared/geo/box.ts';
import { fromE7 } from '../../shared/geo/codec.ts';
import type { Box } from '../../shared/geo/types.ts';
import type { Parameters } from '../../shared/kernels/valuation/model.ts';
import { MOST_STEPS } from '../../shared/kernels/valuation/select.ts';
import { LEVEL_STEPS } from '../../shared/kernels/valuation/surface.ts';

/** Metres of a step in each county; -1 stands for those without sales. */
function stepMetres({ steps }: Parameters, counties: readonly number[]): number[] {
  const metres = new Map(steps);
  return counties.map(county => metres.get(county) ?? metres.get(-1)!);
}

/** How far from a parcel of the county its comps can be. */
export function compReachM(parameters: Parameters, county: number): number {
  return MOST_STEPS * stepMetres(parameters, [county])[0]!;
}

/** How far from a comp of one of these counties the sales can be that set its price level, or from a parcel there. */
export function levelReachM(parameters: Parameters, counties: readonly number[]): number {
  return LEVEL_STEPS * Math.max(...stepMetres(parameters, counties));
}

/** A place, in integers of 1e-7 degree, and so many metres on every side, in degrees. */
export function boxAround({ lon, lat }: { lon: number; lat: number }, metres: number): Box {
  const [x, y] = [fromE7(lon), fromE7(lat)];
  return withMargin([x, y, x, y], metres);
}

export const holds = (outer: Box, inner: Box) =>
  outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];

export function enclosing(boxes: readonly Box[]): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    west = Math.min(west, box[0]);
    south = Math.min(south, box[1]);
    east = Math.max(east, box[2]);
    north = Math.max(north, box[3]);
  }
  return [west, south, east, north];
}
