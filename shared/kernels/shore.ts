import { boxOf, padBox } from '../geo/box.ts';
import type { MultiPolygon } from '../geo/geometry-types.ts';
import { M_PER_FT } from '../geo/units.ts';
import {
  boxOfSegment,
  isInside,
  type PreparedParcels,
  type PreparedPolygon,
  prepareParcels,
} from './frontage/grounds.ts';
import { planeAround } from './frontage/plane.ts';
import { CONTACT_M, FACING_COS } from './frontage/rules.ts';
import { interpolate, nearestShare, piecesAlong, pointDistance } from './frontage/segments.ts';

/** A lake, river, or sea. */
export type Water = { name: string | null; shape: MultiPolygon };

/** Length of the shore, 0 if the parcel isn't on water, and the name of the water that has most of it. */
export type Shore = { feet: number; name: string | null };

export type PreparedShore = { of(shape: MultiPolygon): Shore };

/**
 * Maximum distance from a boundary to the water. Half of TIGER's lines are off by more than 3 m
 * (frontage/rules.ts), and rolls draw lots to the high-water mark.
 */
export const SHORE_M = 5;

const NO_SHORE: Shore = { feet: 0, name: null };

/** @param around the parcels to measure */
export function prepareShore(waters: readonly Water[], around: readonly MultiPolygon[]): PreparedShore {
  const [west, south, east, north] = boxOf(around.flat());
  if (waters.length === 0 || west > east) return { of: () => NO_SHORE };
  const plane = planeAround([(west + east) / 2, (south + north) / 2]);
  const water = prepareParcels(
    waters.map(({ shape }) => shape),
    plane,
  );
  const nameOfPart = waters.flatMap(({ name, shape }) => shape.map(() => name));
  const partOfEdge = new Uint32Array(water.edges.x1.length);
  for (const [i, { from, to }] of water.parts.entries()) partOfEdge.fill(i, from, to);

  return {
    of(shape) {
      const parcel = prepareParcels([shape], plane).parcels[0]!;
      const near = water.partIndex!.search(...padBox(parcel.box, SHORE_M));
      if (near.length === 0) return NO_SHORE;
      const lengths = new Map<number, number>();
      const met = new Set<number>();
      const add = (part: number, meters: number) => lengths.set(part, (lengths.get(part) ?? 0) + meters);
      measureBoundary(water, partOfEdge, near, parcel, met, add);
      for (const part of met) measureInside(water, near, part, parcel, add);
      return summarize(lengths, nameOfPart);
    },
  };
}

type Add = (part: number, meters: number) => void;

/** Adds the boundary on land that faces water within SHORE_M. Collects the water it meets in `met`. */
function measureBoundary(
  { edges, parts }: PreparedParcels,
  partOfEdge: Uint32Array,
  near: readonly number[],
  parcel: PreparedPolygon,
  met: Set<number>,
  add: Add,
): void {
  for (let edge = parcel.from; edge < parcel.to; edge++) {
    const shores = edges.index!.search(...padBox(boxOfSegment(parcel.edges, edge), SHORE_M));
    const { pieces, x, y, stepX, stepY, stepM, alongX, alongY } = piecesAlong(parcel.edges, edge);
    // If no shore is nearby, the whole edge is either on land or in the water, so one piece is enough.
    for (let piece = 0; piece < (shores.length === 0 ? Math.min(1, pieces) : pieces); piece++) {
      const [px, py] = [x + (piece + 0.5) * stepX, y + (piece + 0.5) * stepY];
      const around = near.filter(part => isInside(parts[part]!, px, py));
      for (const part of around) met.add(part);
      if (around.length > 0) continue;
      // The parcel is on the left of its edges, so the outside is on the right.
      const shore = nearestShore(edges, shores, px, py);
      if (shore === null || shore.distanceM > SHORE_M) continue;
      const part = partOfEdge[shore.edge]!;
      met.add(part);
      const towardM = (shore.x - px) * alongY - (shore.y - py) * alongX;
      const isFaced =
        shore.distanceM <= CONTACT_M
          ? runsAlong(edges, shore.edge, alongX, alongY)
          : towardM >= FACING_COS * shore.distanceM;
      if (isFaced) add(part, stepM);
    }
  }
}

function nearestShore(edges: PreparedParcels['edges'], candidates: readonly number[], x: number, y: number) {
  let nearest: { edge: number; x: number; y: number; distanceM: number } | null = null;
  for (const edge of candidates) {
    const share = nearestShare(edges, edge, x, y);
    const footX = interpolate(edges.x1[edge]!, edges.x2[edge]!, share);
    const footY = interpolate(edges.y1[edge]!, edges.y2[edge]!, share);
    const distanceM = pointDistance(footX, footY, x, y);
    if (nearest === null || distanceM < nearest.distanceM) nearest = { edge, x: footX, y: footY, distanceM };
  }
  return nearest;
}

/** Whether a boundary drawn on the shore runs along it, with the land on the same side. */
function runsAlong(edges: PreparedParcels['edges'], edge: number, alongX: number, alongY: number): boolean {
  const [dx, dy] = [edges.x2[edge]! - edges.x1[edge]!, edges.y2[edge]! - edges.y1[edge]!];
  return -(dx * alongX + dy * alongY) >= FACING_COS * Math.hypot(dx, dy);
}

/**
 * Adds the shore inside a parcel whose boundary runs into the water. Behind the shore, the parcel must have
 * land. A lake drawn as a parcel has none, so it has no shore.
 */
function measureInside(
  { edges, parts }: PreparedParcels,
  near: readonly number[],
  part: number,
  parcel: PreparedPolygon,
  add: Add,
): void {
  const { from, to } = parts[part]!;
  const [west, south, east, north] = parcel.box;
  const isWater = (x: number, y: number, except: number) =>
    near.some(other => other !== except && isInside(parts[other]!, x, y));
  for (const edge of edges.index!.search(west, south, east, north, e => e >= from && e < to)) {
    const { pieces, x, y, stepX, stepY, stepM, alongX, alongY } = piecesAlong(edges, edge);
    for (let piece = 0; piece < pieces; piece++) {
      const [px, py] = [x + (piece + 0.5) * stepX, y + (piece + 0.5) * stepY];
      if (!isInside(parcel, px, py)) continue;
      // The water is on the left of its edges.
      const [landX, landY] = [px + SHORE_M * alongY, py - SHORE_M * alongX];
      if (!isInside(parcel, landX, landY) || isWater(landX, landY, -1) || isWater(px, py, part)) continue;
      add(part, stepM);
    }
  }
}

function summarize(lengths: ReadonlyMap<number, number>, nameOfPart: readonly (string | null)[]): Shore {
  const byName = new Map<string, number>();
  let meters = 0;
  for (const [part, length] of lengths) {
    const name = nameOfPart[part];
    meters += length;
    if (name) byName.set(name, (byName.get(name) ?? 0) + length);
  }
  const [name = null] = [...byName]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([first]) => first);
  return { feet: meters / M_PER_FT, name };
}
