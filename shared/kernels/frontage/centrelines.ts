import type { Position } from '../../geo/geometry-types.ts';
import type { Plane } from './plane.ts';
import { CLASSES_BY_RANK, CONTACT_M, MEETING_M, type RoadClass } from './rules.ts';
import { distanceTo, lengthOf, pointDistance, type Segments, segmentsOf } from './segments.ts';

/** Road segments without duplicates: highways first, then normal roads, then local ones. */
export type Centerlines = Segments & {
  classOf: Uint8Array;
  /** Index of the segment's road in the input. */
  roadOf: Uint32Array;
  /**
   * Corner number of the start (2i) and end (2i + 1) of segment i. Segments that meet at a corner share its
   * number.
   */
  cornerOf: Uint32Array;
  meeting: readonly (readonly number[])[];
  /** 1 if the start (2i) or end (2i + 1) of segment i is a dead end. */
  isDeadEnd: Uint8Array;
};

/** With fewer corners than this, a pair of corner numbers fits exactly in one double. */
const MAX_CORNERS = 2 ** 26;

/**
 * Splits roads into segments. A segment that is listed twice (TIGER repeats roads that have two names) is
 * kept once, in the higher class.
 */
export function centerlines(
  roads: readonly { class: RoadClass; line: readonly Position[] }[],
  plane: Plane,
): Centerlines {
  const ends: number[] = [];
  const classes: number[] = [];
  const owners: number[] = [];
  const corners: number[] = [];
  const visited = new Set<number>();
  const numbers = new Map<string, number>();
  const cornerAt = (position: Position): number => {
    const key = position.join();
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  CLASSES_BY_RANK.forEach((name, rank) => {
    for (const [owner, road] of roads.entries()) {
      if (road.class !== name) continue;
      for (let i = 1; i < road.line.length; i++) {
        const a = cornerAt(road.line[i - 1]!);
        const b = cornerAt(road.line[i]!);
        const key = Math.min(a, b) * MAX_CORNERS + Math.max(a, b);
        if (a === b || visited.has(key)) continue;
        visited.add(key);
        const [ax, ay] = plane.toPlane(road.line[i - 1]!);
        const [bx, by] = plane.toPlane(road.line[i]!);
        ends.push(ax, ay, bx, by);
        corners.push(a, b);
        classes.push(rank);
        owners.push(owner);
      }
    }
  });
  const segments = segmentsOf(ends);
  const cornerOf = Uint32Array.from(corners);
  const { x1, y1, x2, y2, index } = segments;
  const meeting = meetings(corners, numbers.size);
  const isDeadEnd = deadEnds(segments, cornerOf, meeting);
  // List the properties one by one. A spread would create a new hidden class, and V8 would recompile the hot
  // loops.
  const classOf = Uint8Array.from(classes);
  const roadOf = Uint32Array.from(owners);
  return { x1, y1, x2, y2, index, classOf, roadOf, cornerOf, meeting, isDeadEnd };
}

function meetings(corners: readonly number[], count: number): number[][] {
  const meeting: number[][] = Array.from({ length: count }, () => []);
  for (const [end, corner] of corners.entries()) meeting[corner]!.push(end >> 1);
  return meeting;
}

function deadEnds(segments: Segments, cornerOf: Uint32Array, meeting: readonly number[][]): Uint8Array {
  const dead = new Uint8Array(cornerOf.length);
  for (let end = 0; end < cornerOf.length; end++) {
    if (meeting[cornerOf[end]!]!.length > 1) continue;
    const segment = end >> 1;
    const x = end % 2 === 0 ? segments.x1[segment]! : segments.x2[segment]!;
    const y = end % 2 === 0 ? segments.y1[segment]! : segments.y2[segment]!;
    const isMet = segments.index!.collides(
      x - MEETING_M,
      y - MEETING_M,
      x + MEETING_M,
      y + MEETING_M,
      other => other !== segment && distanceTo(segments, other, x, y) <= MEETING_M,
    );
    dead[end] = isMet ? 0 : 1;
  }
  return dead;
}

/**
 * How many meters (x, y) is beyond a corner of a road, measured along the straightest continuation there. If
 * this is above 0, the road comes closer to the point than the corner is. -Infinity at a dead end.
 * @param end 0 for the start of the segment, 1 for its end
 */
export function aheadOfCorner(
  roads: Centerlines,
  segment: number,
  end: number,
  x: number,
  y: number,
): number {
  const corner = roads.cornerOf[2 * segment + end]!;
  let most = -Infinity;
  for (const other of roads.meeting[corner]!) {
    if (other !== segment) most = Math.max(most, aheadAlong(roads, other, corner, x, y));
  }
  return most;
}

function aheadAlong(roads: Centerlines, segment: number, corner: number, x: number, y: number): number {
  const { x1, y1, x2, y2 } = roads;
  const isStart = roads.cornerOf[2 * segment] === corner;
  const cx = isStart ? x1[segment]! : x2[segment]!;
  const cy = isStart ? y1[segment]! : y2[segment]!;
  const dx = (isStart ? x2[segment]! : x1[segment]!) - cx;
  const dy = (isStart ? y2[segment]! : y1[segment]!) - cy;
  return ((x - cx) * dx + (y - cy) * dy) / Math.sqrt(dx * dx + dy * dy);
}

/**
 * The end of a segment (0 for its start, 1 for its end) that is a dead end at (x, y), within CONTACT_M; -1
 * for none.
 */
export function deadEndAt(roads: Centerlines, segment: number, x: number, y: number): number {
  const { isDeadEnd, x1, y1, x2, y2 } = roads;
  if (isDeadEnd[2 * segment] === 1 && pointDistance(x1[segment]!, y1[segment]!, x, y) <= CONTACT_M) return 0;
  if (isDeadEnd[2 * segment + 1] === 1 && pointDistance(x2[segment]!, y2[segment]!, x, y) <= CONTACT_M)
    return 1;
  return -1;
}

/** Unit vector along a segment toward one of its ends. */
export function directionTo(roads: Centerlines, segment: number, end: number): [x: number, y: number] {
  const meters = (end === 1 ? 1 : -1) * lengthOf(roads, segment);
  return [
    (roads.x2[segment]! - roads.x1[segment]!) / meters,
    (roads.y2[segment]! - roads.y1[segment]!) / meters,
  ];
}
