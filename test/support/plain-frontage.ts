import Flatbush from 'flatbush';
import { boxOfLine } from '../../shared/geo/box.ts';
import type { Position } from '../../shared/geo/geometry-types.ts';
import type { Frontage, Neighbor, Road } from '../../shared/kernels/frontage/frontage.ts';
import { planeAround } from '../../shared/kernels/frontage/plane.ts';
import type { RoadReach } from '../../shared/kernels/frontage/rules.ts';
import {
  areaOf,
  cross,
  direction,
  distance,
  eachPiece,
  edgesOf,
  type Ground,
  gap,
  holds,
  type Line,
  nearestPoint,
  onward,
  type Point,
} from './plain-lines.ts';

/** A segment of the line that belongs to `road`. A lower `order` takes precedence. */
type Centerline = {
  line: Line;
  ends: readonly [string, string];
  class: keyof RoadReach;
  order: number;
  road: Road;
};
/** One polygon of a parcel, with its holes. */
type Part = Ground & { areaM2: number };

const FOOT_M = 0.3048;
const HALF_WAY_M = 5.0292;
const CONTACT_M = 0.06;
const OVERLAP_M = 0.25;
const BULB_M = 18.288;
const HALF_STREET_M = 7.62;
const MAX_ANGLE = (52.5 * Math.PI) / 180;
const PARALLEL = Math.PI / 6;

/**
 * A simple implementation of frontage: it checks every half meter of every boundary. Candidates come from
 * spatial indexes of whole centerline segments and whole parcels.
 */
export function plainFrontage(
  roads: readonly Road[],
  parcels: readonly Neighbor[],
  reachM: RoadReach,
): { of(id: number): Frontage } {
  const onPublic = reading(
    roads.filter(road => road.class !== 'private'),
    parcels,
    reachM,
  );
  const onAll = roads.some(road => road.class === 'private') ? reading(roads, parcels, reachM) : onPublic;
  return {
    of(id) {
      const frontage = onPublic.of(id);
      if (frontage.access === 'public_road') return frontage;
      return { ...frontage, access: onAll.of(id).access === 'none' ? 'none' : 'private_road' };
    },
  };
}

