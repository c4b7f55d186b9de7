import { boxOfEdges, isInside } from './grounds.ts';
import { distanceTo } from './nearest.ts';
import type { Neighbourhood } from './neighbourhood.ts';
import { HALF_WAY_M } from './rules.ts';

let asked: Neighbourhood;
let askedParcel = 0;

/** Does a road cross or touch a parcel: does ground of the parcel lie within half a way of a centreline? */
export function isTouched(near: Neighbourhood, parcel: number): boolean {
  const [minX, minY, maxX, maxY] = boxOfEdges(
    near.edges,
    near.firstEdge[parcel]!,
    near.firstEdge[parcel + 1]!,
  );
  asked = near;
  askedParcel = parcel;
  const { index } = near.roads;
  return (
    index?.collides(
      minX - HALF_WAY_M,
      minY - HALF_WAY_M,
      maxX + HALF_WAY_M,
      maxY + HALF_WAY_M,
      touchesParcel,
    ) ?? false
  );
}

function touchesParcel(segment: number): boolean {
  return touches(asked, askedParcel, segment);
}

function touches(near: Neighbourhood, parcel: number, segment: number): boolean {
  const { roads, edges, firstEdge } = near;
  const ax = roads.x1[segment]!;
  const ay = roads.y1[segment]!;
  const bx = roads.x2[segment]!;
  const by = roads.y2[segment]!;
  for (let e = firstEdge[parcel]!; e < firstEdge[parcel + 1]!; e++) {
    const px = edges.x1[e]!;
    const py = edges.y1[e]!;
    const qx = edges.x2[e]!;
    const qy = edges.y2[e]!;
    // Two segments are nearest to each other at one of their four ends, unless they cross.
    if (
      distanceTo(roads, segment, px, py) <= HALF_WAY_M ||
      distanceTo(roads, segment, qx, qy) <= HALF_WAY_M ||
      distanceTo(edges, e, ax, ay) <= HALF_WAY_M ||
      distanceTo(edges, e, bx, by) <= HALF_WAY_M ||
      (isLeft(ax, ay, bx, by, px, py) !== isLeft(ax, ay, bx, by, qx, qy) &&
        isLeft(px, py, qx, qy, ax, ay) !== isLeft(px, py, qx, qy, bx, by))
    ) {
      return true;
    }
  }
  return isInside(edges, firstEdge[parcel]!, firstEdge[parcel + 1]!, ax, ay);
}

function isLeft(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0;
}
