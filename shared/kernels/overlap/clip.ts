import { type RingRuns, type Window, windAround } from './runs.ts';

/**
 * Edges within a window, upwards: from (x1, y1) to (x2, y2), y1 < y2, relative to an origin. Crossing one eastwards adds `turn` to the
 * winding number of its ring. Horizontal edges are left out: no parallel crosses them.
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

/** Where the window's edges are counted from: differences of nearby doubles are exact, and small numbers keep all their digits. */
export type Origin = { x: number; y: number };

export function newEdges(): Edges {
  return { count: 0, x1: [], y1: [], x2: [], y2: [], turn: [], ring: [] };
}

/**
 * Adds the part of a ring within a window to `edges` under the number of the ring, and returns the winding number of the window's
 * south-west corner. An edge that leaves the window through its western side is continued along that side to the north, so that
 * from the corner's winding number and the edges added that of every place in the window follows.
 *
 * Where an edge crosses the western side is calculated once, and whether it runs past the corner on the left is read off that: the two
 * never disagree, however they are rounded, so that no rounding moves more than a hair's breadth of area.
 */
export function clipRing(runs: RingRuns, ring: number, window: Window, origin: Origin, edges: Edges): number {
  const { west, south, east, north } = window;

  const add = (x1: number, y1: number, x2: number, y2: number, turn: number) => {
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
  };

  const visit = (ax: number, ay: number, bx: number, by: number): number => {
    const turn = by > ay ? 1 : -1;
    // Lower and upper end.
    let [x1, y1, x2, y2] = turn === 1 ? [ax, ay, bx, by] : [bx, by, ax, ay];
    if (y2 <= south || y1 >= north) return 0;
    let winding = 0;
    const passesCorner = y1 <= south;
    if (x1 < west && x2 < west) return passesCorner ? turn : 0;
    if (x1 < west) {
      const y = latitudeAt(west, x1, y1, x2, y2);
      if (y > south) {
        if (passesCorner) winding = turn;
        if (y < north) add(west, y, west, north, ax < west ? -1 : 1);
      }
      x1 = west;
      y1 = y;
    } else if (x2 < west) {
      const y = latitudeAt(west, x1, y1, x2, y2);
      if (y <= south) winding = turn;
      else if (y < north) add(west, y, west, north, ax < west ? -1 : 1);
      x2 = west;
      y2 = y;
    }
    if (x1 > east) {
      if (x2 > east) return winding;
      y1 = latitudeAt(east, x1, y1, x2, y2);
      x1 = east;
    } else if (x2 > east) {
      y2 = latitudeAt(east, x1, y1, x2, y2);
      x2 = east;
    }
    if (y2 <= south || y1 >= north || y2 <= y1) return winding;
    const atSouth = y1 < south ? longitudeAt(south, x1, y1, x2, y2) : x1;
    const atNorth = y2 > north ? longitudeAt(north, x1, y1, x2, y2) : x2;
    add(atSouth, Math.max(y1, south), atNorth, Math.min(y2, north), turn);
    return winding;
  };

  return windAround(runs, window, visit);
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
