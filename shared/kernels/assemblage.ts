import Flatbush from 'flatbush';
import { withMarginE7 } from '../geo/box.ts';
import { toE7 } from '../geo/geometry-codec.ts';
import type { Box, MultiPolygon } from '../geo/geometry-types.ts';
import { acresTogether, type Land } from './acres-together.ts';
import { groupBy } from './groups.ts';
import { metersPerUnit } from './terrain/ground.ts';

/** Lots that are this close touch. Neighbors on a roll are often drawn with gaps of up to a meter. */
export const TOUCH_M = 1;
/** Lots that are this close belong together, because a road or a stream fits in between. */
export const NEAR_M = 30;

/** The edges of a boundary in 1e-7 degrees: x1, y1, x2, y2 of each in turn. */
export type Outline = {
  box: Box;
  edges: Float64Array;
  /** The first edge of each polygon. */
  parts: number[];
};

export function outlineOf(polygons: MultiPolygon): Outline {
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  const edges: number[] = [];
  const parts: number[] = [];
  for (const polygon of polygons) {
    parts.push(edges.length);
    for (const ring of polygon) {
      for (let i = 1; i < ring.length; i++) {
        const [x, y] = [toE7(ring[i]![0]), toE7(ring[i]![1])];
        edges.push(toE7(ring[i - 1]![0]), toE7(ring[i - 1]![1]), x, y);
        box[0] = Math.min(box[0], x);
        box[1] = Math.min(box[1], y);
        box[2] = Math.max(box[2], x);
        box[3] = Math.max(box[3], y);
      }
    }
  }
  return { box, edges: Float64Array.from(edges), parts };
}

/**
 * Pairs of lots of one owner whose boxes come within NEAR_M, as positions that take turns.
 * @param owners the number of each lot's owner
 * @param boxes west, south, east, and north of each lot in turn, in 1e-7 degrees. NaN for lots without a box
 */
export function nearbyPairs(owners: ArrayLike<number>, boxes: ArrayLike<number>): number[] {
  const lots = Array.from(owners, (_, lot) => lot).filter(lot => !Number.isNaN(boxes[4 * lot]));
  const pairs: number[] = [];
  if (lots.length === 0) return pairs;
  const boxAt = (lot: number) => [0, 1, 2, 3].map(side => boxes[4 * lot + side]!) as Box;
  const index = new Flatbush(lots.length);
  for (const lot of lots) index.add(...boxAt(lot));
  index.finish();
  for (const [place, lot] of lots.entries()) {
    const owner = owners[lot]!;
    const [west, south, east, north] = withMarginE7(boxAt(lot), NEAR_M);
    const isPartner = (other: number) => other > place && owners[lots[other]!] === owner;
    for (const other of index.search(west, south, east, north, isPartner)) pairs.push(lot, lots[other]!);
  }
  return pairs;
}

/**
 * The distance between two lots in meters, or infinity if it is more than `reachM`. 0 if they overlap. A
 * distance of up to TOUCH_M may not be the smallest one. The plane is local to where the boxes meet.
 */
export function gapM(a: Outline, b: Outline, reachM = NEAR_M): number {
  const [, low, high] = [a.box[1], a.box[3], b.box[1], b.box[3]].sort((m, n) => m - n);
  const perDegree = metersPerUnit({ kind: 'degrees' }, (low! + high!) / 2e7);
  const scale = { x: perDegree.x / 1e7, y: perDegree.y / 1e7 };
  const origin = { x: Math.max(a.box[0], b.box[0]), y: Math.max(a.box[1], b.box[1]) };
  const onPlane = (from: Outline, to: Outline) =>
    edgesWithin(from.edges, withMarginE7(to.box, reachM), origin, scale);
  const gap = leastGapM(onPlane(a, b), onPlane(b, a), reachM);
  return gap > TOUCH_M && (hasPartIn(a, b) || hasPartIn(b, a)) ? 0 : gap;
}

type Edge = { x1: number; y1: number; x2: number; y2: number; west: number; east: number };

/** The edges that reach into a box, in meters from the origin, from west to east. */
function edgesWithin(
  edges: Float64Array,
  [west, south, east, north]: Box,
  origin: { x: number; y: number },
  scale: { x: number; y: number },
): Edge[] {
  const found: Edge[] = [];
  for (let i = 0; i < edges.length; i += 4) {
    const [ax, ay, bx, by] = [edges[i]!, edges[i + 1]!, edges[i + 2]!, edges[i + 3]!];
    if ((ax < west && bx < west) || (ax > east && bx > east)) continue;
    if ((ay < south && by < south) || (ay > north && by > north)) continue;
    const x1 = (ax - origin.x) * scale.x;
    const x2 = (bx - origin.x) * scale.x;
    const y1 = (ay - origin.y) * scale.y;
    const y2 = (by - origin.y) * scale.y;
    found.push({ x1, y1, x2, y2, west: Math.min(x1, x2), east: Math.max(x1, x2) });
  }
  return found.sort((one, other) => one.west - other.west);
}

