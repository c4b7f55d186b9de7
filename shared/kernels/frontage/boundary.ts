import { distanceTo } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { roadFaced } from './point-rule.ts';
import { piecesOf, SLACK_M } from './rules.ts';
import { judgeRun, MIXED, NONE, type Run } from './run-rule.ts';

/** Pieces `from` up to `to` of an edge that face a road of the class of this rank. */
export type FacingRun = (edge: number, from: number, to: number, pieces: number, rank: number) => void;

/**
 * Finds the pieces of a parcel's boundary that face a road, edge by edge. Each edge is halved until `judgeRun` can tell for all
 * pieces of a part at once, or one piece is left, for which the rule is asked: the outcome is that of asking it for every piece.
 */
export function boundaryWalk(near: Neighbourhood, reachM: readonly number[], found: FacingRun) {
  const { roads, edges, firstEdge } = near;
  const maxReachM = Math.max(...reachM);
  // A stack: each part of an edge puts the segments that may be nearest to it on those of the part which it is half of.
  let segments = new Uint32Array(1024);
  let distances = new Float64Array(1024);
  let run: Run;

  function walk(from: number, to: number, low: number, high: number): void {
    const x = run.x + ((from + to) / 2) * run.stepX;
    const y = run.y + ((from + to) / 2) * run.stepY;
    const halfM = ((to - from - 1) / 2) * run.stepM;
    reserve(high + high - low);
    let leastM = Infinity;
    for (let k = low; k < high; k++) {
      const distanceM = distanceTo(roads, segments[k]!, x, y);
      distances[k] = distanceM;
      if (distanceM < leastM) leastM = distanceM;
    }
    let top = high;
    let isReached = false;
    for (let k = low; k < high; k++) {
      // Over the part a distance changes by its half length at most.
      if (distances[k]! > leastM + 2 * halfM + SLACK_M) continue;
      const segment = segments[k]!;
      segments[top++] = segment;
      isReached ||= distances[k]! - halfM <= reachM[roads.classOf[segment]!]! + SLACK_M;
    }
    if (!isReached) return;
    if (to - from === 1) {
      const faced = roadFaced(
        near,
        x,
        y,
        run.normalX,
        run.normalY,
        { at: segments, from: high, to: top },
        reachM,
      );
      if (faced >= 0) found(run.edge, from, to, run.pieces, roads.classOf[faced]!);
      return;
    }
    if (top - high === 1) {
      const segment = segments[high]!;
      const verdict = judgeRun(near, run, from, to, segment, reachM[roads.classOf[segment]!]!);
      if (verdict === NONE) return;
      if (verdict !== MIXED) {
        found(run.edge, from, to, run.pieces, roads.classOf[segment]!);
        return;
      }
    }
    const middle = (from + to) >> 1;
    walk(from, middle, high, top);
    walk(middle, to, high, top);
  }

  function reserve(count: number): void {
    if (count <= segments.length) return;
    const larger = new Uint32Array(2 * count);
    larger.set(segments);
    segments = larger;
    const further = new Float64Array(2 * count);
    further.set(distances);
    distances = further;
  }

  return (parcel: number): void => {
    for (let edge = firstEdge[parcel]!; edge < firstEdge[parcel + 1]!; edge++) {
      const x1 = edges.x1[edge]!;
      const y1 = edges.y1[edge]!;
      const x2 = edges.x2[edge]!;
      const y2 = edges.y2[edge]!;
      let count = 0;
      roads.index?.search(
        Math.min(x1, x2) - maxReachM,
        Math.min(y1, y2) - maxReachM,
        Math.max(x1, x2) + maxReachM,
        Math.max(y1, y2) + maxReachM,
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
