import type { Centrelines } from './centrelines.ts';
import { END, gap, START } from './nearest.ts';
import { CONTACT_M } from './rules.ts';

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

/**
 * Does one and the same segment come nearer to all points between p and q than the corner does, by more than `slackM`?
 * @param ends px, py, qx, qy
 */
export function isAheadOfCorner(
  roads: Centrelines,
  segment: number,
  end: number,
  ends: Float64Array,
  slackM: number,
): boolean {
  const corner = roads.cornerOf[2 * segment + end]!;
  for (let k = roads.firstMeeting[corner]!; k < roads.firstMeeting[corner + 1]!; k++) {
    const other = roads.meeting[k]!;
    if (other === segment) continue;
    if (
      aheadAlong(roads, other, corner, ends[0]!, ends[1]!) > slackM &&
      aheadAlong(roads, other, corner, ends[2]!, ends[3]!) > slackM
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

/** START or END where a point of a segment is a dead end, to a few centimetres; -1 elsewhere. */
export function deadEndAt(roads: Centrelines, segment: number, x: number, y: number): number {
  const { isDeadEnd, x1, y1, x2, y2 } = roads;
  if (isDeadEnd[2 * segment] === 1 && gap(x1[segment]!, y1[segment]!, x, y) <= CONTACT_M) return START;
  if (isDeadEnd[2 * segment + 1] === 1 && gap(x2[segment]!, y2[segment]!, x, y) <= CONTACT_M) return END;
  return -1;
}

/** Unit vector in which a segment runs on to one of its ends. */
export function courseTo(roads: Centrelines, segment: number, end: number): [x: number, y: number] {
  const sign = end === END ? 1 : -1;
  const dx = sign * (roads.x2[segment]! - roads.x1[segment]!);
  const dy = sign * (roads.y2[segment]! - roads.y1[segment]!);
  const lengthM = Math.sqrt(dx * dx + dy * dy);
  return [dx / lengthM, dy / lengthM];
}
