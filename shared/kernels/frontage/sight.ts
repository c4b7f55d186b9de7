import { isInside } from './grounds.ts';
import { gap } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { SLACK_M } from './rules.ts';

/** Two sight lines, a from (ax, ay) to (as, at) and b from (bx, by) to (bs, bt), in the plane: ax, ay, as, at, bx, by, bs, bt. */
export type SightLines = Float64Array;

// What is asked of each edge or parcel that a search finds. Functions made anew for each of the millions of searches, and
// the numbers kept for them, took more time than the answers.
let asked: Neighbourhood;
/** The ways of its road are near.ways.parts from `wayFrom` up to `wayTo`. */
let wayFrom = 0;
let wayTo = 0;
let askedLines: SightLines;
let areAskedParallel = false;
let isMet = false;
const askedPoint = new Float64Array(2);
const oneLine = new Float64Array(4);

/**
 * Does any parcel stand between two points on the way to a segment of road: does a boundary cross the line, or does it begin inside
 * a parcel? Parts of parcels that are the road's own way do not count.
 */
export function isBlocked(
  near: Neighbourhood,
  segment: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): boolean {
  const { index } = near.edges;
  if (index === null) return false;
  askFor(near, segment);
  oneLine[0] = ax;
  oneLine[1] = ay;
  oneLine[2] = bx;
  oneLine[3] = by;
  const minX = Math.min(ax, bx);
  const minY = Math.min(ay, by);
  return index.collides(minX, minY, Math.max(ax, bx), Math.max(ay, by), crossesLine) || isInAny(ax, ay);
}

function askFor(near: Neighbourhood, segment: number): void {
  asked = near;
  const road = near.roads.roadOf[segment]!;
  wayFrom = near.ways.first[road]!;
  wayTo = near.ways.first[road + 1]!;
}

function isOfWay(edge: number): boolean {
  for (let k = wayFrom; k < wayTo; k++) {
    const part = asked.ways.parts[k]!;
    if (edge >= asked.firstEdgeOfPart[part]! && edge < asked.firstEdgeOfPart[part + 1]!) return true;
  }
  return false;
}

function crossesLine(e: number): boolean {
  const { x1, y1, x2, y2 } = asked.edges;
  const [ax, ay, bx, by] = [oneLine[0]!, oneLine[1]!, oneLine[2]!, oneLine[3]!];
  return crosses(x1[e]!, y1[e]!, x2[e]!, y2[e]!, ax, ay, bx, by) && !isOfWay(e);
}

/**
 * What becomes of all sight lines to a segment of road between two that are parallel or meet behind their ends: 'open' when no boundary comes into the
 * area between the two and it is in no parcel, 'closed' when the area is in a parcel, or (of parallel ones) when one edge lies across
 * all, 'unsure' in other cases.
 */
export function sweep(
  near: Neighbourhood,
  segment: number,
  lines: SightLines,
  areParallel: boolean,
): 'open' | 'closed' | 'unsure' {
  const { index } = near.edges;
  const ax = lines[0]!;
  const ay = lines[1]!;
  const minX = Math.min(ax, lines[2]!, lines[4]!, lines[6]!) - SLACK_M;
  const minY = Math.min(ay, lines[3]!, lines[5]!, lines[7]!) - SLACK_M;
  const maxX = Math.max(ax, lines[2]!, lines[4]!, lines[6]!) + SLACK_M;
  const maxY = Math.max(ay, lines[3]!, lines[5]!, lines[7]!) + SLACK_M;
  askFor(near, segment);
  askedLines = lines;
  areAskedParallel = areParallel;
  isMet = false;
  if (index?.collides(minX, minY, maxX, maxY, liesAcrossAll)) return 'closed';
  if (isMet) return 'unsure';
  return isInAny(ax, ay) ? 'closed' : 'open';
}

