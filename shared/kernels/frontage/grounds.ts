import type Flatbush from 'flatbush';
import type { Segments } from './segments.ts';

/** Parcels in the plane. A part is one polygon of a parcel, with its holes. */
export type Grounds = {
  /** Boundaries, a parcel's edges one after the other, part by part, each with the parcel's ground on its left. */
  edges: Segments;
  /** Where the edges of each parcel begin, and at last where they all end. */
  firstEdge: Uint32Array;
  /** The same of each part. */
  firstEdgeOfPart: Uint32Array;
  /** Parts by their boxes. */
  partIndex: Flatbush | null;
};

/** West, south, east and north of a parcel, or a part of one, in the plane: that of the edges `from` up to `to`. */
export function boxOfEdges(
  { x1, y1 }: Segments,
  from: number,
  to: number,
): [minX: number, minY: number, maxX: number, maxY: number] {
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  // Every corner is the start of an edge.
  for (let e = from; e < to; e++) {
    const x = x1[e]!;
    const y = y1[e]!;
    if (x < minX) minX = x;
    if (y < minY) minY = y;
    if (x > maxX) maxX = x;
    if (y > maxY) maxY = y;
  }
  return [minX, minY, maxX, maxY];
}

/** Of more edges the index knows those that lie beside a point: half of the time for Bangor with its streets of 8,212 edges. */
const MANY = 512;

/** Even-odd: a point to the left of an odd number of the edges `from` up to `to`, a parcel's or a part's, is in it. */
export function isInside(edges: Segments, from: number, to: number, x: number, y: number): boolean {
  let inside = false;
  if (to - from > MANY) {
    edges.index!.search(x, y, Infinity, y, e => {
      if (e >= from && e < to && isLeftOf(edges, e, x, y)) inside = !inside;
      return false;
    });
  } else {
    for (let e = from; e < to; e++) if (isLeftOf(edges, e, x, y)) inside = !inside;
  }
  return inside;
}

function isLeftOf({ x1, y1, x2, y2 }: Segments, e: number, x: number, y: number): boolean {
  const ay = y1[e]!;
  const by = y2[e]!;
  return ay > y !== by > y && x < x1[e]! + ((y - ay) / (by - ay)) * (x2[e]! - x1[e]!);
}
