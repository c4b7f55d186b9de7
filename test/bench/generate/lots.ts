import { bent, creek } from './courses.ts';
import { cutAlong, cutBetween, type Line, MIN_LOT_SQ_M, type Piece, STRAIGHT } from './cut.ts';
import {
  addVertex,
  type EdgeRing,
  type Mesh,
  ringThrough,
  type Shape,
  shapeOf,
  start,
  wholeEdges,
} from './mesh.ts';
import { between, normal, type Random } from './random.ts';

export type LotKind = 'lot' | 'flag' | 'sliver' | 'triangle' | 'donut' | 'island';

export type Lot = {
  kind: LotKind;
  ring: EdgeRing;
  shape: Shape;
  /** The rings of lots that lie within this one. */
  holes: EdgeRing[];
  /** Which lot is cut next: the largest, give or take. 0 for one that stays as it is. */
  turn: number;
};

/** Shares of odd lots among the cuts of a block, about what a county of farms and suburbs shows. */
const FLAG_SHARE = 0.025;
const TRIANGLE_SHARE = 0.015;
const SLIVER_SHARE = 0.012;
const CREEK_SHARE = 0.07;

/** Width of a strip of land that a survey left over, and of the way that leads to a flag lot. Metres. */
const SLIVER_M = 2;
const WAY_M = 6;

/** Below this a lot is not cut further, nor does a creek or a way fit. Square metres. */
const CUT_SQ_M = 8 * MIN_LOT_SQ_M;
const WIDE_SQ_M = 2_500;

/**
 * Cuts the lots of a block until there are `count`, always the largest in two, give or take, so that sizes scatter about
 * a factor of two. Lots that turn out odd (flags, slivers, triangles) stay as they are. A block that is too small for so
 * many ends up with fewer.
 */
export function cutLots(mesh: Mesh, lots: Lot[], count: number, random: Random): void {
  while (lots.length < count) {
    const index = nextTurn(lots);
    if (index === undefined) break;
    const lot = lots[index]!;
    lot.ring = wholeEdges(mesh, lot.ring);
    const cut = cutOdd(mesh, lot, random) ?? cutInTwo(mesh, lot, random);
    if (cut === undefined) lot.turn = 0;
    else {
      lots[index] = cut[0];
      lots.push(cut[1]);
    }
  }
}

/** A block as the one lot that it is before it is cut. */
export function wholeBlock(mesh: Mesh, ring: EdgeRing, random: Random): Lot {
  return newLot('lot', { ring, shape: shapeOf(mesh, ring) }, random);
}

function newLot(kind: LotKind, { ring, shape }: Piece, random: Random): Lot {
  const isFinal = kind !== 'lot' || shape.areaSqM < CUT_SQ_M;
  const turn = isFinal ? 0 : shape.areaSqM * Math.exp(0.45 * normal(random));
  return { kind, ring, shape, holes: [], turn };
}

function nextTurn(lots: Lot[]): number | undefined {
  let best: number | undefined;
  for (let i = 0; i < lots.length; i++) {
    if (lots[i]!.turn > (best === undefined ? 0 : lots[best]!.turn)) best = i;
  }
  return best;
}

function cutInTwo(mesh: Mesh, lot: Lot, random: Random): [Lot, Lot] | undefined {
  for (let attempt = 0; attempt < 4; attempt++) {
    const line = lineAcross(lot.shape, 0.1 * normal(random), 0.05 * normal(random));
    const isCreek = lot.shape.areaSqM > WIDE_SQ_M && random() < CREEK_SHARE;
    const course =
      attempt > 1
        ? STRAIGHT
        : isCreek
          ? creek(random, between(random, 3, 4))
          : bent(random, between(random, 0, 3));
    const pieces = cutAlong(mesh, lot.ring, line, course);
    if (pieces) return [newLot('lot', pieces[0], random), newLot('lot', pieces[1], random)];
    lot.ring = wholeEdges(mesh, lot.ring);
  }
  return undefined;
}

