import Flatbush from 'flatbush';
import { boxAround, boxOf, isEmptyBox } from '../../geo/box.ts';
import type { MultiPolygon, Position, Ring } from '../../geo/types.ts';
import { type Centrelines, centrelines } from './centrelines.ts';
import { boxOfEdges, type Grounds } from './grounds.ts';
import { type Plane, planeAround } from './plane.ts';
import type { RoadClass } from './rules.ts';
import { type Segments, segmentsOf } from './segments.ts';
import { type Ways, waysAmong } from './ways.ts';

/** Roads and parcels of a neighbourhood in one plane. */
export type Neighbourhood = Grounds & {
  plane: Plane;
  roads: Centrelines;
  ways: Ways;
};

/** @param reachM by rank of class */
export function neighbourhoodOf(
  roads: readonly { class: RoadClass; line: readonly Position[] }[],
  shapes: readonly MultiPolygon[],
  reachM: readonly number[],
): Neighbourhood {
  const plane = planeAround(middleOf(shapes));
  const { ends, firstEdge, firstEdgeOfPart } = boundaries(shapes, plane);
  const edges = segmentsOf(ends);
  const partIndex = indexParts(edges, firstEdgeOfPart);
  const lines = centrelines(roads, plane);
  const ways = waysAmong({ edges, firstEdge, firstEdgeOfPart, partIndex }, lines, reachM);
  return { plane, roads: lines, edges, firstEdge, firstEdgeOfPart, partIndex, ways };
}

function middleOf(shapes: readonly MultiPolygon[]): Position {
  const box = boxAround(shapes.map(boxOf));
  return isEmptyBox(box) ? [0, 0] : [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
}

function boundaries(shapes: readonly MultiPolygon[], plane: Plane) {
  let edges = 0;
  for (const shape of shapes)
    for (const polygon of shape) for (const ring of polygon) edges += ring.length - 1;
  const ends = new Float64Array(4 * edges);
  const firstEdge = new Uint32Array(shapes.length + 1);
  const firstEdgeOfPart = new Uint32Array(shapes.reduce((sum, { length }) => sum + length, 1));
  let at = 0;
  let part = 0;
  shapes.forEach((shape, p) => {
    for (const polygon of shape) {
      polygon.forEach((ring, i) => {
        at = putRing(ring, i === 0, plane, ends, at);
      });
      firstEdgeOfPart[++part] = at / 4;
    }
    firstEdge[p + 1] = at / 4;
  });
  return { ends, firstEdge, firstEdgeOfPart };
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

function indexParts(edges: Segments, firstEdgeOfPart: Uint32Array): Flatbush | null {
  const count = firstEdgeOfPart.length - 1;
  if (count === 0) return null;
  const index = new Flatbush(count);
  for (let p = 0; p < count; p++)
    index.add(...boxOfEdges(edges, firstEdgeOfPart[p]!, firstEdgeOfPart[p + 1]!));
  index.finish();
  return index;
}