/** Frontage on the given roads. Access is `none` if a parcel has no frontage and touches none of them. */
function reading(
  roads: readonly Road[],
  parcels: readonly Neighbor[],
  reachM: RoadReach,
): { of(id: number): Frontage } {
  const { toPlane } = planeAround(middleOf(parcels));
  const centerlines = withoutRepeats(roads).map(
    ({ road, ends: [a, b] }, order): Centerline => ({
      class: road.class,
      line: [toPlane(a), toPlane(b)],
      ends: [String(a), String(b)],
      order,
      road,
    }),
  );
  const meeting = new Map<string, Centerline[]>();
  for (const road of centerlines) {
    for (const end of road.ends) meeting.set(end, [...(meeting.get(end) ?? []), road]);
  }
  const grounds = new Map(
    parcels.map(({ id, shape }) => [
      id,
      { edges: shape.flat().flatMap(ring => edgesOf(ring.map(toPlane))) } satisfies Ground,
    ]),
  );
  const roadIndex = indexed(centerlines, ({ line }) => line);
  const parts = parcels.flatMap(({ shape }) =>
    shape.map((polygon): Part => {
      const rings = polygon.map(ring => edgesOf(ring.map(toPlane)));
      const [shellM2 = 0, ...holesM2] = rings.map(areaOf);
      return { edges: rings.flat(), areaM2: holesM2.reduce((sum, holeM2) => sum - holeM2, shellM2) };
    }),
  );
  const partIndex = indexed(parts, ({ edges }) => edges.flat());
  const isWay = wayTest(centerlines, reachM);
  const searchM = Math.max(...Object.values(reachM)) + BULB_M;

  /**
   * Whether `road` continues beyond this end with a segment that comes closer to p than the end itself does.
   * If so, p doesn't face this end.
   */
  function goesOn(road: Centerline, at: Point, p: Point): boolean {
    return [0, 1].some(end => {
      const corner = road.line[end]!;
      if (at[0] !== corner[0] || at[1] !== corner[1]) return false;
      return meeting.get(road.ends[end]!)!.some(other => {
        if (other === road) return false;
        const far = other.line[other.ends[0] === road.ends[end] ? 1 : 0];
        return (p[0] - at[0]) * (far[0] - at[0]) + (p[1] - at[1]) * (far[1] - at[1]) > 0;
      });
    });
  }

  function isFree({ road }: Centerline, [ax, ay]: Point, [bx, by]: Point): boolean {
    const box = [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)] as const;
    const blocks = (ground: Ground) =>
      holds(ground, [ax, ay]) ||
      ground.edges.some(edge =>
        cross(edge, [
          [ax, ay],
          [bx, by],
        ]),
      );
    return partIndex(...box).every(part => !blocks(part) || isWay(part, road));
  }

  /**
   * The road's dead end within centimeters of a point, and the vertex before it. A dead end has no other road
   * within a meter.
   */
  function deadEnd({ line }: Centerline, at: Point): { end: Point; before: Point } | undefined {
    const [a, b] = line;
    for (const [end, before] of [
      [a, b],
      [b, a],
    ] as const) {
      const [x, y] = end;
      if (distance(end, at) > CONTACT_M) continue;
      const near = roadIndex(x - 1, y - 1, x + 1, y + 1);
      if (near.every(other => other.line === line || distance(nearestPoint(other.line, end), end) > 1))
        return { end, before };
    }
    return undefined;
  }

  /**
   * Whether the street ends at p's boundary or before it, not far to the side, with the boundary across its
   * direction.
   */
  function liesAcross(
    p: Point,
    normal: Point,
    road: Centerline,
    { end, before }: { end: Point; before: Point },
  ): boolean {
    const [dx, dy] = direction([before, end]);
    if (-(dx * normal[0] + dy * normal[1]) < Math.cos(MAX_ANGLE)) return false;
    if (Math.abs(dx * (p[1] - end[1]) - dy * (p[0] - end[0])) > HALF_STREET_M) return false;
    if ((end[0] - p[0]) * normal[0] + (end[1] - p[1]) * normal[1] < -CONTACT_M) return false;
    const from = onward(p, [dx, dy], -OVERLAP_M);
    const distanceM = distance(from, end);
    return distanceM <= HALF_WAY_M || isFree(road, from, onward(end, direction([end, from]), HALF_WAY_M));
  }

  function isFaced(p: Point, normal: Point, road: Centerline, at: Point, distanceM: number): boolean {
    if (distanceM <= CONTACT_M) {
      const [dx, dy] = direction(road.line);
      return Math.abs(dx * normal[1] - dy * normal[0]) >= Math.cos(MAX_ANGLE);
    }
    const way: Point = [(at[0] - p[0]) / distanceM, (at[1] - p[1]) / distanceM];
    if (way[0] * normal[0] + way[1] * normal[1] < Math.cos(MAX_ANGLE)) return false;
    if (distanceM <= HALF_WAY_M + OVERLAP_M) return true;
    return isFree(road, onward(p, way, OVERLAP_M), onward(p, way, distanceM - HALF_WAY_M));
  }

  /** The class of the nearest road that a boundary point faces. */
  function faced(p: Point, normal: Point): keyof RoadReach | undefined {
    const [x, y] = p;
    return roadIndex(x - searchM, y - searchM, x + searchM, y + searchM)
      .map(road => {
        const at = nearestPoint(road.line, p);
        return { road, at, distanceM: distance(at, p) };
      })
      .filter(({ road, distanceM }) => distanceM <= reachM[road.class] + BULB_M)
      .sort((a, b) => a.distanceM - b.distanceM || RANK[a.road.class] - RANK[b.road.class])
      .find(({ road, at, distanceM }) => {
        if (goesOn(road, at, p)) return false;
        const dead = deadEnd(road, at);
        if (dead === undefined && distanceM > reachM[road.class]) return false;
        return (
          isFaced(p, normal, road, at, distanceM) || (dead !== undefined && liesAcross(p, normal, road, dead))
        );
      })?.road.class;
  }

  /**
   * Whether a parallel line next to this point already counts for it: an earlier line, or one outside the
   * parcel.
   */
  function isRepeat(ground: Ground, own: Centerline, q: Point): boolean {
    const [x, y] = q;
    return roadIndex(x - HALF_WAY_M, y - HALF_WAY_M, x + HALF_WAY_M, y + HALF_WAY_M).some(other => {
      if (other === own) return false;
      const [ux, uy] = direction(other.line);
      const [vx, vy] = direction(own.line);
      if (Math.abs(ux * vx + uy * vy) < Math.cos(PARALLEL)) return false;
      const [from, to] = other.line;
      if ((x - from[0]) * ux + (y - from[1]) * uy < 0 || (x - to[0]) * ux + (y - to[1]) * uy > 0)
        return false;
      const at = nearestPoint(other.line, q);
      return distance(at, q) <= HALF_WAY_M && (other.order < own.order || !isIn(ground, at));
    });
  }

  return {
    of(id) {
      const ground = grounds.get(id)!;
      const lengthM = { highway: 0, normal: 0, local: 0, private: 0 };
      for (const edge of ground.edges) {
        const [dx, dy] = direction(edge);
        // The outer side is the one without the parcel's land very close to the edge's middle.
        const right: Point = [dy, -dx];
        const middle: Point = [(edge[0][0] + edge[1][0]) / 2, (edge[0][1] + edge[1][1]) / 2];
        const normal: Point = holds(ground, onward(middle, right, 1e-5)) ? [-dy, dx] : right;
        eachPiece(edge, (p, pieceM) => {
          const name = faced(p, normal);
          if (name !== undefined) lengthM[name] += pieceM;
        });
      }
      const around = roadIndex(...boxOf(ground));
      for (const road of around) {
        eachPiece(road.line, (q, pieceM) => {
          const sides = sidesInside(ground, q, direction(road.line));
          if (sides > 0 && !isRepeat(ground, road, q)) lengthM[road.class] += sides * pieceM;
        });
      }
      const noFrontage = Object.values(lengthM).every(meters => meters === 0);
      return {
        highwayFt: lengthM.highway / FOOT_M,
        normalFt: lengthM.normal / FOOT_M,
        localFt: lengthM.local / FOOT_M,
        access: noFrontage && !around.some(({ line }) => touches(ground, line)) ? 'none' : 'public_road',
      };
    },
  };
}

