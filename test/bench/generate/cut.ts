import {
  addEdge,
  addVertex,
  cutEdge,
  type EdgeRing,
  type Mesh,
  orient,
  type Shape,
  shapeOf,
  start,
} from './mesh.ts';

/** A cut that comes this near to an existing vertex goes through it, so that no edge is shorter by cutting. Metres. */
const SNAP_M = 1;

/** Nothing smaller is worth a parcel. */
export const MIN_LOT_SQ_M = 15;

export type Piece = { ring: EdgeRing; shape: Shape };

/** A line in the lot's own metres: a point and a unit vector. */
export type Line = { x: number; y: number; dx: number; dy: number };

/** Given where a boundary ends, in metres from where it begins, the points that it takes between the two. */
export type Course = (dx: number, dy: number) => [x: number, y: number][];

export const STRAIGHT: Course = () => [];

type Crossing = { at: number; along: number; share: number };

/**
 * Cuts a lot (a ring of whole edges) in two along a line, the new boundary taking `course` between its ends. The piece
 * to the left of the line comes first. Undefined when the line misses the lot, a piece would be too small, or the course
 * would touch the lot's own boundary; the lot is then as it was, but for vertices that may have been added on its edges.
 */
export function cutAlong(mesh: Mesh, ring: EdgeRing, line: Line, course: Course): [Piece, Piece] | undefined {
  const chord = longestChord(mesh, ring, line);
  if (chord === undefined) return undefined;
  return cutBetween(mesh, ring, chord[0], chord[1], course);
}

/** The part of the line that runs longest inside the ring, from where it enters to where it leaves. */
function longestChord(mesh: Mesh, ring: EdgeRing, line: Line): [Crossing, Crossing] | undefined {
  const { x, y, scaleX, scaleY } = mesh;
  const origin = start(mesh, ring[0]!);
  const crossings: Crossing[] = [];
  const last = start(mesh, ring[ring.length - 1]!);
  let px = (x[last]! - x[origin]!) * scaleX - line.x;
  let py = (y[last]! - y[origin]!) * scaleY - line.y;
  let side = px * line.dy - py * line.dx;
  for (let i = 0; i < ring.length; i++) {
    const vertex = start(mesh, ring[i]!);
    const qx = (x[vertex]! - x[origin]!) * scaleX - line.x;
    const qy = (y[vertex]! - y[origin]!) * scaleY - line.y;
    const next = qx * line.dy - qy * line.dx;
    if (side > 0 !== next > 0) {
      const share = side / (side - next);
      const along = (px + share * (qx - px)) * line.dx + (py + share * (qy - py)) * line.dy;
      crossings.push({ at: (i + ring.length - 1) % ring.length, along, share });
    }
    px = qx;
    py = qy;
    side = next;
  }
  crossings.sort((a, b) => a.along - b.along);
  let best: [Crossing, Crossing] | undefined;
  for (let i = 1; i < crossings.length; i += 2) {
    const enter = crossings[i - 1]!;
    const leave = crossings[i]!;
    if (best === undefined || leave.along - enter.along > best[1].along - best[0].along)
      best = [enter, leave];
  }
  return best;
}

/** Cuts between two places of the ring: an edge's index and the share of its length at which the cut meets it. */
export function cutBetween(
  mesh: Mesh,
  ring: EdgeRing,
  enter: { at: number; share: number },
  leave: { at: number; share: number },
  course: Course,
): [Piece, Piece] | undefined {
  if (enter.at === leave.at) return undefined;
  const entry = vertexAt(mesh, ring[enter.at]!, enter.share);
  const exit = vertexAt(mesh, ring[leave.at]!, leave.share);
  if (entry === exit) return undefined;

  // The ring again, now that up to two of its edges are cut, and where in it the ends of the cut are.
  const edges: EdgeRing = [];
  for (const edge of ring) {
    const number = Math.abs(edge);
    const first = mesh.firstHalf[number]!;
    if (first === 0) edges.push(edge);
    else if (edge > 0) edges.push(first, mesh.secondHalf[number]!);
    else edges.push(-mesh.secondHalf[number]!, -first);
  }
  const i = edges.findIndex(edge => start(mesh, edge) === entry);
  const j = edges.findIndex(edge => start(mesh, edge) === exit);

  const path = [entry, ...pointsBetween(mesh, entry, exit, course), exit];
  if (!isClear(mesh, edges, path)) return undefined;
  const forth = path.slice(1).map((vertex, k) => addEdge(mesh, path[k]!, vertex));
  const back = forth.map(edge => -edge).reverse();
  const left = [...between(edges, j, i), ...forth];
  const right = [...between(edges, i, j), ...back];
  const leftShape = shapeOf(mesh, left);
  const rightShape = shapeOf(mesh, right);
  if (leftShape.areaSqM < MIN_LOT_SQ_M || rightShape.areaSqM < MIN_LOT_SQ_M) return undefined;
  return [
    { ring: left, shape: leftShape },
    { ring: right, shape: rightShape },
  ];
}

