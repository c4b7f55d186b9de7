import { distanceTo } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { roadFaced } from './point-rule.ts';
import { BULB_M, piecesOf, SLACK_M } from './rules.ts';
import { ALL, judgeRun, NONE, type Run, type Verdict } from './run-rule.ts';

/** Pieces `from` up to `to` of an edge that face a road of the class of this rank. */
export type FacingRun = (edge: number, from: number, to: number, pieces: number, rank: number) => void;

/**
 * Finds the pieces of a parcel's boundary that face a road, edge by edge. Each edge is halved until it is plain for all
 * pieces of a part at once, or one piece is left, for which the rule is asked: the outcome is that of asking it for every piece.
 */
export function boundaryWalk(near: Neighbourhood, reachM: readonly number[], found: FacingRun) {
  const { roads, edges, firstEdge } = near;
  const searchM = Math.max(...reachM.filter((_, rank) => roads.classOf.includes(rank)), 0) + BULB_M;
  // A stack: each part of an edge puts the segments that it may face on those of the part which it is a half of.
  let segments = new Uint32Array(1024);
  let distances = new Float64Array(1024);
  let verdicts = new Uint8Array(1024);
  let run: Run;

  function walk(from: number, to: number, low: number, high: number): void {
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
    const rank = rankForAll(high, top, halfM);
    if (rank >= 0) {
      found(run.edge, from, to, run.pieces, rank);
      return;
    }
    const middle = (from + to) >> 1;
    walk(from, middle, high, top);
    walk(middle, to, high, top);
  }

  /** The rank of class that all pieces of the part count for, or -1 where that is not plain. */
  function rankForAll(low: number, high: number, halfM: number): number {
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

  function reserve(count: number): void {
    if (count <= segments.length) return;
    const [before, beforeM, beforeVerdicts] = [segments, distances, verdicts];
    segments = new Uint32Array(2 * count);
    segments.set(before);
    distances = new Float64Array(2 * count);
    distances.set(beforeM);
    verdicts = new Uint8Array(2 * count);
    verdicts.set(beforeVerdicts);
  }

  return (parcel: number): void => {
    for (let edge = firstEdge[parcel]!; edge < firstEdge[parcel + 1]!; edge++) {
      const x1 = edges.x1[edge]!;
      const y1 = edges.y1[edge]!;
      const x2 = edges.x2[edge]!;
      const y2 = edges.y2[edge]!;
      let count = 0;
      roads.index?.search(
        Math.min(x1, x2) - searchM,
        Math.min(y1, y2) - searchM,
        Math.max(x1, x2) + searchM,
        Math.max(y1, y2) + searchM,
        segment => {
          reserve(count + 1);
          segments[count++] = segment;
          return false;
        },
      );
      const lengthM = Math.hypot(x2 - x1, y2 - y1);
      const pieces = piecesOf(lengthM);
      if (count === 0 || pieces === 0) continue;
      run = {
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
      walk(0, pieces, 0, count);
    }
  };
}
