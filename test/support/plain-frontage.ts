import Flatbush from 'flatbush';
import type { Frontage, Neighbour, Road } from '../../shared/kernels/frontage/frontage.ts';
import { planeAround } from '../../shared/kernels/frontage/plane.ts';
import type { RoadReach } from '../../shared/kernels/frontage/rules.ts';
import { ringExtent } from '../../shared/kernels/geometry/extent.ts';
import type { Position } from '../../shared/kernels/geometry/types.ts';

type Point = readonly [x: number, y: number];
type Line = readonly [from: Point, to: Point];
type Centreline = { line: Line; ends: readonly [string, string]; class: keyof RoadReach };
type Ground = { edges: Line[] };

const FOOT_M = 0.3048;
const HALF_WAY_M = 5.0292;
const CONTACT_M = 0.06;
const OVERLAP_M = 0.25;
const BULB_M = 18.288;
const HALF_STREET_M = 7.62;
const WIDEST_ANGLE = (52.5 * Math.PI) / 180;

/**
 * The definition of frontage read plainly: every piece of half a metre of every boundary is asked, with spatial indexes of whole centreline
 * segments and whole parcels to tell which come into question.
 */
export function plainFrontage(
  roads: readonly Road[],
  parcels: readonly Neighbour[],
  reachM: RoadReach,
): { of(id: number): Frontage } {
  const { toPlane } = planeAround(middleOf(parcels));
  const centrelines = withoutRepeats(roads).map(
    ({ class: name, ends: [a, b] }): Centreline => ({
      class: name,
      line: [toPlane(a), toPlane(b)],
      ends: [String(a), String(b)],
    }),
  );
  const meeting = new Map<string, Centreline[]>();
  for (const road of centrelines) {
    for (const end of road.ends) meeting.set(end, [...(meeting.get(end) ?? []), road]);
  }
  const grounds = new Map(
    parcels.map(({ id, shape }) => [
      id,
      { edges: shape.flat().flatMap(ring => edgesOf(ring.map(toPlane))) } satisfies Ground,
    ]),
  );
  const roadIndex = indexed(centrelines, ({ line }) => line);
  const groundIndex = indexed([...grounds.values()], ({ edges }) => edges.flat());
  const searchM = Math.max(...Object.values(reachM)) + BULB_M;

  /** Does a road that meets `road` at one of its ends come nearer to p than that end? Then the end is no place to face. */
  function goesOn(road: Centreline, at: Point, p: Point): boolean {
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

  function isFree([ax, ay]: Point, [bx, by]: Point): boolean {
    const box = [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)] as const;
    return groundIndex(...box).every(
      ground =>
        !holds(ground, [ax, ay]) &&
        !ground.edges.some(edge =>
          cross(edge, [
            [ax, ay],
            [bx, by],
          ]),
        ),
    );
  }

  /** The end of the road, and the one before, that is within centimetres of a place if there is no other road within a metre. */
  function deadEnd({ line }: Centreline, at: Point): { end: Point; before: Point } | undefined {
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

  /** Does the street end at p's boundary or before it, not far to the side, and does the boundary lie across it? */
  function liesAcross(p: Point, normal: Point, { end, before }: { end: Point; before: Point }): boolean {
    const [dx, dy] = direction([before, end]);
    if (-(dx * normal[0] + dy * normal[1]) < Math.cos(WIDEST_ANGLE)) return false;
    if (Math.abs(dx * (p[1] - end[1]) - dy * (p[0] - end[0])) > HALF_STREET_M) return false;
    if ((end[0] - p[0]) * normal[0] + (end[1] - p[1]) * normal[1] < -CONTACT_M) return false;
    const from = onward(p, [dx, dy], -OVERLAP_M);
    const distanceM = distance(from, end);
    return distanceM <= HALF_WAY_M || isFree(from, onward(end, direction([end, from]), HALF_WAY_M));
  }

  function isFaced(p: Point, normal: Point, road: Centreline, at: Point, distanceM: number): boolean {
    if (distanceM <= CONTACT_M) {
      const [dx, dy] = direction(road.line);
      return Math.abs(dx * normal[1] - dy * normal[0]) >= Math.cos(WIDEST_ANGLE);
    }
    const way: Point = [(at[0] - p[0]) / distanceM, (at[1] - p[1]) / distanceM];
    if (way[0] * normal[0] + way[1] * normal[1] < Math.cos(WIDEST_ANGLE)) return false;
    if (distanceM <= HALF_WAY_M + OVERLAP_M) return true;
    return isFree(onward(p, way, OVERLAP_M), onward(p, way, distanceM - HALF_WAY_M));
  }

  /** The class of road that a point of a boundary faces: that of the nearest it does. */
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
        return isFaced(p, normal, road, at, distanceM) || (dead !== undefined && liesAcross(p, normal, dead));
      })?.road.class;
  }

  function sidesInside(ground: Ground, q: Point, along: Point): number {
    if (!holds(ground, q)) return 0;
    if (ground.edges.some(edge => distance(nearestPoint(edge, q), q) <= CONTACT_M)) return 0;
    const left: Point = [-along[1], along[0]];
    return [HALF_WAY_M, -HALF_WAY_M].filter(off => holds(ground, onward(q, left, off))).length;
  }

  return {
    of(id) {
      const ground = grounds.get(id)!;
      const lengthM = { highway: 0, normal: 0, local: 0 };
      for (const edge of ground.edges) {
        const [dx, dy] = direction(edge);
        // The outer side is the one on which, a hair from the edge's middle, there is none of the parcel's ground.
        const right: Point = [dy, -dx];
        const middle: Point = [(edge[0][0] + edge[1][0]) / 2, (edge[0][1] + edge[1][1]) / 2];
        const normal: Point = holds(ground, onward(middle, right, 1e-5)) ? [-dy, dx] : right;
        eachPiece(edge, (p, pieceM) => {
          const name = faced(p, normal);
          if (name !== undefined) lengthM[name] += pieceM;
        });
      }
      const around = roadIndex(...boxOf(ground));
      for (const { line, class: name } of around) {
        eachPiece(line, (q, pieceM) => {
          lengthM[name] += sidesInside(ground, q, direction(line)) * pieceM;
        });
      }
      const noFrontage = lengthM.highway + lengthM.normal + lengthM.local === 0;
      return {
        highwayFt: lengthM.highway / FOOT_M,
        normalFt: lengthM.normal / FOOT_M,
        localFt: lengthM.local / FOOT_M,
        landlocked: noFrontage && !around.some(({ line }) => touches(ground, line)),
      };
    },
  };
}

