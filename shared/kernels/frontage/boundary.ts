import type { Centrelines } from './centrelines.ts';
import { boxOfEdges } from './grounds.ts';
import { distanceTo, gap } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { roadFaced } from './point-rule.ts';
import { BULB_M, piecesOf, SLACK_M } from './rules.ts';
import { ALL, judgeRun, NONE, type Run, type Verdict } from './run-rule.ts';

/** Pieces `from` up to `to` of an edge that face a road of the class of this rank. */
export type FacingRun = (edge: number, from: number, to: number, pieces: number, rank: number) => void;

/** Where pieces of boundaries that face a road are looked for. */
export type BoundaryWalk = {
  near: Neighbourhood;
  /** By rank of class. */
  reachM: readonly number[];
  /** Roads further from an edge than this are not faced. */
  searchM: number;
  found: FacingRun;
};

export function boundaryWalk(near: Neighbourhood, reachM: readonly number[], found: FacingRun): BoundaryWalk {
  const { roads } = near;
  const searchM = Math.max(...reachM.filter((_, rank) => roads.classOf.includes(rank)), 0) + BULB_M;
  return { near, reachM, searchM, found };
}

/** So few segments around a parcel are looked at one by one for each of its edges; of more the index knows the near ones. */
const FEW = 64;

// A stack: each part of an edge puts the segments that it may face on those of the part which it is a half of. One for
// all walks, which follow one another, as are the functions: V8 keeps what it has compiled of them only while they live.
let segments = new Uint32Array(1024);
let distances = new Float64Array(1024);
let verdicts = new Uint8Array(1024);
let count = 0;

/**
 * Finds the pieces of a parcel's boundary that face a road, edge by edge. Each edge is halved until it is plain for all
 * pieces of a part at once, or one piece is left, for which the rule is asked: the outcome is that of asking it for every piece.
 */
export function walkBoundary(walk: BoundaryWalk, parcel: number): void {
  const { near, searchM } = walk;
  const { roads, edges, firstEdge } = near;
  const [minX, minY, maxX, maxY] = boxOfEdges(edges, firstEdge[parcel]!, firstEdge[parcel + 1]!);
  const around = roads.index?.search(minX - searchM, minY - searchM, maxX + searchM, maxY + searchM) ?? [];
  if (around.length === 0) return;
  for (let edge = firstEdge[parcel]!; edge < firstEdge[parcel + 1]!; edge++) {
    const x1 = edges.x1[edge]!;
    const y1 = edges.y1[edge]!;
    const x2 = edges.x2[edge]!;
    const y2 = edges.y2[edge]!;
    const west = Math.min(x1, x2) - searchM;
    const south = Math.min(y1, y2) - searchM;
    const east = Math.max(x1, x2) + searchM;
    const north = Math.max(y1, y2) + searchM;
    count = 0;
    if (around.length > FEW) roads.index?.search(west, south, east, north, pushSegment);
    else {
      for (const segment of around) {
        const ax = roads.x1[segment]!;
        const ay = roads.y1[segment]!;
        const bx = roads.x2[segment]!;
        const by = roads.y2[segment]!;
        if (Math.max(ax, bx) < west || Math.min(ax, bx) > east) continue;
        if (Math.max(ay, by) < south || Math.min(ay, by) > north) continue;
        pushSegment(segment);
      }
    }
    const lengthM = gap(x1, y1, x2, y2);
    const pieces = piecesOf(lengthM);
    if (count === 0 || pieces === 0) continue;
    const run = {
      edge,
      pieces,
      x: x1,
      y: y1,
      stepX: (x2 - x1) / pieces,
      stepY: (y2 - y1) / pieces,
      stepM: lengthM / pieces,
      // The ground is on the left, so the outer side is on the right.
      normalX: (y2 - y1) / lengthM,
      normalY: (x1 - x2) / lengthM,
    };
    walkPart(walk, run, 0, pieces, 0, count);
  }
}

function pushSegment(segment: number): boolean {
  reserve(count + 1);
  segments[count++] = segment;
  return false;
}

function walkPart(walk: BoundaryWalk, run: Run, from: number, to: number, low: number, high: number): void {
  const { near, reachM, found } = walk;
  const { roads } = near;
  const x = run.x + ((from + to) / 2) * run.stepX;
  const y = run.y + ((from + to) / 2) * run.stepY;
  if (to - from === 1) {
    const candidates = { at: segments, from: low, to: high };
    const { normalX, normalY } = run;
    const faced = roadFaced(near, { x, y, normalX, normalY }, candidates, reachM);
    if (faced >= 0) found(run.edge, from, to, run.pieces, roads.classOf[faced]!);
    return;
  }
  // Over the part a distance changes by this much at most.
  const halfM = ((to - from - 1) / 2) * run.stepM;
  reserve(high + high - low);
  let top = high;
  for (let k = low; k < high; k++) {
    const segment = segments[k]!;
    const distanceM = distanceTo(roads, segment, x, y);
    const withinM = reachM[roads.classOf[segment]!]!;
    if (distanceM - halfM > withinM + BULB_M + SLACK_M) continue;
    const verdict = judgeRun(near, run, from, to, segment, withinM);
    if (verdict === NONE) continue;
    segments[top] = segment;
    distances[top] = distanceM;
    verdicts[top++] = verdict;
  }
  if (top === high) return;
  const rank = rankForAll(roads, high, top, halfM);
  if (rank >= 0) {
    found(run.edge, from, to, run.pieces, rank);
    return;
  }
  const middle = (from + to) >> 1;
  walkPart(walk, run, from, middle, high, top);
  walkPart(walk, run, middle, to, high, top);
}

/** The rank of class that all pieces of the part count for, or -1 where that is not plain. */
function rankForAll(roads: Centrelines, low: number, high: number, halfM: number): number {
  let nearest = low;
  for (let k = low + 1; k < high; k++) if (distances[k]! < distances[nearest]!) nearest = k;
  const rank = roads.classOf[segments[nearest]!]!;
  if ((verdicts[nearest] as Verdict) !== ALL) return -1;
  for (let k = low; k < high; k++) {
    const isNeverNearer = distances[k]! - halfM > distances[nearest]! + halfM + SLACK_M;
    if (roads.classOf[segments[k]!] !== rank && !isNeverNearer) return -1;
  }
  return rank;
}

function reserve(size: number): void {
  if (size <= segments.length) return;
  const [before, beforeM, beforeVerdicts] = [segments, distances, verdicts];
  segments = new Uint32Array(2 * size);
  segments.set(before);
  distances = new Float64Array(2 * size);
  distances.set(beforeM);
  verdicts = new Uint8Array(2 * size);
  verdicts.set(beforeVerdicts);
}
