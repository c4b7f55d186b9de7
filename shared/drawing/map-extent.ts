import { boxOf, boxOfLine, boxToE7 } from '../geo/box.ts';
import type { Box, MultiPolygon, Position } from '../geo/geometry-types.ts';
import { type Plane, planeAround } from '../kernels/frontage/plane.ts';

export type Point = [x: number, y: number];

export type View = {
  widthPx: number;
  heightPx: number;
  metersPerPx: number;
  toPx(position: Position): Point;
  /** The visible area in 1e-7 degrees, slightly enlarged because meridians converge. */
  box: Box;
};

/** Minimum width and height of the shape in the view, so that the scale is defined for slivers. */
const MIN_SIDE_M = 1;

/**
 * The closest view that leaves `marginM` around the shape. North is up, and the projection is transverse
 * Mercator centered on the parcel.
 */
export function viewOf(shape: MultiPolygon, marginM: number, widthPx: number, heightPx: number): View {
  const [west, south, east, north] = boxOf(shape);
  const plane = planeAround([(west + east) / 2, (south + north) / 2]);
  const [left, bottom, right, top] = boxOf(
    shape.map(([shell]) => [shell!.map(position => plane.toPlane(position))]),
  );
  const across = Math.max(MIN_SIDE_M, right - left) + 2 * marginM;
  const up = Math.max(MIN_SIDE_M, top - bottom) + 2 * marginM;
  const metersPerPx = Math.max(across / widthPx, up / heightPx);
  const [middleX, middleY] = [(left + right) / 2, (bottom + top) / 2];
  return {
    widthPx,
    heightPx,
    metersPerPx,
    toPx(position) {
      const [x, y] = plane.toPlane(position);
      return [widthPx / 2 + (x - middleX) / metersPerPx, heightPx / 2 - (y - middleY) / metersPerPx];
    },
    box: groundBox(plane, middleX, middleY, (metersPerPx * widthPx) / 2, (metersPerPx * heightPx) / 2),
  };
}

function groundBox(plane: Plane, x: number, y: number, halfX: number, halfY: number): Box {
  const [dx, dy] = [1.01 * halfX, 1.01 * halfY];
  const corners = [
    plane.toDegrees(x - dx, y - dy),
    plane.toDegrees(x + dx, y - dy),
    plane.toDegrees(x - dx, y + dy),
    plane.toDegrees(x + dx, y + dy),
  ];
  return boxToE7(boxOfLine(corners));
}

/** The longest distance in feet that fits into this many pixels and is 1, 2, or 5 times a power of ten. */
export function scaleBarOf({ metersPerPx }: View, mostPx: number): { feet: number; px: number } {
  const pxPerFt = 0.3048 / metersPerPx;
  const power = 10 ** Math.floor(Math.log10(mostPx / pxPerFt));
  const feet = [5, 2, 1].map(step => step * power).find(length => length * pxPerFt <= mostPx)!;
  return { feet, px: feet * pxPerFt };
}
