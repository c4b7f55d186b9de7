import type { Centerlines } from './centrelines.ts';
import type { Ground, Grounds } from './grounds.ts';
import { SLACK_M, WAY_ALONG, WAY_SHAPE } from './rules.ts';
import { lengthOf, lengthOfStretch, pointDistance } from './segments.ts';
import { stretchesThrough } from './through.ts';

/** Of each road, the parts of parcels that are its public way. */
export type Ways = readonly (readonly Ground[])[];

/**
 * Parts of parcels that are streets, as docs/land.md defines them ("Streets drawn as parcels"): long and
 * narrow, with the road running along. Both are known however far they go on, so that no figure depends on
 * which parcels are computed together.
 */
export function waysAmong({ parts }: Grounds, roads: Centerlines, reachM: readonly number[]): Ways {
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

/**
 * The width of the rectangle that has the area and the perimeter of a part; Infinity where it is not long.
 */
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
    perimeterM += pointDistance(ax, ay, bx, by);
  }
  // Half of the perimeter is length and width, the area their product.
  const quarterM = perimeterM / 4;
  const squareM = quarterM * quarterM - twiceArea / 2;
  if (!(squareM > 0)) return Infinity;
  const widthM = quarterM - Math.sqrt(squareM);
  return quarterM + Math.sqrt(squareM) >= WAY_SHAPE * widthM ? widthM : Infinity;
}
