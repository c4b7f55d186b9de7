import type { Position } from '../geo/geometry-types.ts';
import type { OpenElevation } from './elevation-grid.ts';

/** Light from the northwest at 45 degrees, the cartographic convention. */
const AZIMUTH = (315 * Math.PI) / 180;
const ALTITUDE = Math.PI / 4;

/**
 * Cells per side. The browser enlarges the image, because a 10 m grid has no finer detail at the scale of
 * lots.
 */
export const HILLSHADE_CELLS = 128;

/**
 * Shaded relief of a square by Horn's gradient (1981): alternating gray and alpha, row by row from the north;
 * null if no elevation is known.
 * @param placeOf the position of a cell, from -1 to HILLSHADE_CELLS
 * @param cellM side of a cell in meters
 */
export async function hillshade(
  elevation: OpenElevation,
  placeOf: (column: number, row: number) => Position,
  cellM: number,
): Promise<Uint8Array | null> {
  const side = HILLSHADE_CELLS + 2;
  const places = Array.from({ length: side * side }, (_, i) =>
    placeOf((i % side) - 1, Math.floor(i / side) - 1),
  );
  const heights = await elevation.heightsAt(places);
  const z = (cell: number) => heights[cell]!;
  const shades = new Uint8Array(2 * HILLSHADE_CELLS * HILLSHADE_CELLS);
  let hasData = false;
  for (let row = 1; row <= HILLSHADE_CELLS; row++) {
    for (let column = 1; column <= HILLSHADE_CELLS; column++) {
      const middle = row * side + column;
      const [above, below] = [middle - side, middle + side];
      const east =
        z(above + 1) + 2 * z(middle + 1) + z(below + 1) - z(above - 1) - 2 * z(middle - 1) - z(below - 1);
      const south = z(below - 1) + 2 * z(below) + z(below + 1) - z(above - 1) - 2 * z(above) - z(above + 1);
      const [x, y] = [east / (8 * cellM), south / (8 * cellM)];
      const slope = Math.atan(Math.hypot(x, y));
      // The downhill direction, clockwise from north.
      const aspect = Math.atan2(-x, y);
      const light =
        Math.sin(ALTITUDE) * Math.cos(slope) +
        Math.cos(ALTITUDE) * Math.sin(slope) * Math.cos(AZIMUTH - aspect);
      if (Number.isNaN(light)) continue;
      hasData = true;
      const at = 2 * ((row - 1) * HILLSHADE_CELLS + column - 1);
      shades[at] = Math.round(255 * Math.max(0, light));
      shades[at + 1] = 255;
    }
  }
  return hasData ? shades : null;
}