/** The edges from one position of the ring up to another. */
function between(edges: EdgeRing, from: number, to: number): EdgeRing {
  return from <= to ? edges.slice(from, to) : [...edges.slice(from), ...edges.slice(0, to)];
}

/** The vertex at a share of an edge's length: one of its ends when that is near, else a new one. */
function vertexAt(mesh: Mesh, edge: number, share: number): number {
  const { x, y, scaleX, scaleY } = mesh;
  const a = start(mesh, edge);
  const b = start(mesh, -edge);
  const dx = x[b]! - x[a]!;
  const dy = y[b]! - y[a]!;
  const length = Math.hypot(dx * scaleX, dy * scaleY);
  if (share * length < SNAP_M) return a;
  if ((1 - share) * length < SNAP_M) return b;
  const vertex = addVertex(mesh, x[a]! + Math.round(dx * share), y[a]! + Math.round(dy * share));
  cutEdge(mesh, edge, vertex);
  return vertex;
}

function pointsBetween(mesh: Mesh, from: number, to: number, course: Course): number[] {
  const { x, y, scaleX, scaleY } = mesh;
  const points = course((x[to]! - x[from]!) * scaleX, (y[to]! - y[from]!) * scaleY);
  return points.map(([px, py]) =>
    addVertex(mesh, x[from]! + Math.round(px / scaleX), y[from]! + Math.round(py / scaleY)),
  );
}

/** Does a path between two vertices of the ring meet the ring nowhere else? */
function isClear(mesh: Mesh, edges: EdgeRing, path: number[]): boolean {
  for (let k = 1; k < path.length; k++) {
    for (const edge of edges) {
      if (meet(mesh, path[k - 1]!, path[k]!, start(mesh, edge), start(mesh, -edge))) return false;
    }
  }
  return true;
}

/** Do the segments ab and cd share a point, other than an end that is the same vertex? Exact. */
function meet(mesh: Mesh, a: number, b: number, c: number, d: number): boolean {
  if (a === c || a === d) return overlaps(mesh, a, b, a === c ? d : c);
  if (b === c || b === d) return overlaps(mesh, b, a, b === c ? d : c);
  const c1 = Math.sign(orient(mesh, a, b, c));
  const d1 = Math.sign(orient(mesh, a, b, d));
  if (c1 === d1 && c1 !== 0) return false;
  const a1 = Math.sign(orient(mesh, c, d, a));
  const b1 = Math.sign(orient(mesh, c, d, b));
  if (a1 === b1 && a1 !== 0) return false;
  return c1 !== 0 || d1 !== 0 || a1 !== 0 || b1 !== 0 || collinearMeet(mesh, a, b, c, d);
}

/** Do two segments from one vertex run in the same direction? */
function overlaps(mesh: Mesh, from: number, p: number, q: number): boolean {
  if (p === q) return true;
  if (orient(mesh, from, p, q) !== 0) return false;
  const { x, y } = mesh;
  return (x[p]! - x[from]!) * (x[q]! - x[from]!) + (y[p]! - y[from]!) * (y[q]! - y[from]!) > 0;
}

function collinearMeet({ x, y }: Mesh, a: number, b: number, c: number, d: number): boolean {
  const apart = (u: number[]) =>
    Math.max(u[a]!, u[b]!) < Math.min(u[c]!, u[d]!) || Math.max(u[c]!, u[d]!) < Math.min(u[a]!, u[b]!);
  return !apart(x) && !apart(y);
}
