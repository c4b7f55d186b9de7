import type { Position } from '../geo/geometry-types.ts';
import type { OpenElevation } from './elevation-grid.ts';

/** The light comes from the north-west, 45 degrees high, as maps have it since Lehmann. */
const AZIMUTH = (315 * Math.PI) / 180;
const ALTITUDE = Math.PI / 4;

/**
 * Cells along a side; enlarged for the screen, as a grid of 10 m has no more to show at the zooms where
 * lots are looked at.
 */
export const SHADE_CELLS = 128;

/**
 * The relief of a square on the ground by Horn's gradient (1981), as gray and alpha by turns, row by row from
 * the north; null where no height is known.
 * @param placeOf a place by its cell, from -1 to SHADE_CELLS @param cellM meters along the side of a cell
 */
export async function hillshade(
  elevation: OpenElevation,
  placeOf: (column: number, row: number) => Position,
  cellM: number,
): Promise<Uint8Array | null> {
  const side = SHADE_CELLS + 2;
  const places = Array.from({ length: side * side }, (_, i) =>
    placeOf((i % side) - 1, Math.floor(i / side) - 1),
  );
  const heights = await elevation.heightsAt(places);
  const shades = new Uint8Array(2 * SHADE_CELLS * SHADE_CELLS);
  let hasData = false;
  for (let row = 1; row <= SHADE_CELLS; row++) {
    for (let column = 1; column <= SHADE_CELLS; column++) {
      const z = (dx: number, dy: number) => heights[(row + dy) * side + column + dx]!;
      const east = z(1, -1) + 2 * z(1, 0) + z(1, 1) - z(-1, -1) - 2 * z(-1, 0) - z(-1, 1);
      const south = z(-1, 1) + 2 * z(0, 1) + z(1, 1) - z(-1, -1) - 2 * z(0, -1) - z(1, -1);
      const [x, y] = [east / (8 * cellM), south / (8 * cellM)];
      const slope = Math.atan(Math.hypot(x, y));
      // Which way is down, clockwise from the north.
      const aspect = Math.atan2(-x, y);
      const light =
        Math.sin(ALTITUDE) * Math.cos(slope) +
        Math.cos(ALTITUDE) * Math.sin(slope) * Math.cos(AZIMUTH - aspect);
      if (Number.isNaN(light)) continue;
      hasData = true;
      const at = 2 * ((row - 1) * SHADE_CELLS + column - 1);
      shades[at] = Math.round(255 * Math.max(0, light));
      shades[at + 1] = 255;
    }
  }
  return hasData ? shades : null;
}