/** Does an edge lie across all lines between two parallel ones? Notes whether it comes between them at all. */
function liesAcrossAll(e: number): boolean {
  const { x1, y1, x2, y2 } = asked.edges;
  const px = x1[e]!;
  const py = y1[e]!;
  const qx = x2[e]!;
  const qy = y2[e]!;
  if (isApart(px, py, qx, qy, askedLines) || isOfWay(e)) return false;
  isMet = true;
  return (
    areAskedParallel &&
    crossesWell(px, py, qx, qy, askedLines[0]!, askedLines[1]!, askedLines[2]!, askedLines[3]!) &&
    crossesWell(px, py, qx, qy, askedLines[4]!, askedLines[5]!, askedLines[6]!, askedLines[7]!)
  );
}

function isInAny(x: number, y: number): boolean {
  askedPoint[0] = x;
  askedPoint[1] = y;
  return asked.partIndex?.collides(x, y, x, y, isAround) ?? false;
}

function isAround(part: number): boolean {
  const { edges, firstEdgeOfPart } = asked;
  const from = firstEdgeOfPart[part]!;
  return !isOfWay(from) && isInside(edges, from, firstEdgeOfPart[part + 1]!, askedPoint[0]!, askedPoint[1]!);
}

/** Do two segments cross? A corner belongs to one side, so that a line through it crosses one of the two edges that meet there. */
function crosses(
  px: number,
  py: number,
  qx: number,
  qy: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): boolean {
  const p = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
  const q = (bx - ax) * (qy - ay) - (by - ay) * (qx - ax);
  if (p > 0 === q > 0) return false;
  const a = (qx - px) * (ay - py) - (qy - py) * (ax - px);
  const b = (qx - px) * (by - py) - (qy - py) * (bx - px);
  return a > 0 !== b > 0;
}

/** The same by more than rounding can take back. */
function crossesWell(
  px: number,
  py: number,
  qx: number,
  qy: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): boolean {
  const sight = SLACK_M * gap(ax, ay, bx, by);
  const p = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
  const q = (bx - ax) * (qy - ay) - (by - ay) * (qx - ax);
  if (Math.abs(p) < sight || Math.abs(q) < sight || p > 0 === q > 0) return false;
  const edge = SLACK_M * gap(px, py, qx, qy);
  const a = (qx - px) * (ay - py) - (qy - py) * (ax - px);
  const b = (qx - px) * (by - py) - (qy - py) * (bx - px);
  return Math.abs(a) >= edge && Math.abs(b) >= edge && a > 0 !== b > 0;
}

/** Is there a line along a side of the area, or along the segment, that keeps the two apart (separating axes of convex shapes)? */
function isApart(px: number, py: number, qx: number, qy: number, lines: SightLines): boolean {
  // Corners in order around the area: a's start, a's end, b's end, b's start.
  for (let i = 0; i < 4; i++) {
    const c = AROUND[i]!;
    const d = AROUND[(i + 1) & 3]!;
    const x = lines[c]!;
    const y = lines[c + 1]!;
    const dx = lines[d]! - x;
    const dy = lines[d + 1]! - y;
    const o = AROUND[(i + 2) & 3]!;
    const r = AROUND[(i + 3) & 3]!;
    const other =
      dx * (lines[o + 1]! - y) - dy * (lines[o]! - x) + dx * (lines[r + 1]! - y) - dy * (lines[r]! - x);
    const side = other > 0 ? 1 : -1;
    const slack = -SLACK_M * (Math.abs(dx) + Math.abs(dy));
    const p = side * (dx * (py - y) - dy * (px - x));
    const q = side * (dx * (qy - y) - dy * (qx - x));
    if (p < slack && q < slack) return true;
  }
  const ex = qx - px;
  const ey = qy - py;
  const slack = SLACK_M * (Math.abs(ex) + Math.abs(ey));
  let left = 0;
  let right = 0;
  for (const c of AROUND) {
    const side = ex * (lines[c + 1]! - py) - ey * (lines[c]! - px);
    if (side > slack) left++;
    else if (side < -slack) right++;
  }
  return left === 4 || right === 4;
}

const AROUND = [0, 2, 6, 4] as const;
