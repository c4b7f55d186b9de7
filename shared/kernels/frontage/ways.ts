import type { Centrelines } from './centrelines.ts';
import type { Grounds } from './grounds.ts';
import { gap } from './nearest.ts';
import { SLACK_M, WAY_ALONG, WAY_SHAPE } from './rules.ts';
import type { Segments } from './segments.ts';
import { walkThrough } from './through.ts';

/** The parts of parcels that are public way: those of road r are parts[first[r]] up to parts[first[r + 1]]. */
export type Ways = { first: Uint32Array; parts: Uint32Array };

/**
 * Many a county draws its streets as parcels, one a street, a block or a town. A part of a parcel is the way of a road when
 * - it is long and narrow: the rectangle of its area and its perimeter is WAY_SHAPE times as long as it is wide, and no wider than twice
 *   the reach of the road's class, which is half of a wide way, and
 * - the road runs in it with ground of it on both sides, for WAY_ALONG times that width, or from end to end.
 * Both are known of every part and every road near a parcel, however far they go on: what is computed of a parcel does not
 * depend on which others are computed with it. (The length of all roads in the part would tell its width better, but a town's
 * streets in one part have roads that are far away.)
 */
export function waysAmong(grounds: Grounds, roads: Centrelines, reachM: readonly number[]): Ways {
  const { edges, firstEdgeOfPart } = grounds;
  const lengthM = lengthsOf(roads);
  const waysOf: number[][] = Array.from(lengthM, () => []);
  const throughM = new Map<number, number>();
  const rankOf = new Map<number, number>();
  const widestM = 2 * Math.max(...reachM);
  const count = firstEdgeOfPart.length - 1;
  for (let part = 0; part < count; part++) {
    const from = firstEdgeOfPart[part]!;
    const to = firstEdgeOfPart[part + 1]!;
    const widthM = widthOf(edges, from, to);
    if (!(widthM <= widestM)) continue;
    throughM.clear();
    walkThrough(roads, { edges, from, to }, (segment, first, end, pieces, sides) => {
      if (sides === 1) return;
      const road = roads.roadOf[segment]!;
      const runM = ((end - first) / pieces) * segmentLength(roads, segment);
      throughM.set(road, (throughM.get(road) ?? 0) + runM);
      rankOf.set(road, roads.classOf[segment]!);
    });
    for (const [road, runM] of throughM) {
      if (widthM > 2 * reachM[rankOf.get(road)!]!) continue;
      if (runM >= Math.min(WAY_ALONG * widthM, lengthM[road]! - SLACK_M)) waysOf[road]!.push(part);
    }
  }
  const first = new Uint32Array(waysOf.length + 1);
  for (const [road, parts] of waysOf.entries()) first[road + 1] = first[road]! + parts.length;
  return { first, parts: Uint32Array.from(waysOf.flat()) };
}

/** The width of the rectangle that has the area and the perimeter of a part; Infinity where it is not long. */
function widthOf(edges: Segments, from: number, to: number): number {
  const { x1, y1, x2, y2 } = edges;
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

/** Of each road. */
function lengthsOf(roads: Centrelines): Float64Array {
  const lengthM = new Float64Array(roads.roadOf.reduce((most, road) => Math.max(most, road + 1), 0));
  for (let s = 0; s < roads.roadOf.length; s++) lengthM[roads.roadOf[s]!]! += segmentLength(roads, s);
  return lengthM;
}

const segmentLength = ({ x1, y1, x2, y2 }: Segments, i: number) => gap(x1[i]!, y1[i]!, x2[i]!, y2[i]!);
