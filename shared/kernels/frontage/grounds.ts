import Flatbush from 'flatbush';
import type { Box, MultiPolygon, Ring } from '../../geo/geometry-types.ts';
import { doubleSignedArea } from '../../geo/ring.ts';
import type { Plane } from './plane.ts';
import { CONTACT_M } from './rules.ts';
import { distanceTo, type Segments, segmentsOf } from './segments.ts';

/**
 * A parcel, or one of its polygons with holes, as the range of edges from `from` up to `to`. The inside is on
 * their left.
 */
export type PreparedPolygon = {
  edges: Segments;
  from: number;
  to: number;
  /** In meters in the plane. */
  box: Box;
  /**
   * The edges that pass through each of several equal strips, from south to north. Null if there are only a
   * few edges.
   */
  strips: readonly (readonly number[])[] | null;
};

/** Parcels in the plane, in input order, and their polygons (`parts`). */
export type PreparedParcels = {
  edges: Segments;
  parcels: PreparedPolygon[];
  parts: PreparedPolygon[];
  partIndex: Flatbush | null;
};

export function prepareParcels(shapes: readonly MultiPolygon[], plane: Plane): PreparedParcels {
  const ends: number[] = [];
  const firstEdge = [0];
  const firstEdgeOfPart = [0];
  for (const shape of shapes) {
    for (const polygon of shape) {
      for (const [i, ring] of polygon.entries()) addRing(ring, i === 0, plane, ends);
      firstEdgeOfPart.push(ends.length / 4);
    }
    firstEdge.push(ends.length / 4);
  }
  const edges = segmentsOf(ends);
  const polygonsBetween = (first: number[]) =>
    first.slice(1).map((to, i) => preparePolygon(edges, first[i]!, to));
  const parts = polygonsBetween(firstEdgeOfPart);
  const partIndex = parts.length === 0 ? null : new Flatbush(parts.length);
  for (const { box } of parts) partIndex?.add(...box);
  partIndex?.finish();
  return { edges, parcels: polygonsBetween(firstEdge), parts, partIndex };
}

/**
 * With more edges than this, point tests use strips. A town's streets drawn as one parcel have thousands of
 * edges.
 */
const MIN_STRIP_EDGES = 64;
const EDGES_PER_STRIP = 4;

function preparePolygon(edges: Segments, from: number, to: number): PreparedPolygon {
  const box = boxOfEdges(edges, from, to);
  if (to - from <= MIN_STRIP_EDGES) return { edges, from, to, box, strips: null };
  const strips: number[][] = Array.from({ length: Math.ceil((to - from) / EDGES_PER_STRIP) }, () => []);
  for (let e = from; e < to; e++) {
    const [a, b] = [stripAt(box, strips.length, edges.y1[e]!), stripAt(box, strips.length, edges.y2[e]!)];
    for (let strip = Math.min(a, b); strip <= Math.max(a, b); strip++) strips[strip]!.push(e);
  }
  return { edges, from, to, box, strips };
}

function stripAt([, minY, , maxY]: Box, count: number, y: number): number {
  return Math.min(count - 1, Math.floor((count * (y - minY)) / (maxY - minY)) || 0);
}

/** Adds the edges of a closed ring, reversed if necessary so that the inside is on their left. */
function addRing(ring: Ring, isShell: boolean, plane: Plane, ends: number[]): void {
  const points = ring.map(plane.toPlane);
  if (doubleSignedArea(points) > 0 !== isShell) points.reverse();
  for (let i = 1; i < points.length; i++)
    ends.push(points[i - 1]![0], points[i - 1]![1], points[i]![0], points[i]![1]);
}

function boxOfEdges({ x1, y1 }: Segments, from: number, to: number): Box {
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

/** Tests a point by the even-odd rule. */
export function isInside({ edges, from, to, box, strips }: PreparedPolygon, x: number, y: number): boolean {
  if (x < box[0] || y < box[1] || x > box[2] || y > box[3]) return false;
  let inside = false;
  if (strips === null) {
    for (let e = from; e < to; e++) if (isLeftOf(edges, e, x, y)) inside = !inside;
  } else {
    for (const e of strips[stripAt(box, strips.length, y)]!) if (isLeftOf(edges, e, x, y)) inside = !inside;
  }
  return inside;
}

function isLeftOf({ x1, y1, x2, y2 }: Segments, e: number, x: number, y: number): boolean {
  const ay = y1[e]!;
  const by = y2[e]!;
  return ay > y !== by > y && x < x1[e]! + ((y - ay) / (by - ay)) * (x2[e]! - x1[e]!);
}

/**
 * Whether a point is inside and more than CONTACT_M from the boundary. A road on the boundary isn't inside:
 * the polygon faces it.
 */
export function isWellInside(polygon: PreparedPolygon, x: number, y: number): boolean {
  if (!isInside(polygon, x, y)) return false;
  const { edges, from, to } = polygon;
  const isContact = (e: number) => e >= from && e < to && distanceTo(edges, e, x, y) <= CONTACT_M;
  if (to - from > MIN_STRIP_EDGES)
    return !edges.index!.collides(x - CONTACT_M, y - CONTACT_M, x + CONTACT_M, y + CONTACT_M, isContact);
  for (let e = from; e < to; e++) if (isContact(e)) return false;
  return true;
}

export function boxOfSegment({ x1, y1, x2, y2 }: Segments, i: number): Box {
  return [
    Math.min(x1[i]!, x2[i]!),
    Math.min(y1[i]!, y2[i]!),
    Math.max(x1[i]!, x2[i]!),
    Math.max(y1[i]!, y2[i]!),
  ];
}
