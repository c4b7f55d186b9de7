import { type RingRuns, RUN } from './runs.ts';

/** A rectangle in degrees in which areas are measured. */
export type Window = { west: number; south: number; east: number; north: number };

/**
 * Edges within a window, upwards: from (x1, y1) to (x2, y2), y1 < y2, relative to an origin. Crossing one eastwards adds `turn` to the
 * winding number of its ring. Level edges are left out: no parallel crosses them.
 */
export type Edges = {
  count: number;
  x1: number[];
  y1: number[];
  x2: number[];
  y2: number[];
  turn: number[];
  ring: number[];
};

/** Where coordinates of edges are counted from: differences of nearby doubles are exact, and small numbers keep all their digits. */
export type Origin = { x: number; y: number };

export function newEdges(): Edges {
  return { count: 0, x1: [], y1: [], x2: [], y2: [], turn: [], ring: [] };
}

/**
 * Adds the part of a ring within a window to `edges` under the number of the ring. An edge that leaves the window through its western side
 * is continued along that side to the north, so that from the winding number of the window's south-west corner and the edges added
 * that of every place in the window follows.
 * @returns the winding number of that corner: how often the ring crosses its parallel to the west of it, upwards counted +1, downwards -1
 */
export function clipRing(runs: RingRuns, ring: number, window: Window, origin: Origin, edges: Edges): number {
  return clipRun(runs, runs.levels.length - 1, 0, RUN ** runs.levels.length, { ring, window, origin, edges });
}

type Clipping = { ring: number; window: Window; origin: Origin; edges: Edges };

/** Clips one run of a level, of so many edges, and tells what it adds to the corner's winding number. */
function clipRun(runs: RingRuns, level: number, run: number, span: number, clipping: Clipping): number {
  const { positions, levels } = runs;
  const { west, south, east, north } = clipping.window;
  const boxes = levels[level]!;
  const box = 4 * run;
  if (boxes[box]! > east || boxes[box + 1]! >= north || boxes[box + 3]! <= south) return 0;
  const first = 2 * run * span;
  const last = Math.min(first + 2 * span, positions.length - 2);
  // All of it to the west: whichever way it goes, only its ends tell.
  if (boxes[box + 2]! < west) {
    return (positions[last + 1]! > south ? 1 : 0) - (positions[first + 1]! > south ? 1 : 0);
  }
  let winding = 0;
  if (level === 0) {
    for (let i = first; i < last; i += 2) winding += clipEdge(positions, i, clipping);
  } else {
    const end = Math.min((run + 1) * RUN, levels[level - 1]!.length / 4);
    for (let i = run * RUN; i < end; i++) winding += clipRun(runs, level - 1, i, span / RUN, clipping);
  }
  return winding;
}

/**
 * The same for the edge whose first position is there. Where it crosses the western side is calculated once, and whether it runs past the corner on the left is
 * read off that: the two never disagree, however they are rounded, so that no rounding moves more than a hair's breadth of area.
 */
function clipEdge(positions: Float64Array, at: number, clipping: Clipping): number {
  const { west, south, east, north } = clipping.window;
  const turn = positions[at + 3]! > positions[at + 1]! ? 1 : -1;
  const lower = turn === 1 ? at : at + 2;
  const upper = turn === 1 ? at + 2 : at;
  let x1 = positions[lower]!;
  let y1 = positions[lower + 1]!;
  let x2 = positions[upper]!;
  let y2 = positions[upper + 1]!;
  if (y2 <= south || y1 >= north || (x1 > east && x2 > east)) return 0;
  const passesCorner = y1 <= south;
  if (x1 < west && x2 < west) return passesCorner ? turn : 0;

  let winding = 0;
  if (x1 < west !== x2 < west) {
    const risesEastwards = x1 < west;
    const y = latitudeAt(west, x1, y1, x2, y2);
    if (passesCorner && y > south === risesEastwards) winding = turn;
    if (y > south && y < north) add(clipping, west, y, west, north, risesEastwards ? -turn : turn);
    if (risesEastwards) {
      x1 = west;
      y1 = y;
    } else {
      x2 = west;
      y2 = y;
    }
  }
  if (x1 > east) {
    y1 = latitudeAt(east, x1, y1, x2, y2);
    x1 = east;
  } else if (x2 > east) {
    y2 = latitudeAt(east, x1, y1, x2, y2);
    x2 = east;
  }
  if (y2 <= south || y1 >= north || y2 <= y1) return winding;
  const low = y1 < south ? longitudeAt(south, x1, y1, x2, y2) : x1;
  const high = y2 > north ? longitudeAt(north, x1, y1, x2, y2) : x2;
  add(clipping, low, Math.max(y1, south), high, Math.min(y2, north), turn);
  return winding;
}

function add(
  { edges, origin, ring }: Clipping,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  turn: number,
): void {
  const low = y1 - origin.y;
  const high = y2 - origin.y;
  // Level by rounding.
  if (low === high) return;
  const at = edges.count++;
  edges.x1[at] = x1 - origin.x;
  edges.y1[at] = low;
  edges.x2[at] = x2 - origin.x;
  edges.y2[at] = high;
  edges.turn[at] = turn;
  edges.ring[at] = ring;
}

/** Where the edge from (x1, y1) up to (x2, y2) crosses a meridian that lies between its ends. */
function latitudeAt(x: number, x1: number, y1: number, x2: number, y2: number): number {
  return within(y1 + ((x - x1) / (x2 - x1)) * (y2 - y1), y1, y2);
}

/** Where it crosses a parallel that lies between its ends. */
function longitudeAt(y: number, x1: number, y1: number, x2: number, y2: number): number {
  return within(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1), Math.min(x1, x2), Math.max(x1, x2));
}

function within(value: number, least: number, most: number): number {
  return value < least ? least : value > most ? most : value;
}