/** Center of the box around all parcels, as in the kernel. */
function middleOf(parcels: readonly Neighbor[]): Position {
  const shells = parcels.flatMap(({ shape }) => shape.flatMap(polygon => polygon[0]!));
  if (shells.length === 0) return [0, 0];
  const [west, south, east, north] = boxOfLine(shells);
  return [(west + east) / 2, (south + north) / 2];
}

/** A parcel's west, south, east, and north, with a margin of half a right-of-way. */
function boxOf({ edges }: Ground): [number, number, number, number] {
  const xs = edges.map(([[x]]) => x);
  const ys = edges.map(([[, y]]) => y);
  return [
    Math.min(...xs) - HALF_WAY_M,
    Math.min(...ys) - HALF_WAY_M,
    Math.max(...xs) + HALF_WAY_M,
    Math.max(...ys) + HALF_WAY_M,
  ];
}

function touches(ground: Ground, line: Line): boolean {
  return holds(ground, line[0]) || ground.edges.some(edge => gap(edge, line) <= HALF_WAY_M);
}

const RANK = { highway: 0, normal: 1, local: 2, private: 3 };

/** Segments by class, in the given order, without repeats. */
function withoutRepeats(roads: readonly Road[]) {
  const cache = new Map<string, { road: Road; ends: [Position, Position] }>();
  for (const road of roads.toSorted((a, b) => RANK[a.class] - RANK[b.class])) {
    road.line.slice(1).forEach((to, i) => {
      const from = road.line[i]!;
      const key = [String(from), String(to)].sort().join(' ');
      if (String(from) !== String(to) && !cache.has(key)) cache.set(key, { road, ends: [from, to] });
    });
  }
  return [...cache.values()];
}

/** Tests whether a parcel's polygon is a road's right-of-way, and caches the results. */
function wayTest(centerlines: readonly Centerline[], reachM: RoadReach) {
  const linesOf = new Map<Road, Line[]>();
  for (const { road, line } of centerlines) linesOf.set(road, [...(linesOf.get(road) ?? []), line]);
  const cache = new Map<Part, Map<Road, boolean>>();

  function isWay(part: Part, road: Road): boolean {
    const halfM = part.edges.reduce((sum, [a, b]) => sum + distance(a, b), 0) / 2;
    // length + width = half of the perimeter, length * width = area
    const root = Math.sqrt(halfM ** 2 / 4 - part.areaM2);
    const [lengthM, widthM] = [halfM / 2 + root, halfM / 2 - root];
    if (!(lengthM >= 4 * widthM && widthM <= 2 * reachM[road.class])) return false;
    let wholeM = 0;
    let alongM = 0;
    for (const line of linesOf.get(road)!) {
      eachPiece(line, (q, pieceM) => {
        wholeM += pieceM;
        if (sidesInside(part, q, direction(line)) === 2) alongM += pieceM;
      });
    }
    return alongM >= 1.5 * widthM || alongM >= wholeM - 1e-6;
  }

  return (part: Part, road: Road): boolean => {
    const ofPart = cache.get(part) ?? new Map<Road, boolean>();
    cache.set(part, ofPart);
    const answer = ofPart.get(road) ?? isWay(part, road);
    ofPart.set(road, answer);
    return answer;
  };
}

/** Whether q is inside, not on the boundary. */
function isIn(ground: Ground, q: Point): boolean {
  return holds(ground, q) && ground.edges.every(edge => distance(nearestPoint(edge, q), q) > CONTACT_M);
}

/** On how many sides of a road point the polygon continues. */
function sidesInside(ground: Ground, q: Point, along: Point): number {
  if (!isIn(ground, q)) return 0;
  const left: Point = [-along[1], along[0]];
  return [HALF_WAY_M, -HALF_WAY_M].filter(off => holds(ground, onward(q, left, off))).length;
}

function indexed<T>(things: readonly T[], pointsOf: (thing: T) => readonly Point[]) {
  const index = new Flatbush(Math.max(1, things.length));
  if (things.length === 0) index.add(Infinity, Infinity, Infinity, Infinity);
  for (const thing of things) {
    const points = pointsOf(thing);
    const xs = points.map(([x]) => x);
    const ys = points.map(([, y]) => y);
    index.add(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
  }
  index.finish();
  return (minX: number, minY: number, maxX: number, maxY: number): T[] =>
    things.length === 0 ? [] : index.search(minX, minY, maxX, maxY).map(i => things[i]!);
}