function cutOdd(mesh: Mesh, lot: Lot, random: Random): [Lot, Lot] | undefined {
  const draw = random();
  let pieces: [Piece, Piece] | undefined;
  let kind: LotKind = 'lot';
  if (draw < FLAG_SHARE && lot.shape.areaSqM > WIDE_SQ_M / 3) {
    kind = 'flag';
    pieces = cutFlag(mesh, lot.ring);
  } else if (draw < FLAG_SHARE + TRIANGLE_SHARE) {
    kind = 'triangle';
    pieces = cutCorner(mesh, lot.ring, random);
  } else if (draw < FLAG_SHARE + TRIANGLE_SHARE + SLIVER_SHARE) {
    kind = 'sliver';
    pieces = cutAlong(
      mesh,
      lot.ring,
      lineAcross(lot.shape, 0.5 - SLIVER_M / lengthM(lot.shape), 0),
      STRAIGHT,
    );
  }
  if (pieces === undefined) {
    lot.ring = wholeEdges(mesh, lot.ring);
    return undefined;
  }
  return [newLot('lot', pieces[1], random), newLot(kind, pieces[0], random)];
}

const lengthM = (shape: Shape) => Math.sqrt(shape.areaSqM * shape.elongation);

/**
 * A line across the longer axis, `offset` lengths beyond the centroid and turned by `turn` radians; what lies
 * beyond it is on its left.
 */
function lineAcross(shape: Shape, offset: number, turn: number): Line {
  const shift = offset * lengthM(shape);
  const dx = -shape.axisY * Math.cos(turn) - shape.axisX * Math.sin(turn);
  const dy = shape.axisX * Math.cos(turn) - shape.axisY * Math.sin(turn);
  // Left of (dx, dy) is against the axis, so the line is set back by the offset.
  return { x: shape.centreX - shift * shape.axisX, y: shape.centreY - shift * shape.axisY, dx, dy };
}

/**
 * A flag lot: a way of WAY_M beside the start of the longest edge leads past the front lot to the land behind it.
 */
function cutFlag(mesh: Mesh, ring: EdgeRing): [Piece, Piece] | undefined {
  const { x, y, scaleX, scaleY } = mesh;
  const n = ring.length;
  const corner = (i: number) => {
    const vertex = start(mesh, ring[((i % n) + n) % n]!);
    return [x[vertex]! * scaleX, y[vertex]! * scaleY] as const;
  };
  let front = 0;
  let frontM = 0;
  for (let i = 0; i < n; i++) {
    const [ax, ay] = corner(i);
    const [bx, by] = corner(i + 1);
    const length = Math.hypot(bx - ax, by - ay);
    if (length > frontM) [front, frontM] = [i, length];
  }
  if (frontM < 4 * WAY_M) return undefined;
  const [ax, ay] = corner(front);
  const [bx, by] = corner(front + 1);
  const alongX = (bx - ax) / frontM;
  const alongY = (by - ay) / frontM;
  // Inward is to the left of an edge. How deep the lot is, midway along its front:
  const depthM = rayLength(corner, n, front, [(ax + bx) / 2, (ay + by) / 2], [-alongY, alongX])?.distance;
  if (depthM === undefined || depthM < 4 * WAY_M) return undefined;
  const turnX = ax + WAY_M * alongX - 0.55 * depthM * alongY;
  const turnY = ay + WAY_M * alongY + 0.55 * depthM * alongX;
  const exit = rayLength(corner, n, front, [turnX, turnY], [alongX, alongY]);
  if (exit === undefined) return undefined;
  const bend: [number, number] = [-0.55 * depthM * alongY, 0.55 * depthM * alongX];
  return cutBetween(mesh, ring, { at: front, share: WAY_M / frontM }, exit, () => [bend]);
}

