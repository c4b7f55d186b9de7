import type { Box, Polygon } from '../geo/geometry-types.ts';

/**
 * Directed edges of numbered polygons, without horizontal ones. They are in typed arrays, because objects
 * would keep the garbage collector busy.
 */
export type EdgeList = {
  length: number;
  /** Four numbers per edge: x and y of its start and of its end. */
  ends: Float64Array;
  polygons: Int32Array;
};

const FIRST_SIZE = 256;

export const newEdgeList = (): EdgeList => ({
  length: 0,
  ends: new Float64Array(4 * FIRST_SIZE),
  polygons: new Int32Array(FIRST_SIZE),
});

/** Adds a polygon's edges within a box. */
export function addPolygon(list: EdgeList, rings: Polygon, polygon: number, box: Box): void {
  for (const ring of rings)
    for (let i = 1; i < ring.length; i++) {
      const from = ring[i - 1]!;
      const to = ring[i]!;
      addCut(list, polygon, from[0], from[1], to[0], to[1], box);
    }
}

/** Replaces the edges of a list by those of another within a box. */
export function cutEdges({ length, ends, polygons }: EdgeList, into: EdgeList, box: Box): void {
  into.length = 0;
  for (let i = 0; i < length; i++)
    addCut(into, polygons[i]!, ends[4 * i]!, ends[4 * i + 1]!, ends[4 * i + 2]!, ends[4 * i + 3]!, box);
}

/**
 * Adds the part of an edge between a box's south and north. Where it is west or east of the box, it follows
 * that side, so that a line from west to east crosses as many edges as before.
 */
function addCut(
  list: EdgeList,
  polygon: number,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  [west, south, east, north]: Box,
): void {
  const startY = between(y1, south, north);
  const endY = between(y2, south, north);
  if (startY === endY) return;
  const slope = (x2 - x1) / (y2 - y1);
  const startX = startY === y1 ? x1 : x1 + (startY - y1) * slope;
  const endX = endY === y2 ? x2 : x1 + (endY - y1) * slope;
  let x = startX;
  let y = startY;
  for (let i = 0; i < 2; i++) {
    const side = startX < endX === (i === 0) ? west : east;
    if ((startX - side) * (endX - side) >= 0) continue;
    const sideY = y1 + (side - x1) / slope;
    addEdge(list, polygon, between(x, west, east), y, side, sideY);
    x = side;
    y = sideY;
  }
  addEdge(list, polygon, between(x, west, east), y, between(endX, west, east), endY);
}

const between = (value: number, least: number, most: number): number =>
  value < least ? least : value > most ? most : value;

/** Adds an edge. A vertical one that continues the last edge extends it. */
function addEdge(list: EdgeList, polygon: number, x1: number, y1: number, x2: number, y2: number): void {
  if (y1 === y2) return;
  const { ends, polygons, length } = list;
  const last = 4 * (length - 1);
  if (
    length > 0 &&
    x1 === x2 &&
    polygons[length - 1] === polygon &&
    ends[last] === x1 &&
    ends[last + 2] === x1 &&
    ends[last + 3] === y1
  ) {
    ends[last + 3] = y2;
    if (ends[last + 1] === y2) list.length--;
    return;
  }
  if (length === polygons.length) grow(list);
  list.ends[4 * length] = x1;
  list.ends[4 * length + 1] = y1;
  list.ends[4 * length + 2] = x2;
  list.ends[4 * length + 3] = y2;
  list.polygons[length] = polygon;
  list.length++;
}

function grow(list: EdgeList): void {
  const { ends, polygons } = list;
  list.ends = new Float64Array(2 * ends.length);
  list.ends.set(ends);
  list.polygons = new Int32Array(2 * polygons.length);
  list.polygons.set(polygons);
}
