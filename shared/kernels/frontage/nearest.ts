import type { Centrelines, Segments } from './neighbourhood.ts';

/** Which point of a segment is nearest: its start, its end, or one between the two. */
export const START = 0;
export const END = 1;
export const BETWEEN = 2;

/** The point of a segment that is nearest to (x, y), written to `point`. @returns START, END or BETWEEN */
export function nearestOn(segments: Segments, i: number, x: number, y: number, point: Float64Array): number {
  const ax = segments.x1[i]!;
  const ay = segments.y1[i]!;
  const bx = segments.x2[i]!;
  const by = segments.y2[i]!;
  const dx = bx - ax;
  const dy = by - ay;
  const along = (x - ax) * dx + (y - ay) * dy;
  const square = dx * dx + dy * dy;
  // Corners as they are, not rounded, so that segments which meet in one are equally near.
  if (along <= 0) {
    point[0] = ax;
    point[1] = ay;
    return START;
  }
  if (along >= square) {
    point[0] = bx;
    point[1] = by;
    return END;
  }
  const share = along / square;
  point[0] = ax + share * dx;
  point[1] = ay + share * dy;
  return BETWEEN;
}

const scratch = new Float64Array(2);

export function distanceTo(segments: Segments, i: number, x: number, y: number): number {
  nearestOn(segments, i, x, y, scratch);
  return gap(scratch[0]!, scratch[1]!, x, y);
}

export function gap(ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  return Math.sqrt(dx * dx + dy * dy);
}

/**
 * Does a road come nearer to (x, y) than a corner of it does? How far (x, y) lies ahead of the corner, in metres, seen along the other
 * segment there that goes most nearly its way: above 0 it does; -Infinity at a dead end.
 * @param end START or END of the segment
 */
export function aheadOfCorner(
  roads: Centrelines,
  segment: number,
  end: number,
  x: number,
  y: number,
): number {
  const corner = roads.cornerOf[2 * segment + end]!;
  let most = -Infinity;
  for (let k = roads.firstMeeting[corner]!; k < roads.firstMeeting[corner + 1]!; k++) {
    const other = roads.meeting[k]!;
    if (other !== segment) most = Math.max(most, aheadAlong(roads, other, corner, x, y));
  }
  return most;
}

/** Does one and the same segment come nearer to all points between p and q than the corner does, by more than `slackM`? */
export function isAheadOfCorner(
  roads: Centrelines,
  segment: number,
  end: number,
  [px, py, qx, qy]: readonly [number, number, number, number],
  slackM: number,
): boolean {
  const corner = roads.cornerOf[2 * segment + end]!;
  for (let k = roads.firstMeeting[corner]!; k < roads.firstMeeting[corner + 1]!; k++) {
    const other = roads.meeting[k]!;
    if (other === segment) continue;
    if (
      aheadAlong(roads, other, corner, px, py) > slackM &&
      aheadAlong(roads, other, corner, qx, qy) > slackM
    ) {
      return true;
    }
  }
  return false;
}

function aheadAlong(roads: Centrelines, segment: number, corner: number, x: number, y: number): number {
  const { x1, y1, x2, y2 } = roads;
  const isStart = roads.cornerOf[2 * segment] === corner;
  const cx = isStart ? x1[segment]! : x2[segment]!;
  const cy = isStart ? y1[segment]! : y2[segment]!;
  const dx = (isStart ? x2[segment]! : x1[segment]!) - cx;
  const dy = (isStart ? y2[segment]! : y1[segment]!) - cy;
  return ((x - cx) * dx + (y - cy) * dy) / Math.sqrt(dx * dx + dy * dy);
}