/** Where a ray first meets the ring, leaving out one edge. */
function rayLength(
  corner: (i: number) => readonly [number, number],
  n: number,
  without: number,
  [x, y]: [number, number],
  [dx, dy]: [number, number],
): { at: number; share: number; distance: number } | undefined {
  let best: { at: number; share: number; distance: number } | undefined;
  for (let i = 0; i < n; i++) {
    if (i === without) continue;
    const [px, py] = corner(i);
    const [qx, qy] = corner(i + 1);
    const cross = dx * (qy - py) - dy * (qx - px);
    if (cross === 0) continue;
    const distance = ((px - x) * (qy - py) - (py - y) * (qx - px)) / cross;
    const share = ((px - x) * dy - (py - y) * dx) / cross;
    if (distance <= 0 || share < 0 || share > 1) continue;
    if (best === undefined || distance < best.distance) best = { at: i, share, distance };
  }
  return best;
}

/** Cuts a corner off: the triangle comes first, so the cut goes from the edge after the corner to the one before it. */
function cutCorner(mesh: Mesh, ring: EdgeRing, random: Random): [Piece, Piece] | undefined {
  const before = Math.floor(random() * ring.length);
  const after = (before + 1) % ring.length;
  const enter = { at: after, share: 0.3 + 0.4 * random() };
  return cutBetween(mesh, ring, enter, { at: before, share: 0.3 + 0.4 * random() }, STRAIGHT);
}

/**
 * Puts a lot inside another, which becomes a donut around it.
 * @returns the island, or undefined when there is no room about the centroid.
 */
export function putIsland(mesh: Mesh, lot: Lot, random: Random): Lot | undefined {
  const { x, y, scaleX, scaleY } = mesh;
  lot.ring = wholeEdges(mesh, lot.ring);
  const origin = start(mesh, lot.ring[0]!);
  const { centreX, centreY } = lot.shape;
  const room = clearance(mesh, lot.ring, centreX, centreY);
  if (room === undefined || room < 6) return undefined;
  const corners = between(random, 4, 7);
  const turn = random();
  const vertices = Array.from({ length: corners }, (_, i) => {
    const angle = ((i + turn + 0.3 * random()) / corners) * 2 * Math.PI;
    const radius = room * (0.5 + 0.3 * random());
    return addVertex(
      mesh,
      x[origin]! + Math.round((centreX + radius * Math.cos(angle)) / scaleX),
      y[origin]! + Math.round((centreY + radius * Math.sin(angle)) / scaleY),
    );
  });
  const ring = ringThrough(mesh, vertices);
  const shape = shapeOf(mesh, ring);
  lot.kind = 'donut';
  lot.turn = 0;
  lot.holes.push(ring.map(edge => -edge).reverse());
  lot.shape = { ...lot.shape, areaSqM: lot.shape.areaSqM - shape.areaSqM };
  return { kind: 'island', ring, shape, holes: [], turn: 0 };
}

/** Distance in metres from a point inside the ring to its boundary; undefined for a point outside. */
function clearance(mesh: Mesh, ring: EdgeRing, cx: number, cy: number): number | undefined {
  const { x, y, scaleX, scaleY } = mesh;
  const origin = start(mesh, ring[0]!);
  let inside = false;
  let least = Infinity;
  for (const edge of ring) {
    const a = start(mesh, edge);
    const b = start(mesh, -edge);
    const ax = (x[a]! - x[origin]!) * scaleX - cx;
    const ay = (y[a]! - y[origin]!) * scaleY - cy;
    const bx = (x[b]! - x[origin]!) * scaleX - cx;
    const by = (y[b]! - y[origin]!) * scaleY - cy;
    if (ay > 0 !== by > 0 && ax + (ay / (ay - by)) * (bx - ax) > 0) inside = !inside;
    const dx = bx - ax;
    const dy = by - ay;
    const share = Math.min(1, Math.max(0, -(ax * dx + ay * dy) / (dx * dx + dy * dy)));
    least = Math.min(least, Math.hypot(ax + share * dx, ay + share * dy));
  }
  return inside ? least : undefined;
}
