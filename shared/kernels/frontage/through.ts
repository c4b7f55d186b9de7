import { distanceTo } from './nearest.ts';
import { boxOf, isInside, type Neighbourhood } from './neighbourhood.ts';
import { CONTACT_M, HALF_WAY_M, piecesOf, SLACK_M } from './rules.ts';

/** Pieces `from` up to `to` of a segment of road that run inside a parcel with its ground on one side or on both. */
export type ThroughRun = (segment: number, from: number, to: number, pieces: number, sides: 1 | 2) => void;

/**
 * Finds the stretches of centreline that run inside a parcel. The middle of a piece is inside when it is further than CONTACT_M from the
 * boundary; a side counts where the parcel goes on beyond half of the way.
 */
export function walkThrough(near: Neighbourhood, parcel: number, found: ThroughRun): void {
  const { roads, firstEdge } = near;
  // In their order, so that the stretches of a road follow on one another.
  const segments = roads.index?.search(...boxOf(near, parcel)).sort((a, b) => a - b) ?? [];
  for (const segment of segments) {
    const line = lineOf(near, segment);
    if (line.pieces === 0) continue;
    const bounds: number[] = [];
    for (let edge = firstEdge[parcel]!; edge < firstEdge[parcel + 1]!; edge++) bounds.push(edge);
    walkPart(near, parcel, line, 0, line.pieces, bounds, found);
  }
}

function walkPart(
  near: Neighbourhood,
  parcel: number,
  line: Line,
  from: number,
  to: number,
  bounds: number[],
  found: ThroughRun,
): void {
  const { edges } = near;
  const x = line.x + ((from + to) / 2) * line.stepX;
  const y = line.y + ((from + to) / 2) * line.stepY;
  const halfM = ((to - from - 1) / 2) * line.stepM;
  const close: number[] = [];
  let leastM = Infinity;
  for (const edge of bounds) {
    const distanceM = distanceTo(edges, edge, x, y);
    if (distanceM < leastM) leastM = distanceM;
    if (distanceM <= halfM + HALF_WAY_M + SLACK_M) close.push(edge);
  }
  const isOneSided = leastM > halfM + CONTACT_M + SLACK_M;
  if (isOneSided && !isInside(near, parcel, x, y)) return;
  // No boundary comes as near as the far side of the way: what holds in the middle holds all along.
  if (close.length === 0) found(line.segment, from, to, line.pieces, 2);
  else if (to - from === 1) {
    const sides =
      isOneSided || isWellInside(near, parcel, x, y, leastM) ? sidesAt(near, parcel, line, x, y) : 0;
    if (sides > 0) found(line.segment, from, to, line.pieces, sides as 1 | 2);
  } else {
    const middle = (from + to) >> 1;
    walkPart(near, parcel, line, from, middle, close, found);
    walkPart(near, parcel, line, middle, to, close, found);
  }
}

function isWellInside(near: Neighbourhood, parcel: number, x: number, y: number, distanceM: number): boolean {
  return distanceM > CONTACT_M && isInside(near, parcel, x, y);
}

function sidesAt(near: Neighbourhood, parcel: number, { leftX, leftY }: Line, x: number, y: number): number {
  const left = isInside(near, parcel, x + HALF_WAY_M * leftX, y + HALF_WAY_M * leftY);
  const right = isInside(near, parcel, x - HALF_WAY_M * leftX, y - HALF_WAY_M * leftY);
  return Number(left) + Number(right);
}

type Line = {
  segment: number;
  pieces: number;
  x: number;
  y: number;
  stepX: number;
  stepY: number;
  stepM: number;
  leftX: number;
  leftY: number;
};

function lineOf({ roads }: Neighbourhood, segment: number): Line {
  const x = roads.x1[segment]!;
  const y = roads.y1[segment]!;
  const dx = roads.x2[segment]! - x;
  const dy = roads.y2[segment]! - y;
  const lengthM = Math.sqrt(dx * dx + dy * dy);
  const pieces = piecesOf(lengthM);
  return {
    segment,
    pieces,
    x,
    y,
    stepX: dx / pieces,
    stepY: dy / pieces,
    stepM: lengthM / pieces,
    leftX: -dy / lengthM,
    leftY: dx / lengthM,
  };
}
