import { SLOPE_GRADES } from '../domain/land.ts';
import type { Position } from '../geo/types.ts';
import type { SlopeCell } from '../raster/elevation.ts';
import { SLOPE_COLOURS, SLOPE_OPACITY } from './style.ts';
import type { Point, View } from './view.ts';
import { element } from './xml.ts';

const NO_DATA = '#9e9e9e';

/** Fractions of cells are shown in twentieths: so many elements at most a colour. */
const STEPS = 20;

/** The class of a slope: how many of the grades it is steeper than; null without one. */
export function gradeOf(slopePercent: number | null): number | null {
  return slopePercent === null ? null : SLOPE_GRADES.filter(grade => slopePercent > grade).length;
}

/**
 * Cells coloured by how steep they are, the fainter the less of them the parcel covers. Cells of one colour are one element, and
 * those that follow on one another in a row are one rectangle.
 */
export function drawCells(cells: readonly SlopeCell[], view: View): string {
  const groups = new Map<string, { colour: string; opacity: number; runs: Position[][] }>();
  let run: { key: string; corners: Position[] } | undefined;
  for (const { corners, slopePercent, fraction } of cells) {
    const grade = gradeOf(slopePercent);
    const step = Math.ceil(fraction * STEPS);
    const key = `${grade} ${step}`;
    const [topLeft, topRight, bottomRight, bottomLeft] = corners;
    if (run?.key === key && isSame(run.corners[1]!, topLeft) && isSame(run.corners[2]!, bottomLeft)) {
      run.corners[1] = topRight;
      run.corners[2] = bottomRight;
      continue;
    }
    run = { key, corners: [topLeft, topRight, bottomRight, bottomLeft] };
    const colour = grade === null ? NO_DATA : SLOPE_COLOURS[grade]!;
    const group = groups.get(key) ?? { colour, opacity: (SLOPE_OPACITY * step) / STEPS, runs: [] };
    groups.set(key, group);
    group.runs.push(run.corners);
  }
  const paths = [...groups.values()].map(({ colour, opacity, runs }) =>
    element('path', {
      fill: colour,
      'fill-opacity': Math.round(1000 * opacity) / 1000,
      d: runs.map(corners => rectangle(corners.map(view.toPx) as Corners)).join(''),
    }),
  );
  // Anti-aliasing would show a seam between any two cells.
  return element('g', { id: 'slope', 'shape-rendering': 'crispEdges' }, ...paths);
}

type Corners = [Point, Point, Point, Point];

/** Rows of a grid lie askew by a trace: rectangles that meet are drawn so much larger that no pixel between them is left out. */
const OVER_PX = 0.06;

/** North-west, north-east, south-east, south-west. */
function rectangle([nw, ne, se, sw]: Corners): string {
  const at = ([x, y]: Point, right: number, down: number) =>
    `${(x + right * OVER_PX).toFixed(2)} ${(y + down * OVER_PX).toFixed(2)}`;
  return `M${at(nw, -1, -1)}L${at(ne, 1, -1)}L${at(se, 1, 1)}L${at(sw, -1, 1)}Z`;
}

const isSame = (a: Position, b: Position) => a[0] === b[0] && a[1] === b[1];
