import type { Position } from '../../geo/types.ts';
import { distanceTo } from './nearest.ts';
import type { Plane } from './plane.ts';
import { CLASSES, MEETING_M, type RoadClass } from './rules.ts';
import { type Segments, segmentsOf } from './segments.ts';

/** Segments of roads: highways first, then normal roads, then local ones; none twice. */
export type Centrelines = Segments & {
  /** Rank of the class. */
  classOf: Uint8Array;
  /** The road of which the segment is, by its place among those given. */
  roadOf: Uint32Array;
  /** Where the segment begins (2i) and ends (2i + 1): a number that other segments have too which begin or end there. */
  cornerOf: Uint32Array;
  /** The segments that meet at corner c, from meeting[firstMeeting[c]] up to meeting[firstMeeting[c + 1]]. */
  meeting: Uint32Array;
  firstMeeting: Uint32Array;
  /** 1 where the segment begins (2i) or ends (2i + 1) a road: no other meets it there. */
  isDeadEnd: Uint8Array;
};

/** So that two of their numbers make one exact number. */
const MOST_CORNERS = 2 ** 26;

/**
 * Segments of the roads by class. What lies there twice (a road of two names is listed under each in TIGER) is kept once, under
 * the higher class.
 */
export function centrelines(
  roads: readonly { class: RoadClass; line: readonly Position[] }[],
  plane: Plane,
): Centrelines {
  const ends: number[] = [];
  const classes: number[] = [];
  const owners: number[] = [];
  const corners: number[] = [];
  const known = new Set<number>();
  const numbers = new Map<number, Map<number, number>>();
  let cornerCount = 0;
  const cornerAt = ([lon, lat]: Position): number => {
    let ofLon = numbers.get(lon);
    if (ofLon === undefined) {
      ofLon = new Map();
      numbers.set(lon, ofLon);
    }
    let number = ofLon.get(lat);
    if (number === undefined) {
      number = cornerCount++;
      ofLon.set(lat, number);
    }
    return number;
  };
  CLASSES.forEach((name, rank) => {
    for (const [owner, road] of roads.entries()) {
      if (road.class !== name) continue;
      for (let i = 1; i < road.line.length; i++) {
        const a = cornerAt(road.line[i - 1]!);
        const b = cornerAt(road.line[i]!);
        const key = Math.min(a, b) * MOST_CORNERS + Math.max(a, b);
        if (a === b || known.has(key)) continue;
        known.add(key);
        const [ax, ay] = plane.toPlane(road.line[i - 1]!);
        const [bx, by] = plane.toPlane(road.line[i]!);
        ends.push(ax, ay, bx, by);
        corners.push(a, b);
        classes.push(rank);
        owners.push(owner);
      }
    }
  });
  const segments = segmentsOf(Float64Array.from(ends));
  const cornerOf = Uint32Array.from(corners);
  const { firstMeeting, meeting } = meetings(corners, cornerCount);
  const { x1, y1, x2, y2, index } = segments;
  const classOf = Uint8Array.from(classes);
  const roadOf = Uint32Array.from(owners);
  const isDeadEnd = deadEnds(segments, cornerOf, firstMeeting);
  // Named one by one: what is spread into an object gets a shape of its own, for which V8 would compile everything anew.
  return { x1, y1, x2, y2, index, classOf, roadOf, cornerOf, meeting, firstMeeting, isDeadEnd };
}

/** The segments at each corner, by counting sort. */
function meetings(corners: readonly number[], count: number) {
  const firstMeeting = new Uint32Array(count + 1);
  for (const corner of corners) firstMeeting[corner + 1]!++;
  for (let c = 0; c < count; c++) firstMeeting[c + 1]! += firstMeeting[c]!;
  const next = firstMeeting.slice();
  const meeting = new Uint32Array(corners.length);
  corners.forEach((corner, i) => {
    meeting[next[corner]!++] = i >> 1;
  });
  return { firstMeeting, meeting };
}

function deadEnds(segments: Segments, cornerOf: Uint32Array, firstMeeting: Uint32Array): Uint8Array {
  const dead = new Uint8Array(cornerOf.length);
  for (let end = 0; end < cornerOf.length; end++) {
    const corner = cornerOf[end]!;
    if (firstMeeting[corner + 1]! - firstMeeting[corner]! > 1) continue;
    const own = end >> 1;
    const x = end % 2 === 0 ? segments.x1[own]! : segments.x2[own]!;
    const y = end % 2 === 0 ? segments.y1[own]! : segments.y2[own]!;
    let isMet = false;
    segments.index!.search(x - MEETING_M, y - MEETING_M, x + MEETING_M, y + MEETING_M, other => {
      isMet ||= other !== own && distanceTo(segments, other, x, y) <= MEETING_M;
      return false;
    });
    dead[end] = isMet ? 0 : 1;
  }
  return dead;
}