/** Of the box around all, as the kernel has it. */
function middleOf(parcels: readonly Neighbour[]): Position {
  const shells = parcels.flatMap(({ shape }) => shape.flatMap(polygon => polygon[0]!));
  if (shells.length === 0) return [0, 0];
  const [west, south, east, north] = ringExtent(shells);
  return [(west + east) / 2, (south + north) / 2];
}

/** West, south, east and north of a parcel and half a way around it. */
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

const RANK = { highway: 0, normal: 1, local: 2 };

function withoutRepeats(roads: readonly Road[]) {
  const known = new Map<string, { class: Road['class']; ends: [Road['line'][0], Road['line'][0]] }>();
  for (const { class: name, line } of roads) {
    line.slice(1).forEach((to, i) => {
      const from = line[i]!;
      const key = [String(from), String(to)].sort().join(' ');
      if (String(from) === String(to)) return;
      const before = known.get(key);
      if (before === undefined || RANK[name] < RANK[before.class])
        known.set(key, { class: name, ends: before?.ends ?? [from, to] });
    });
  }
  return [...known.values()];
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

function edgesOf(ring: readonly Point[]): Line[] {
  return ring.slice(1).map((to, i) => [ring[i]!, to]);
}

/** Half a metre at most, all pieces of a line equal. */
function eachPiece([[ax, ay], [bx, by]]: Line, visit: (middle: Point, pieceM: number) => void): void {
  const lengthM = Math.hypot(bx - ax, by - ay);
  const count = Math.ceil(lengthM / 0.5);
  for (let k = 0; k < count; k++) {
    const share = (k + 0.5) / count;
    visit([ax + share * (bx - ax), ay + share * (by - ay)], lengthM / count);
  }
}

function nearestPoint([[ax, ay], [bx, by]]: Line, [x, y]: Point): Point {
  const [dx, dy] = [bx - ax, by - ay];
  const share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  if (!(share > 0)) return [ax, ay];
  return share >= 1 ? [bx, by] : [ax + share * dx, ay + share * dy];
}

const distance = ([ax, ay]: Point, [bx, by]: Point) => Math.sqrt((bx - ax) ** 2 + (by - ay) ** 2);
const onward = ([x, y]: Point, [dx, dy]: Point, byM: number): Point => [x + byM * dx, y + byM * dy];

function direction([[ax, ay], [bx, by]]: Line): Point {
  const lengthM = Math.hypot(bx - ax, by - ay);
  return [(bx - ax) / lengthM, (by - ay) / lengthM];
}

/** How far (x, y) lies left of a line, times its length. */
const leftOf = ([[ax, ay], [bx, by]]: Line, [x, y]: Point) => (bx - ax) * (y - ay) - (by - ay) * (x - ax);

function cross(a: Line, b: Line): boolean {
  return leftOf(a, b[0]) > 0 !== leftOf(a, b[1]) > 0 && leftOf(b, a[0]) > 0 !== leftOf(b, a[1]) > 0;
}

function gap(a: Line, b: Line): number {
  if (cross(a, b)) return 0;
  const ends = [
    [a, b[0]],
    [a, b[1]],
    [b, a[0]],
    [b, a[1]],
  ] as const;
  return Math.min(...ends.map(([line, p]) => distance(nearestPoint(line, p), p)));
}

/** Even-odd. */
function holds({ edges }: Ground, [x, y]: Point): boolean {
  let inside = false;
  for (const [[ax, ay], [bx, by]] of edges) {
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  }
  return inside;
}
