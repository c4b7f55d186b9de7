import type { Ring } from '../../geo/types.ts';

/** Edges under one box, and boxes under one of the next level. */
export const RUN = 16;

/**
 * A closed ring in runs of consecutive edges, each under its box, and so on up to one box for the whole ring. Consecutive edges lie
 * side by side, so the part of a ring near a place is found without looking at the rest, and a run that lies to one side counts for
 * its winding as the straight line between its ends does.
 */
export type RingRuns = {
  /** Longitude and latitude of every position in turn, degrees. */
  positions: Float64Array;
  /** West, south, east and north of every run: those of edges first, the whole ring's last. */
  levels: Float64Array[];
};

export function indexRing(ring: Ring): RingRuns {
  const positions = new Float64Array(2 * ring.length);
  for (let i = 0; i < ring.length; i++) {
    positions[2 * i] = ring[i]![0];
    positions[2 * i + 1] = ring[i]![1];
  }
  const levels = [boxesOfEdges(positions)];
  while (levels.at(-1)!.length > 4) levels.push(boxesOfBoxes(levels.at(-1)!));
  return { positions, levels };
}

function boxesOfEdges(positions: Float64Array): Float64Array {
  const edges = positions.length / 2 - 1;
  const boxes = emptyBoxes(Math.max(1, Math.ceil(edges / RUN)));
  for (let at = 0; at < boxes.length; at += 4) {
    const first = (at / 4) * RUN;
    const last = Math.min(first + RUN, edges);
    for (let i = first; i <= last; i++) {
      grow(boxes, at, positions[2 * i]!, positions[2 * i + 1]!, positions[2 * i]!, positions[2 * i + 1]!);
    }
  }
  return boxes;
}

function boxesOfBoxes(finer: Float64Array): Float64Array {
  const boxes = emptyBoxes(Math.ceil(finer.length / 4 / RUN));
  for (let i = 0; i < finer.length; i += 4) {
    const at = 4 * Math.floor(i / 4 / RUN);
    grow(boxes, at, finer[i]!, finer[i + 1]!, finer[i + 2]!, finer[i + 3]!);
  }
  return boxes;
}

function emptyBoxes(count: number): Float64Array {
  const boxes = new Float64Array(4 * count);
  for (let i = 0; i < boxes.length; i++) boxes[i] = i % 4 < 2 ? Infinity : -Infinity;
  return boxes;
}

function grow(boxes: Float64Array, at: number, west: number, south: number, east: number, north: number) {
  if (west < boxes[at]!) boxes[at] = west;
  if (south < boxes[at + 1]!) boxes[at + 1] = south;
  if (east > boxes[at + 2]!) boxes[at + 2] = east;
  if (north > boxes[at + 3]!) boxes[at + 3] = north;
}
