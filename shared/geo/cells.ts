import { emptyBox } from './box.ts';
import { covers, type PreparedQuery } from './intersects.ts';
import type { Box } from './types.ts';

/** Boxes here have inclusive integers of 1e-7 degrees. */

export type QueryCover = {
  /** Wholly inside the query's area; no two share a point. */
  inner: Box[];
  /** Whatever box of integers an outline, a line or a point of the query passes through touches one of them. */
  edge: Box[];
};

/**
 * Measured with GiST indexes of PostgreSQL 18 on 290,736 parcels (144 copies of Washington, NH) and a query of 500 vertices, cover, both
 * look-ups and exact tests together: with 16, 32, 64, 128, 256 and 512 cells 26, 12, 10, 10, 12 and 17 ms for 7,133
 * parcels found, 183, 116, 76, 57, 52 and 43 ms for 43,394, and 1 to 8 ms for 3.
 */
export const DEFAULT_EDGE_CELLS = 128;

/** Cells narrower than this, about 50 m, are not split: a parcel's own extent is wider. */
const NARROW_CELL = 5_000;

/**
 * How far inner boxes keep from outlines, and edge boxes reach beyond them: a stored location may lie a unit outside its
 * rounded boundary when that is a sliver, and clipping rounds by less than a unit.
 */
const MARGIN = 2;

/**
 * Covers a query with boxes for an index: the boundaries that meet it are those with their location in an inner box, by that alone, and
 * some of those with their extent touching an edge box, to be tested by `intersects`; no other. A location is a point of its
 * boundary, to a unit of rounding, on the integer grid, and lies in the extent.
 *
 * Starts with the box around the query. The edge cell of the largest area is halved across its longer side, each half is shrunk to
 * the outline in it, and what is cut off has no outline, so that one of its points tells whether it is inside. There are at most maxCells
 * edge boxes and a few times as many inner ones, merged where they make up a rectangle.
 */
export function coverQuery(
  query: PreparedQuery,
  { maxCells = DEFAULT_EDGE_CELLS }: { maxCells?: number } = {},
): QueryCover {
  const { index } = query;
  if (index === null) return { inner: [], edge: [] };
  const inner: Box[] = [];
  const around: Box = [
    Math.floor(index.minX) - MARGIN,
    Math.floor(index.minY) - MARGIN,
    Math.ceil(index.maxX) + MARGIN,
    Math.ceil(index.maxY) + MARGIN,
  ];
  const cells: Cell[] = [{ box: around, edges: Uint32Array.from(query.x1.keys()) }];
  while (cells.length < maxCells) {
    let largest = 0;
    for (let i = 1; i < cells.length; i++)
      if (priority(cells[i]!.box) > priority(cells[largest]!.box)) largest = i;
    const cell = cells[largest]!;
    if (priority(cell.box) === 0) break;
    const halves = halve(cell.box)
      .map(half => shrink(query, half, cell.edges, inner))
      .filter(half => half !== null);
    cells.splice(largest, 1, ...halves);
  }
  return { inner: merge(inner), edge: cells.map(({ box }) => box) };
}

type Cell = { box: Box; edges: Uint32Array };

/** Area; 0 for cells that are not worth splitting. */
function priority([west, south, east, north]: Box): number {
  const [width, height] = [east - west, north - south];
  return Math.min(width, height) < NARROW_CELL ? 0 : width * height;
}

function halve([west, south, east, north]: Box): [Box, Box] {
  if (east - west > north - south) {
    const middle = Math.floor((west + east) / 2);
    return [
      [west, south, middle, north],
      [middle + 1, south, east, north],
    ];
  }
  const middle = Math.floor((south + north) / 2);
  return [
    [west, south, east, middle],
    [west, middle + 1, east, north],
  ];
}

/** The part of a box around the outline in it, or null where there is none. What is cut off goes to `inner` if it is inside. */
function shrink(query: PreparedQuery, box: Box, edges: Uint32Array, inner: Box[]): Cell | null {
  const within = new Uint32Array(edges.length);
  let count = 0;
  const held = emptyBox();
  for (const e of edges) if (clip(query, e, box, held)) within[count++] = e;
  const keep = (rest: Box) => {
    const [west, south, east, north] = rest;
    if (west > east || south > north) return;
    if (covers(query, (west + east) / 2, (south + north) / 2)) inner.push(rest);
  };
  if (count === 0) {
    keep(box);
    return null;
  }
  const [west, south, east, north] = box;
  const w = Math.max(west, Math.floor(held[0]) - MARGIN);
  const s = Math.max(south, Math.floor(held[1]) - MARGIN);
  const e = Math.min(east, Math.ceil(held[2]) + MARGIN);
  const n = Math.min(north, Math.ceil(held[3]) + MARGIN);
  keep([west, south, w - 1, north]);
  keep([e + 1, south, east, north]);
  keep([w, south, e, s - 1]);
  keep([w, n + 1, e, north]);
  return { box: [w, s, e, n], edges: within.slice(0, count) };
}

/**
 * Grows `held` by the part of an edge that lies within MARGIN of a box, and tells whether there is one (Liang and Barsky, A new
 * concept and method for line clipping, 1984). Rounding is of 1e-6 units or less, which MARGIN takes in.
 */
function clip({ x1, y1, x2, y2 }: PreparedQuery, edge: number, box: Box, held: Box): boolean {
  const ax = x1[edge]!;
  const ay = y1[edge]!;
  const dx = x2[edge]! - ax;
  const dy = y2[edge]! - ay;
  const west = box[0] - MARGIN;
  const south = box[1] - MARGIN;
  const east = box[2] + MARGIN;
  const north = box[3] + MARGIN;
  let from = 0;
  let to = 1;
  if (dx === 0) {
    if (ax < west || ax > east) return false;
  } else {
    from = Math.max(from, ((dx > 0 ? west : east) - ax) / dx);
    to = Math.min(to, ((dx > 0 ? east : west) - ax) / dx);
  }
  if (dy === 0) {
    if (ay < south || ay > north) return false;
  } else {
    from = Math.max(from, ((dy > 0 ? south : north) - ay) / dy);
    to = Math.min(to, ((dy > 0 ? north : south) - ay) / dy);
  }
  if (from > to) return false;
  for (const share of [from, to]) {
    const x = ax + share * dx;
    const y = ay + share * dy;
    if (x < held[0]) held[0] = x;
    if (y < held[1]) held[1] = y;
    if (x > held[2]) held[2] = x;
    if (y > held[3]) held[3] = y;
  }
  return true;
}

/** Joins boxes that share a whole side, first in rows, then in columns, until none do. */
function merge(boxes: Box[]): Box[] {
  let merged = boxes;
  for (let before = Number.POSITIVE_INFINITY; merged.length < before; ) {
    before = merged.length;
    merged = joinAlong(merged, [0, 1, 2, 3]);
    merged = joinAlong(merged, [1, 0, 3, 2]);
  }
  return merged;
}

/** @param axes where the box holds its start, its cross start, its end and its cross end, as seen along one axis */
function joinAlong(boxes: Box[], [start, low, end, high]: [number, number, number, number]): Box[] {
  const sorted = boxes.toSorted((a, b) => a[low]! - b[low]! || a[high]! - b[high]! || a[start]! - b[start]!);
  const joined: Box[] = [];
  for (const box of sorted) {
    const last = joined.at(-1);
    if (
      last !== undefined &&
      last[low] === box[low] &&
      last[high] === box[high] &&
      last[end]! + 1 === box[start]
    ) {
      last[end] = box[end]!;
    } else joined.push([...box]);
  }
  return joined;
}
