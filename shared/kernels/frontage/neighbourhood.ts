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
  const ends: number[] = [];
  const firstEdge = new Uint32Array(shapes.length + 1);
  shapes.forEach((shape, p) => {
    for (const [shell, ...holes] of shape) {
      pushRing(shell!, true, plane, ends);
      for (const hole of holes) pushRing(hole, false, plane, ends);
    }
    firstEdge[p + 1] = ends.length / 4;
  });
  return { ends, firstEdge };
}

/** Appends a closed ring's edges, backwards when the parcel's ground would not be on their left. */
function pushRing(ring: Ring, isShell: boolean, plane: Plane, ends: number[]): void {
  const points = ring.map(plane.toPlane);
  const [x0, y0] = points[0]!;
  let twiceArea = 0;
  for (let i = 1; i < points.length; i++) {
    const [ax, ay] = points[i - 1]!;
    const [bx, by] = points[i]!;
    twiceArea += (ax - x0) * (by - y0) - (bx - x0) * (ay - y0);
  }
  if (twiceArea > 0 !== isShell) points.reverse();
  for (let i = 1; i < points.length; i++) ends.push(...points[i - 1]!, ...points[i]!);
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
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  // Every corner is the start of an edge.
  for (let e = firstEdge[parcel]!; e < firstEdge[parcel + 1]!; e++) {
    minX = Math.min(minX, x1[e]!);
    minY = Math.min(minY, y1[e]!);
    maxX = Math.max(maxX, x1[e]!);
    maxY = Math.max(maxY, y1[e]!);
  }
  return [minX, minY, maxX, maxY];
}

/** Even-odd: a point to the left of an odd number of a parcel's edges is in it. */
export function isInside({ edges, firstEdge }: Neighbourhood, parcel: number, x: number, y: number): boolean {
  const { x1, y1, x2, y2 } = edges;
  let inside = false;
  for (let e = firstEdge[parcel]!; e < firstEdge[parcel + 1]!; e++) {
    const ay = y1[e]!;
    const by = y2[e]!;
    if (ay > y !== by > y && x < x1[e]! + ((y - ay) / (by - ay)) * (x2[e]! - x1[e]!)) inside = !inside;
  }
  return inside;
}
