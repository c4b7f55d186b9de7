import type { Centrelines } from './centrelines.ts';
import { boxOfEdges, isInside } from './grounds.ts';
import { distanceTo } from './nearest.ts';
import { CONTACT_M, HALF_WAY_M, piecesOf, SLACK_M } from './rules.ts';
import type { Segments } from './segments.ts';

/** Pieces `from` up to `to` of a segment of road that run inside a parcel with its ground on one side or on both. */
export type ThroughRun = (segment: number, from: number, to: number, pieces: number, sides: 1 | 2) => void;

/** The edges `from` up to `to`: those of a parcel, or of a part of one. */
export type Bounds = { edges: Segments; from: number; to: number };

/** Of a parcel of more edges, such as a town's streets in one, the index knows those near a segment. */
const FEW = 256;

/**
 * Finds the stretches of centreline that run inside a parcel, or a part of one. The middle of a piece is inside when it is further
 * than CONTACT_M from the boundary; a side counts where the parcel goes on beyond half of the way.
 */
export function walkThrough(roads: Centrelines, ground: Bounds, found: ThroughRun): void {
  const { edges, from, to } = ground;
  // In their order, so that the stretches of a road follow on one another.
  const segments = roads.index?.search(...boxOfEdges(edges, from, to)).sort((a, b) => a - b) ?? [];
  for (const segment of segments) {
    const line = lineOf(roads, segment);
    if (line.pieces > 0) walkPart(ground, line, 0, line.pieces, edgesNear(ground, roads, segment), found);
  }
}

function edgesNear({ edges, from, to }: Bounds, roads: Centrelines, segment: number): number[] {
  if (to - from <= FEW) return Array.from({ length: to - from }, (_, i) => from + i);
  const x1 = roads.x1[segment]!;
  const y1 = roads.y1[segment]!;
  const x2 = roads.x2[segment]!;
  const y2 = roads.y2[segment]!;
  const marginM = HALF_WAY_M + 2 * SLACK_M;
  return edges.index!.search(
    Math.min(x1, x2) - marginM,
    Math.min(y1, y2) - marginM,
    Math.max(x1, x2) + marginM,
    Math.max(y1, y2) + marginM,
    edge => edge >= from && edge < to,
  );
}

function walkPart(
  ground: Bounds,
  line: Line,
  from: number,
  to: number,
  bounds: number[],
  found: ThroughRun,
): void {
  const x = line.x + ((from + to) / 2) * line.stepX;
  const y = line.y + ((from + to) / 2) * line.stepY;
  const halfM = ((to - from - 1) / 2) * line.stepM;
  const close: number[] = [];
  let leastM = Infinity;
  for (const edge of bounds) {
    const distanceM = distanceTo(ground.edges, edge, x, y);
    if (distanceM < leastM) leastM = distanceM;
    if (distanceM <= halfM + HALF_WAY_M + SLACK_M) close.push(edge);
  }
  const isOneSided = leastM > halfM + CONTACT_M + SLACK_M;
  if (isOneSided && !holds(ground, x, y)) return;
  // No boundary comes as near as the far side of the way: what holds in the middle holds all along.
  if (close.length === 0) found(line.segment, from, to, line.pieces, 2);
  else if (to - from === 1) {
    const isIn = isOneSided || (leastM > CONTACT_M && holds(ground, x, y));
    const sides = isIn ? sidesAt(ground, line, x, y) : 0;
    if (sides > 0) found(line.segment, from, to, line.pieces, sides as 1 | 2);
  } else {
    const middle = (from + to) >> 1;
    walkPart(ground, line, from, middle, close, found);
    walkPart(ground, line, middle, to, close, found);
  }
}

function sidesAt(ground: Bounds, { leftX, leftY }: Line, x: number, y: number): number {
  const left = holds(ground, x + HALF_WAY_M * leftX, y + HALF_WAY_M * leftY);
  const right = holds(ground, x - HALF_WAY_M * leftX, y - HALF_WAY_M * leftY);
  return Number(left) + Number(right);
}

const holds = ({ edges, from, to }: Bounds, x: number, y: number) => isInside(edges, from, to, x, y);

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

function lineOf(roads: Centrelines, segment: number): Line {
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
