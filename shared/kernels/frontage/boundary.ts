import { padBox } from '../../geo/box.ts';
import { facingRule, type Neighbourhood } from './facing.ts';
import { boxOfSegment, type Ground } from './grounds.ts';
import { BULB_M, OVERLAP_M } from './rules.ts';
import { addPiece, distanceTo, piecesAlong, type Stretch } from './segments.ts';

/** So short a part of an edge is not divided further. */
const PART_PIECES = 16;

/**
 * Finds the stretches of a parcel's boundary that face a road: every piece is asked.
 * @param reachM by rank of class
 */
export function facingStretches(
  near: Neighbourhood,
  reachM: readonly number[],
): (ground: Ground) => Stretch[] {
  const { grounds, roads } = near;
  const faced = facingRule(near, reachM);
  const searchM = Math.max(0, ...reachM.filter((_, rank) => roads.classOf.includes(rank))) + BULB_M;
  return ground => {
    const stretches: Stretch[] = [];
    if (roads.index === null || roads.index.search(...padBox(ground.box, searchM)).length === 0)
      return stretches;
    const { edges } = ground;
    for (let edge = ground.from; edge < ground.to; edge++) {
      const box = boxOfSegment(edges, edge);
      const candidates = roads.index.search(...padBox(box, searchM));
      const { pieces, x, y, stepX, stepY, stepM, alongX, alongY } = piecesAlong(edges, edge);
      if (candidates.length === 0 || pieces === 0) continue;
      const parts = grounds.partIndex!.search(...padBox(box, OVERLAP_M)).map(part => grounds.parts[part]!);
      // The ground is on the left, so the outer side is on the right.
      const point = { x: 0, y: 0, normalX: alongY, normalY: -alongX, parts };
      /** Asks the rule for each piece, of ever shorter parts of the edge, for the roads within reach of the part. */
      const walk = (from: number, to: number, roadsNear: readonly number[]): void => {
        point.x = x + ((from + to) / 2) * stepX;
        point.y = y + ((from + to) / 2) * stepY;
        const spreadM = ((to - from) / 2) * stepM + BULB_M;
        const inReach = roadsNear.filter(
          road => distanceTo(roads, road, point.x, point.y) <= reachM[roads.classOf[road]!]! + spreadM,
        );
        if (inReach.length === 0) return;
        if (to - from > PART_PIECES) {
          const middle = (from + to) >> 1;
          walk(from, middle, inReach);
          walk(middle, to, inReach);
          return;
        }
        for (let piece = from; piece < to; piece++) {
          point.x = x + (piece + 0.5) * stepX;
          point.y = y + (piece + 0.5) * stepY;
          const road = faced(point, inReach);
          if (road >= 0) addPiece(stretches, edges, edge, piece, pieces, roads.classOf[road]!, 1);
        }
      };
      walk(0, pieces, candidates);
    }
    return stretches;
  };
}
