import { boxOf, padBox } from '../../geo/box.ts';
import type { MultiPolygon, Position } from '../../geo/geometry-types.ts';
import { M_PER_FT } from '../../geo/units.ts';
import { centerlines } from './centrelines.ts';
import { corridorRule } from './corridors.ts';
import { facingRule, type Neighborhood } from './facing.ts';
import { boxOfSegment, isInside, type PreparedPolygon, prepareParcels } from './grounds.ts';
import { planeAround } from './plane.ts';
import {
  BULB_M,
  CLASSES_BY_RANK,
  CORRIDOR_M,
  HALF_RIGHT_OF_WAY_M,
  MAX_CORRIDOR_M,
  OVERLAP_M,
  type RoadClass,
  type RoadReach,
  TOLERANCE_M,
} from './rules.ts';
import {
  addPiece,
  distanceTo,
  interpolate,
  lengthOfStretch,
  piecesAlong,
  type Segments,
  type Stretch,
} from './segments.ts';
import { centerlinesInsideOnce } from './through.ts';
import { findPublicWays } from './ways.ts';

export type { RoadClass, RoadReach } from './rules.ts';

/** The centerline of a road for cars, as [lon, lat] in degrees. */
export type Road = { class: RoadClass; line: readonly Position[] };

/** A parcel, as [lon, lat] in degrees. Rings are closed, with the exterior first. Winding doesn't matter. */
export type Neighbor = { id: number; shape: MultiPolygon };

/**
 * How a parcel can be reached: by a mapped road that touches or faces it, by a corridor between parcels
 * (`unmapped`), or not at all.
 */
export type Access = 'public_road' | 'private_road' | 'unmapped' | 'none';

/** Lengths in international feet. */
export type Frontage = { highwayFt: number; normalFt: number; localFt: number; access: Access };

/**
 * Part of a boundary that faces a road, or part of a centerline inside the parcel. Its length counts once for
 * each of the `sides`.
 */
export type FacingStretch = { class: RoadClass; line: Position[]; sides: 1 | 2 };

export type PreparedFrontage = {
  /** @throws RangeError for a parcel that isn't among the neighbors, like `facing` */
  of(id: number): Frontage;
  /** The stretches that make up the frontage, for maps. */
  facing(id: number): FacingStretch[];
};

/**
 * Computes road frontage and access as docs/land.md defines them.
 * @param roads roads for cars
 * @param parcels the parcels to compute, and all others within frontageMarginM of them
 */
export function prepareFrontage(
  roads: readonly Road[],
  parcels: readonly Neighbor[],
  reachM: RoadReach,
): PreparedFrontage {
  const shapes = parcels.map(({ shape }) => shape);
  const plane = planeAround(middleOf(shapes.flat()));
  const reaches = CLASSES_BY_RANK.map(name => reachM[name]);
  const prepared = prepareParcels(shapes, plane);
  const numberOf = new Map(parcels.map(({ id }, i) => [id, i]));
  const prepare = (some: readonly Road[]) => {
    const lines = centerlines(some, plane);
    const near = { parcels: prepared, roads: lines, ways: findPublicWays(prepared, lines, reaches) };
    return { lines, facing: facingStretches(near, reaches), near };
  };
  const publicRoads = prepare(roads.filter(road => road.class !== 'private'));
  let allRoads = roads.some(road => road.class === 'private') ? null : publicRoads;
  let hasCorridor: ReturnType<typeof corridorRule> | null = null;

  function polygonOf(id: number): PreparedPolygon {
    const parcel = numberOf.get(id);
    if (parcel === undefined) throw new RangeError(`Parcel ${id} is not among the neighbors.`);
    return prepared.parcels[parcel]!;
  }

  const frontageOf = (polygon: PreparedPolygon): Stretch[] => [
    ...publicRoads.facing(polygon),
    ...centerlinesInsideOnce(publicRoads.lines, polygon),
  ];

  /** The access of a parcel without frontage. */
  function accessOf(polygon: PreparedPolygon): Access {
    if (isTouched(polygon, publicRoads.lines)) return 'public_road';
    allRoads ??= prepare(roads);
    if (isTouched(polygon, allRoads.lines) || allRoads.facing(polygon).length > 0) return 'private_road';
    hasCorridor ??= corridorRule(allRoads.near, reaches);
    return hasCorridor(polygon) ? 'unmapped' : 'none';
  }

  return {
    of(id) {
      const polygon = polygonOf(id);
      const feet = CLASSES_BY_RANK.map(() => 0);
      for (const stretch of frontageOf(polygon))
        feet[stretch.rank]! += (stretch.sides * lengthOfStretch(stretch)) / M_PER_FT;
      const [highwayFt, normalFt, localFt] = feet as [number, number, number];
      const access = highwayFt + normalFt + localFt > 0 ? 'public_road' : accessOf(polygon);
      return { highwayFt, normalFt, localFt, access };
    },
    facing: id => joinStretches(frontageOf(polygonOf(id)), plane.toDegrees),
  };
}

/** The maximum distance at which roads and other parcels can change a parcel's frontage and access. */
export function frontageMarginM(reachM: RoadReach): number {
  const facingM = Math.max(...CLASSES_BY_RANK.map(name => reachM[name])) + BULB_M;
  return Math.max(facingM, CORRIDOR_M + MAX_CORRIDOR_M);
}

