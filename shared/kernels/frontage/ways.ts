import type { Centerlines } from './centrelines.ts';
import type { PreparedParcels, PreparedPolygon } from './grounds.ts';
import { MIN_WAY_ELONGATION, MIN_WAY_RUN, TOLERANCE_M } from './rules.ts';
import { lengthOf, lengthOfStretch, pointDistance } from './segments.ts';
import { centerlinesInside } from './through.ts';

/** For each road, the parcel polygons that are its public way. */
export type PublicWays = readonly (readonly PreparedPolygon[])[];

/**
 * Finds polygons that are streets, as docs/land.md defines them ("Streets drawn as parcels"): long and
 * narrow, with the road along them. The result depends only on the polygon and the road, so it is the same no
 * matter which parcels are computed together.
 */
export function findPublicWays(
  { parts }: PreparedParcels,
  roads: Centerlines,
  reachM: readonly number[],
): PublicWays {
  const lengthM = new Float64Array(roads.roadOf.reduce((most, road) => Math.max(most, road + 1), 0));
  for (let s = 0; s < roads.roadOf.length; s++) lengthM[roads.roadOf[s]!]! += lengthOf(roads, s);
  const ways: PreparedPolygon[][] = Array.from(lengthM, () => []);
  const widestM = 2 * Math.max(...reachM);
  for (const part of parts) {
    const widthM = elongatedWidth(part, MIN_WAY_ELONGATION);
    if (!(widthM <= widestM)) continue;
    const throughM = new Map<number, number>();
    const rankOf = new Map<number, number>();
    for (const stretch of centerlinesInside(roads, part)) {
      if (stretch.sides === 1) continue;
      const road = roads.roadOf[stretch.i]!;
      throughM.set(road, (throughM.get(road) ?? 0) + lengthOfStretch(stretch));
      rankOf.set(road, stretch.rank);
    }
    for (const [road, runM] of throughM) {
      if (widthM > 2 * reachM[rankOf.get(road)!]!) continue;
      if (runM >= Math.min(MIN_WAY_RUN * widthM, lengthM[road]! - TOLERANCE_M)) ways[road]!.push(part);
    }
  }
  return ways;
}

/**
 * Width of the rectangle with the same area and perimeter. Infinity if its length is less than
 * `minElongation` times its width.
 */
export function elongatedWidth(
  { edges: { x1, y1, x2, y2 }, from, to }: PreparedPolygon,
  minElongation: number,
): number {
  const x = x1[from]!;
  const y = y1[from]!;
  let twiceArea = 0;
  let perimeterM = 0;
  for (let e = from; e < to; e++) {
    const ax = x1[e]! - x;
    const ay = y1[e]! - y;
    const bx = x2[e]! - x;
    const by = y2[e]! - y;
    twiceArea += ax * by - bx * ay;
    perimeterM += pointDistance(ax, ay, bx, by);
  }
  // Length plus width is half of the perimeter, and length times width is the area.
  const quarterM = perimeterM / 4;
  const squareM = quarterM * quarterM - twiceArea / 2;
  if (!(squareM > 0)) return Infinity;
  const widthM = quarterM - Math.sqrt(squareM);
  return quarterM + Math.sqrt(squareM) >= minElongation * widthM ? widthM : Infinity;
}
