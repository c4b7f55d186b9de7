import type { Centrelines } from './centrelines.ts';
import type { Ground, Grounds } from './grounds.ts';
import { SLACK_M, WAY_ALONG, WAY_SHAPE } from './rules.ts';
import { gap, lengthOf, lengthOfStretch } from './segments.ts';
import { stretchesThrough } from './through.ts';

/** Of each road, the parts of parcels that are its public way. */
export type Ways = readonly (readonly Ground[])[];

/**
 * Many a county draws its streets as parcels, one a street, a block or a town. A part of a parcel is the way of a road when
 * - it is long and narrow: the rectangle of its area and its perimeter is WAY_SHAPE times as long as it is wide, and no wider than twice
 *   the reach of the road's class, which is half of a wide way, and
 * - the road runs in it with ground of it on both sides, for WAY_ALONG times that width, or from end to end.
 * Both are known of every part and every road near a parcel, however far they go on: what is computed of a parcel does not
 * depend on which others are computed with it. (The length of all roads in the part would tell its width better, but a town's
 * streets in one part have roads that are far away.)
 */
export function waysAmong({ parts }: Grounds, roads: Centrelines, reachM: readonly number[]): Ways {
  const lengthM = new Float64Array(roads.roadOf.reduce((most, road) => Math.max(most, road + 1), 0));
  for (let s = 0; s < roads.roadOf.length; s++) lengthM[roads.roadOf[s]!]! += lengthOf(roads, s);
  const ways: Ground[][] = Array.from(lengthM, () => []);
  const widestM = 2 * Math.max(...reachM);
  for (const part of parts) {
    const widthM = widthOf(part);
    if (!(widthM <= widestM)) continue;
    const throughM = new Map<number, number>();
    const rankOf = new Map<number, number>();
    for (const stretch of stretchesThrough(roads, part)) {
      if (stretch.sides === 1) continue;
      const road = roads.roadOf[stretch.i]!;
      throughM.set(road, (throughM.get(road) ?? 0) + lengthOfStretch(stretch));
      rankOf.set(road, stretch.rank);
    }
    for (const [road, runM] of throughM) {
      if (widthM > 2 * reachM[rankOf.get(road)!]!) continue;
      if (runM >= Math.min(WAY_ALONG * widthM, lengthM[road]! - SLACK_M)) ways[road]!.push(part);
    }
  }
  return ways;
}

/** The width of the rectangle that has the area and the perimeter of a part; Infinity where it is not long. */
function widthOf({ edges: { x1, y1, x2, y2 }, from, to }: Ground): number {
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
    perimeterM += gap(ax, ay, bx, by);
  }
  // Half of the perimeter is length and width, the area their product.
  const quarterM = perimeterM / 4;
  const squareM = quarterM * quarterM - twiceArea / 2;
  if (!(squareM > 0)) return Infinity;
  const widthM = quarterM - Math.sqrt(squareM);
  return quarterM + Math.sqrt(squareM) >= WAY_SHAPE * widthM ? widthM : Infinity;
}
