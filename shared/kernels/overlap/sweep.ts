import type { Edges } from './clip.ts';
import { cross, type Membership, returnToStart } from './membership.ts';

/** What a unit of area weighs at y: w0 + w1 y + w2 y2. */
export type Weight = readonly [w0: number, w1: number, w2: number];

/** A rectangle, in the coordinates of the edges. */
export type Frame = { west: number; south: number; east: number; north: number };

/** Weighted area of the shape, and of what lies in the layer, too. */
export type Areas = { shape: number; overlap: number };

/**
 * Adds to `areas` what the edges within a frame bound there. `place` starts at the frame's western side.
 *
 * The frame is cut into bands between the ordinates at which edges end or cross, so that in a band the edges stand in one order from
 * west to east and part it into trapezoids (the sweep of Bentley and Ottmann 1979, with crossings looked for among the edges of a band).
 * Their widths change evenly with y and the weight as a quadratic, for which Simpson's rule is exact.
 * Rounding may exchange edges that lie within a rounding of each other, which moves no more area than lies between them.
 */
export type Sweep = (edges: Edges, place: Membership, frame: Frame, weight: Weight, areas: Areas) => void;

/** A sweep with room of its own to work in: not to be entered again before it has returned. */
export function newSweep(): Sweep {
  /** The band's edges from west to east, and where they are at its lower and upper end. */
  const order: number[] = [];
  const bottom: number[] = [];
  const top: number[] = [];
  let room = new Float64Array(256);
  /** The edges that begin at each level, as linked lists. */
  const firstAt: number[] = [];
  const nextOf: number[] = [];

  return (edges, place, frame, weight, areas) => {
    const levels = levelsOf(edges, frame);
    listStarts(edges, levels);
    let active = 0;
    for (let i = 1; i < levels.length; i++) {
      const south = levels[i - 1]!;
      const north = levels[i]!;
      let kept = 0;
      for (let k = 0; k < active; k++) if (edges.y2[order[k]!]! > south) order[kept++] = order[k]!;
      for (let edge = firstAt[i - 1]!; edge !== -1; edge = nextOf[edge]!) order[kept++] = edge;
      active = kept;
      setAbreast(edges, active, south, north);
      if (standInOrder(active)) measure(edges, place, active, frame, south, north, weight, areas);
      else {
        const cuts = crossings(active, south, north);
        for (let c = 1; c < cuts.length; c++) {
          setAbreast(edges, active, cuts[c - 1]!, cuts[c]!);
          measure(edges, place, active, frame, cuts[c - 1]!, cuts[c]!, weight, areas);
        }
      }
    }
  };

  /** Every ordinate at which an edge or the frame begins or ends, ascending, each once. */
  function levelsOf({ count, y1, y2 }: Edges, { south, north }: Frame): Float64Array {
    const size = 2 * count + 2;
    if (size > room.length) room = new Float64Array(2 * size);
    const all = room.subarray(0, size);
    all[0] = south;
    all[1] = north;
    for (let i = 0; i < count; i++) {
      all[2 * i + 2] = y1[i]!;
      all[2 * i + 3] = y2[i]!;
    }
    all.sort();
    let kept = 1;
    for (let i = 1; i < size; i++) if (all[i]! !== all[kept - 1]!) all[kept++] = all[i]!;
    return all.subarray(0, kept);
  }

  function listStarts(edges: Edges, levels: Float64Array): void {
    for (let i = 0; i < levels.length; i++) firstAt[i] = -1;
    for (let edge = 0; edge < edges.count; edge++) {
      const level = indexOf(levels, edges.y1[edge]!);
      nextOf[edge] = firstAt[level]!;
      firstAt[level] = edge;
    }
  }

  /** Notes where the edges are at both ends of a band and puts them in their order halfway between. */
  function setAbreast(edges: Edges, active: number, south: number, north: number): void {
    for (let k = 0; k < active; k++) {
      const edge = order[k]!;
      bottom[edge] = eastAt(edges, edge, south);
      top[edge] = eastAt(edges, edge, north);
    }
    // Nearly in order from the band below: insertion moves little.
    for (let k = 1; k < active; k++) {
      const edge = order[k]!;
      const middle = bottom[edge]! + top[edge]!;
      let j = k;
      for (; j > 0 && bottom[order[j - 1]!]! + top[order[j - 1]!]! > middle; j--) order[j] = order[j - 1]!;
      order[j] = edge;
    }
  }

  function standInOrder(active: number): boolean {
    for (let k = 1; k < active; k++) {
      const a = order[k - 1]!;
      const b = order[k]!;
      if (bottom[a]! > bottom[b]! || top[a]! > top[b]!) return false;
    }
    return true;
  }

  /** The ends of a band and every y between at which two of its edges cross, ascending. */
  function crossings(active: number, south: number, north: number): number[] {
    const cuts = [south, north];
    const rows = order.slice(0, active).sort((a, b) => bottom[a]! - bottom[b]! || top[a]! - top[b]!);
    for (let k = 1; k < active; k++) {
      const edge = rows[k]!;
      let j = k;
      for (; j > 0 && top[rows[j - 1]!]! > top[edge]!; j--) {
        const other = rows[j - 1]!;
        const below = bottom[edge]! - bottom[other]!;
        cuts.push(south + ((north - south) * below) / (below + top[other]! - top[edge]!));
        rows[j] = other;
      }
      rows[j] = edge;
    }
    return cuts.sort((a, b) => a - b);
  }

  function measure(
    edges: Edges,
    place: Membership,
    active: number,
    frame: Frame,
    south: number,
    north: number,
    weight: Weight,
    areas: Areas,
  ): void {
    let shapeBottom = 0;
    let shapeTop = 0;
    let overlapBottom = 0;
    let overlapTop = 0;
    let lastBottom = frame.west;
    let lastTop = frame.west;
    for (let k = 0; k <= active; k++) {
      const edge = order[k]!;
      const atBottom = k < active ? bottom[edge]! : frame.east;
      const atTop = k < active ? top[edge]! : frame.east;
      if (place.inShape > 0) {
        shapeBottom += atBottom - lastBottom;
        shapeTop += atTop - lastTop;
        if (place.inLayer > 0) {
          overlapBottom += atBottom - lastBottom;
          overlapTop += atTop - lastTop;
        }
      }
      lastBottom = atBottom;
      lastTop = atTop;
      if (k < active) cross(place, edges.ring[edge]!, edges.turn[edge]!);
    }
    for (let k = 0; k < active; k++) returnToStart(place, edges.ring[order[k]!]!);

    const twiceMiddle = 2 * weigh(weight, (south + north) / 2);
    const lower = ((north - south) * (weigh(weight, south) + twiceMiddle)) / 6;
    const upper = ((north - south) * (weigh(weight, north) + twiceMiddle)) / 6;
    areas.shape += lower * shapeBottom + upper * shapeTop;
    areas.overlap += lower * overlapBottom + upper * overlapTop;
  }
}

function weigh(weight: Weight, y: number): number {
  return weight[0] + y * (weight[1] + y * weight[2]);
}

/** Where in an ascending list a value is that it holds. */
function indexOf(levels: Float64Array, value: number): number {
  let low = 0;
  let high = levels.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (levels[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function eastAt({ x1, y1, x2, y2 }: Edges, edge: number, y: number): number {
  const from = y1[edge]!;
  const to = y2[edge]!;
  // Exact at the ends, where edges of one ring meet.
  if (y === from) return x1[edge]!;
  if (y === to) return x2[edge]!;
  return x1[edge]! + ((y - from) / (to - from)) * (x2[edge]! - x1[edge]!);
}