function leastGapM(a: readonly Edge[], b: readonly Edge[], reachM: number): number {
  let reach = reachM;
  let least = Infinity;
  for (const edge of a) {
    const south = Math.min(edge.y1, edge.y2);
    const north = Math.max(edge.y1, edge.y2);
    for (const other of b) {
      if (other.west > edge.east + reach) break;
      if (other.east < edge.west - reach) continue;
      if (Math.min(other.y1, other.y2) > north + reach || Math.max(other.y1, other.y2) < south - reach)
        continue;
      const gap = edgeGapM(edge, other);
      if (gap > reach) continue;
      least = gap;
      reach = gap;
      if (gap <= TOUCH_M) return gap;
    }
  }
  return least;
}

function edgeGapM(a: Edge, b: Edge): number {
  const crosses =
    sideOf(a, b.x1, b.y1) * sideOf(a, b.x2, b.y2) < 0 && sideOf(b, a.x1, a.y1) * sideOf(b, a.x2, a.y2) < 0;
  if (crosses) return 0;
  return Math.sqrt(
    Math.min(
      squareTo(a, b.x1, b.y1),
      squareTo(a, b.x2, b.y2),
      squareTo(b, a.x1, a.y1),
      squareTo(b, a.x2, a.y2),
    ),
  );
}

const sideOf = ({ x1, y1, x2, y2 }: Edge, x: number, y: number): number =>
  (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);

/** The square of the distance from a point to an edge. */
function squareTo({ x1, y1, x2, y2 }: Edge, x: number, y: number): number {
  const dx = x2 - x1;
  const dy = y2 - y1;
  const square = dx * dx + dy * dy;
  const share = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / square));
  return (x - x1 - share * dx) ** 2 + (y - y1 - share * dy) ** 2;
}

/** Whether a polygon of `inner` starts inside `outer`. Exact for polygons whose edges are apart. */
function hasPartIn(inner: Outline, outer: Outline): boolean {
  const [west, south, east, north] = outer.box;
  return inner.parts.some(part => {
    const [x, y] = [inner.edges[part]!, inner.edges[part + 1]!];
    return west <= x && x <= east && south <= y && y <= north && isInside(outer.edges, x, y);
  });
}

/** Counts the edges that cross a ray to the east. */
function isInside(edges: Float64Array, x: number, y: number): boolean {
  let inside = false;
  for (let i = 0; i < edges.length; i += 4) {
    const [ax, ay, bx, by] = [edges[i]!, edges[i + 1]!, edges[i + 2]!, edges[i + 3]!];
    if (ay > y !== by > y && x - ax < ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  }
  return inside;
}

/** Sets of lots that are linked, directly or through other lots. */
type Sets = { join(a: number, b: number): void; first(lot: number): number };

function newSets(count: number): Sets {
  const parents = Int32Array.from({ length: count }, (_, lot) => lot);
  const first = (lot: number): number => {
    let at = lot;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  };
  return {
    first,
    join(a, b) {
      const [low, high] = [first(a), first(b)].sort((m, n) => m - n);
      parents[high!] = low!;
    },
  };
}

/** A parcel with a boundary. Parcels whose boundary has the same name are one lot. */
export type Lot = Land & { id: number; county: number; boundary: string; outline: Outline };

/** What a parcel belongs to. */
export type Assemblage = {
  /** The smallest id of its parcels. */
  id: number;
  parcels: number;
  acres: number;
  /** The lots that the parcel reaches in steps of up to TOUCH_M, including itself. */
  touching_parcels: number;
  touching_acres: number;
  counties: number[];
};

/**
 * The assemblages of lots, by parcel id. Lots that are alone have none.
 * @param pairs positions in `lots`, from `nearbyPairs`
 */
export function assemblagesOf(lots: readonly Lot[], pairs: readonly number[]): Map<number, Assemblage> {
  const { touching, near } = linkPairs(lots, pairs);
  const byId = Array.from(lots.keys()).sort((a, b) => lots[a]!.id - lots[b]!.id);
  const found = new Map<number, Assemblage>();
  for (const members of groupBy(byId, lot => near.first(lot)).values()) {
    const { parcels, acres } = sizeOf(members.map(lot => lots[lot]!));
    if (parcels < 2) continue;
    const counties = [...new Set(members.map(lot => lots[lot]!.county))];
    for (const touched of groupBy(members, lot => touching.first(lot)).values()) {
      const size = sizeOf(touched.map(lot => lots[lot]!));
      const assemblage = {
        id: lots[members[0]!]!.id,
        parcels,
        acres,
        touching_parcels: size.parcels,
        touching_acres: size.acres,
        counties,
      };
      for (const lot of touched) found.set(lots[lot]!.id, assemblage);
    }
  }
  return found;
}

function linkPairs(lots: readonly Lot[], pairs: readonly number[]): { touching: Sets; near: Sets } {
  const touching = newSets(lots.length);
  const near = newSets(lots.length);
  for (let i = 0; i < pairs.length; i += 2) {
    const [a, b] = [pairs[i]!, pairs[i + 1]!];
    if (touching.first(a) === touching.first(b)) continue;
    const isNear = near.first(a) === near.first(b);
    const gap = gapM(lots[a]!.outline, lots[b]!.outline, isNear ? TOUCH_M : NEAR_M);
    if (gap === Infinity) continue;
    near.join(a, b);
    if (gap <= TOUCH_M) touching.join(a, b);
  }
  return { touching, near };
}

const sizeOf = (lots: readonly Lot[]) => ({
  parcels: new Set(lots.map(lot => lot.boundary)).size,
  acres: acresTogether(lots),
});
