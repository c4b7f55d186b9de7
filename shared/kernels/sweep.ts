import type { EdgeList } from './edge-list.ts';

/**
 * Edges in ascending order of their lower ends, at x + slope * (y - y1) from y1 up to y2. The arrays are
 * reused, so they can be longer than the number of edges.
 */
export type Sweep = {
  length: number;
  x: Float64Array;
  y1: Float64Array;
  y2: Float64Array;
  slope: Float64Array;
  polygons: Int32Array;
  /** The edges that cross the current band, from west to east. */
  active: Int32Array;
  actives: number;
  /** The next edge to become active. */
  next: number;
  /** The edges' x at the ends of the current band. */
  low: Float64Array;
  high: Float64Array;
  levels: Float64Array;
  levelCount: number;
};

export const newSweep = (size = 256): Sweep => ({
  length: 0,
  x: new Float64Array(size),
  y1: new Float64Array(size),
  y2: new Float64Array(size),
  slope: new Float64Array(size),
  polygons: new Int32Array(size),
  active: new Int32Array(size),
  actives: 0,
  next: 0,
  low: new Float64Array(size),
  high: new Float64Array(size),
  levels: new Float64Array(4 * size),
  levelCount: 0,
});

export function fillSweep(sweep: Sweep, { length, ends, polygons }: EdgeList): void {
  if (sweep.active.length < length) Object.assign(sweep, newSweep(2 * length));
  const { active: order, low: bottoms } = sweep;
  for (let i = 0; i < length; i++) {
    order[i] = i;
    bottoms[i] = Math.min(ends[4 * i + 1]!, ends[4 * i + 3]!);
  }
  order.subarray(0, length).sort((a, b) => bottoms[a]! - bottoms[b]!);
  for (let i = 0; i < length; i++) {
    const edge = order[i]!;
    const rises = ends[4 * edge + 3]! > ends[4 * edge + 1]!;
    const from = 4 * edge + (rises ? 0 : 2);
    const to = 4 * edge + (rises ? 2 : 0);
    sweep.x[i] = ends[from]!;
    sweep.y1[i] = ends[from + 1]!;
    sweep.y2[i] = ends[to + 1]!;
    sweep.slope[i] = (ends[to]! - ends[from]!) / (ends[to + 1]! - ends[from + 1]!);
    sweep.polygons[i] = polygons[edge]!;
  }
  sweep.length = length;
  sweep.actives = 0;
  sweep.next = 0;
}

/** Latitudes where edges end or cross, ascending. */
export function levelsOf(sweep: Sweep): Float64Array {
  const { length, x, y1, y2, slope } = sweep;
  sweep.levelCount = 0;
  for (let i = 0; i < length; i++) {
    addLevel(sweep, y1[i]!);
    addLevel(sweep, y2[i]!);
    for (let j = i + 1; j < length && y1[j]! < y2[i]!; j++) {
      const south = y1[j]!;
      const north = Math.min(y2[i]!, y2[j]!);
      const below = x[i]! + (south - y1[i]!) * slope[i]! - x[j]!;
      const above = x[i]! + (north - y1[i]!) * slope[i]! - x[j]! - (north - south) * slope[j]!;
      if (below * above < 0) addLevel(sweep, south + ((north - south) * below) / (below - above));
    }
  }
  return sweep.levels.subarray(0, sweep.levelCount).sort();
}

function addLevel(sweep: Sweep, level: number): void {
  const { levels, levelCount } = sweep;
  if (levelCount === levels.length) {
    sweep.levels = new Float64Array(2 * levelCount);
    sweep.levels.set(levels);
  }
  sweep.levels[sweep.levelCount++] = level;
}

/** Moves on to the band from a level to the next. */
export function enterBand(sweep: Sweep, south: number, north: number): void {
  const { active, x, y1, y2, slope, low, high } = sweep;
  let count = 0;
  for (let i = 0; i < sweep.actives; i++) if (y2[active[i]!]! > south) active[count++] = active[i]!;
  while (sweep.next < sweep.length && y1[sweep.next]! <= south) active[count++] = sweep.next++;
  sweep.actives = count;
  // Few edges change places, so an insertion sort is quick.
  for (let i = 0; i < count; i++) {
    const edge = active[i]!;
    low[edge] = x[edge]! + (south - y1[edge]!) * slope[edge]!;
    high[edge] = x[edge]! + (north - y1[edge]!) * slope[edge]!;
    const sum = low[edge]! + high[edge]!;
    let at = i;
    for (; at > 0 && low[active[at - 1]!]! + high[active[at - 1]!]! > sum; at--) active[at] = active[at - 1]!;
    active[at] = edge;
  }
}
