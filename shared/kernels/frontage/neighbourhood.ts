import Flatbush from 'flatbush';
import { extent } from '../geometry/extent.ts';
import type { Extent, MultiPolygon, Position, Ring } from '../geometry/types.ts';
import { type Centrelines, centrelines } from './centrelines.ts';
import { type Plane, planeAround } from './plane.ts';
import type { RoadClass } from './rules.ts';
import { type Segments, segmentsOf } from './segments.ts';

/** Roads and parcels of a neighbourhood in one plane. */
export type Neighbourhood = {
  plane: Plane;
  roads: Centrelines;
  /** Boundaries, a parcel's edges one after the other, each with the parcel's ground on its left. */
  edges: Segments;
  /** Where the edges of each parcel begin, and at last where they all end. */
  firstEdge: Uint32Array;
  /** Parcels by their boxes. */
  parcelIndex: Flatbush | null;
};

export function neighbourhoodOf(
  roads: readonly { class: RoadClass; line: readonly Position[] }[],
  shapes: readonly MultiPolygon[],
): Neighbourhood {
  const plane = planeAround(middleOf(shapes));
  const { ends, firstEdge } = boundaries(shapes, plane);
  const edges = segmentsOf(ends);
  return {
    plane,
    roads: centrelines(roads, plane),
    edges,
    firstEdge,
    parcelIndex: indexParcels(edges, firstEdge),
  };
}

function middleOf(shapes: readonly MultiPolygon[]): Position {
  const box: Extent = [Infinity, Infinity, -Infinity, -Infinity];
  for (const shape of shapes) {
    const [west, south, east, north] = extent(shape);
    box[0] = Math.min(box[0], west);
    box[1] = Math.min(box[1], south);
    box[2] = Math.max(box[2], east);
    box[3] = Math.max(box[3], north);
  }
  return box[0] <= box[2] ? [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] : [0, 0];
}

function boundaries(shapes: readonly MultiPolygon[], plane: Plane) {
  let edges = 0;
  for (const shape of shapes)
    for (const polygon of shape) for (const ring of polygon) edges += ring.length - 1;
  const ends = new Float64Array(4 * edges);
  const firstEdge = new Uint32Array(shapes.length + 1);
  let at = 0;
  shapes.forEach((shape, p) => {
    for (const polygon of shape) {
      polygon.forEach((ring, i) => {
        at = putRing(ring, i === 0, plane, ends, at);
      });
    }
    firstEdge[p + 1] = at / 4;
  });
  return { ends, firstEdge };
}

/**
 * Writes a closed ring's edges, backwards when the parcel's ground would not be on their left.
 * @returns where the next ring's go
 */
function putRing(ring: Ring, isShell: boolean, plane: Plane, ends: Float64Array, start: number): number {
  const points = ring.map(plane.toPlane);
  const [x0, y0] = points[0]!;
  let twiceArea = 0;
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1]!;
    const b = points[i]!;
    twiceArea += (a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0);
  }
  if (twiceArea > 0 !== isShell) points.reverse();
  let at = start;
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1]!;
    const b = points[i]!;
    ends[at++] = a[0];
    ends[at++] = a[1];
    ends[at++] = b[0];
    ends[at++] = b[1];
  }
  return at;
}

function indexParcels(edges: Segments, firstEdge: Uint32Array): Flatbush | null {
  const count = firstEdge.length - 1;
  if (count === 0) return null;
  const index = new Flatbush(count);
  for (let p = 0; p < count; p++) index.add(...boxOf({ edges, firstEdge }, p));
  index.finish();
  return index;
}

/** West, south, east and north of a parcel in the plane. */
export function boxOf(
  { edges: { x1, y1 }, firstEdge }: { edges: Segments; firstEdge: Uint32Array },
  parcel: number,
): [minX: number, minY: number, maxX: number, maxY: number] {
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  // Every corner is the start of an edge.
  for (let e = firstEdge[parcel]!; e < firstEdge[parcel + 1]!; e++) {
    const x = x1[e]!;
    const y = y1[e]!;
    if (x < minX) minX = x;
    if (y < minY) minY = y;
    if (x > maxX) maxX = x;
    if (y > maxY) maxY = y;
  }
  return [minX, minY, maxX, maxY];
}

/** Even-odd: a point to the left of an odd number of a parcel's edges is in it. */
export function isInside({ edges, firstEdge }: Neighbourhood, parcel: number, x: number, y: number): boolean {
  const { x1, y1, x2, y2 } = edges;
  let inside = false;
  const end = firstEdge[parcel + 1]!;
  for (let e = firstEdge[parcel]!; e < end; e++) {
    const ay = y1[e]!;
    const by = y2[e]!;
    if (ay > y !== by > y && x < x1[e]! + ((y - ay) / (by - ay)) * (x2[e]! - x1[e]!)) inside = !inside;
  }
  return inside;
}