function middleOf(polygons: MultiPolygon): Position {
  const [west, south, east, north] = boxOf(polygons);
  return west <= east ? [(west + east) / 2, (south + north) / 2] : [0, 0];
}

/**
 * Whether a road crosses or touches a parcel: part of the parcel is within half a right-of-way of a
 * centerline.
 */
function isTouched(polygon: PreparedPolygon, roads: Segments): boolean {
  const touches = (segment: number): boolean => {
    for (let e = polygon.from; e < polygon.to; e++)
      if (areNear(polygon.edges, e, roads, segment)) return true;
    return isInside(polygon, roads.x1[segment]!, roads.y1[segment]!);
  };
  return roads.index?.collides(...padBox(polygon.box, HALF_RIGHT_OF_WAY_M), touches) ?? false;
}

/**
 * Whether two segments come within half a right-of-way of each other. Unless they cross, they are closest to
 * each other at one of their four ends.
 */
function areNear(a: Segments, i: number, b: Segments, j: number): boolean {
  const [px, py, qx, qy] = [a.x1[i]!, a.y1[i]!, a.x2[i]!, a.y2[i]!];
  const [sx, sy, tx, ty] = [b.x1[j]!, b.y1[j]!, b.x2[j]!, b.y2[j]!];
  return (
    distanceTo(b, j, px, py) <= HALF_RIGHT_OF_WAY_M ||
    distanceTo(b, j, qx, qy) <= HALF_RIGHT_OF_WAY_M ||
    distanceTo(a, i, sx, sy) <= HALF_RIGHT_OF_WAY_M ||
    distanceTo(a, i, tx, ty) <= HALF_RIGHT_OF_WAY_M ||
    (isLeft(sx, sy, tx, ty, px, py) !== isLeft(sx, sy, tx, ty, qx, qy) &&
      isLeft(px, py, qx, qy, sx, sy) !== isLeft(px, py, qx, qy, tx, ty))
  );
}

function isLeft(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0;
}

/** Joins consecutive stretches into lines, in degrees. */
function joinStretches(
  stretches: readonly Stretch[],
  toDegrees: (x: number, y: number) => Position,
): FacingStretch[] {
  const lines: FacingStretch[] = [];
  let before: Stretch | undefined;
  for (const each of stretches) {
    const [x, y] = pointAt(each, each.from);
    const end = toDegrees(...pointAt(each, each.to));
    const [lastX, lastY] = before === undefined ? [Infinity, Infinity] : pointAt(before, before.to);
    const follows =
      before?.lines === each.lines &&
      before.rank === each.rank &&
      before.sides === each.sides &&
      Math.hypot(x - lastX, y - lastY) < TOLERANCE_M;
    if (follows) lines.at(-1)!.line.push(end);
    else lines.push({ class: CLASSES_BY_RANK[each.rank]!, line: [toDegrees(x, y), end], sides: each.sides });
    before = each;
  }
  return lines;
}

function pointAt({ lines: { x1, y1, x2, y2 }, i, pieces }: Stretch, piece: number): [x: number, y: number] {
  return [interpolate(x1[i]!, x2[i]!, piece / pieces), interpolate(y1[i]!, y2[i]!, piece / pieces)];
}

/** Parts of an edge with this many pieces or fewer aren't divided further. */
const MIN_SPLIT_PIECES = 16;

/** Finds the stretches of a parcel's boundary that face a road. @param reachM reach by rank of class */
function facingStretches(
  near: Neighborhood,
  reachM: readonly number[],
): (polygon: PreparedPolygon) => Stretch[] {
  const { parcels, roads } = near;
  const faced = facingRule(near, reachM);
  const searchM = Math.max(0, ...reachM.filter((_, rank) => roads.classOf.includes(rank))) + BULB_M;
  return polygon => {
    const stretches: Stretch[] = [];
    if (roads.index === null || roads.index.search(...padBox(polygon.box, searchM)).length === 0)
      return stretches;
    const { edges } = polygon;
    for (let edge = polygon.from; edge < polygon.to; edge++) {
      const box = boxOfSegment(edges, edge);
      const candidates = roads.index.search(...padBox(box, searchM));
      const { pieces, x, y, stepX, stepY, stepM, alongX, alongY } = piecesAlong(edges, edge);
      if (candidates.length === 0 || pieces === 0) continue;
      const parts = parcels.partIndex!.search(...padBox(box, OVERLAP_M)).map(part => parcels.parts[part]!);
      // The parcel is on the left of its edges, so the outside is on the right.
      const point = { x: 0, y: 0, normalX: alongY, normalY: -alongX, parts };
      /**
       * Applies the rule to each piece. Halves the edge first to rule out roads that are out of reach of one
       * half.
       */
      const walk = (from: number, to: number, roadsNear: readonly number[]): void => {
        point.x = x + ((from + to) / 2) * stepX;
        point.y = y + ((from + to) / 2) * stepY;
        const spreadM = ((to - from) / 2) * stepM + BULB_M;
        const inReach = roadsNear.filter(
          road => distanceTo(roads, road, point.x, point.y) <= reachM[roads.classOf[road]!]! + spreadM,
        );
        if (inReach.length === 0) return;
        if (to - from > MIN_SPLIT_PIECES) {
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
