import Flatbush from 'flatbush';
import { orient2d } from 'robust-predicates';
import type { Ring } from './types.ts';

/**
 * Two rings (by index; the same one twice for a ring that meets itself) that share a point other than the
 * corner of neighbouring edges. `crossing` when edges cross or run along each other, false when they only touch at points.
 */
export type Contact = { a: number; b: number; crossing: boolean };

/** From this many edges on an index pays: at 96 all pairs took 20 us and the index 36, at 160 both 50, at 400 226 and 148. */
const INDEXED_FROM = 144;

// Edges of the rings under test, reused between calls: a ring costs no allocation.
let capacity = 256;
let xs1 = new Float64Array(capacity);
let ys1 = new Float64Array(capacity);
let xs2 = new Float64Array(capacity);
let ys2 = new Float64Array(capacity);
let ringOf = new Uint32Array(capacity);
let nextEdge = new Uint32Array(capacity);

const NONE = 0;
const TOUCH = 1;
const CROSS = 2;

/**
 * Every contact within and between closed rings that hold neither repeated positions nor spikes. Exact
 * (adaptive predicates). O(n log n) for boundaries whose edges' boxes rarely overlap, as parcels' do: a packed Hilbert R-tree
 * (flatbush) finds the candidates of large ones.
 */
export function findContacts(rings: Ring[]): Contact[] {
  const edges = load(rings);
  const contacts: Contact[] = [];
  if (edges < INDEXED_FROM) comparePairs(edges, contacts);
  else compareIndexed(edges, contacts);
  return contacts;
}

function comparePairs(edges: number, contacts: Contact[]): void {
  for (let i = 0; i < edges; i++) {
    const x1 = xs1[i]!;
    const x2 = xs2[i]!;
    const y1 = ys1[i]!;
    const y2 = ys2[i]!;
    const minX = x1 < x2 ? x1 : x2;
    const maxX = x1 < x2 ? x2 : x1;
    const minY = y1 < y2 ? y1 : y2;
    const maxY = y1 < y2 ? y2 : y1;
    for (let j = i + 1; j < edges; j++) {
      const u1 = xs1[j]!;
      const u2 = xs2[j]!;
      if ((u1 < minX && u2 < minX) || (u1 > maxX && u2 > maxX)) continue;
      const v1 = ys1[j]!;
      const v2 = ys2[j]!;
      if ((v1 < minY && v2 < minY) || (v1 > maxY && v2 > maxY)) continue;
      compareEdges(i, j, contacts);
    }
  }
}

function compareIndexed(edges: number, contacts: Contact[]): void {
  const index = new Flatbush(edges);
  for (let i = 0; i < edges; i++) {
    index.add(
      Math.min(xs1[i]!, xs2[i]!),
      Math.min(ys1[i]!, ys2[i]!),
      Math.max(xs1[i]!, xs2[i]!),
      Math.max(ys1[i]!, ys2[i]!),
    );
  }
  index.finish();
  for (let i = 0; i < edges; i++) {
    index.search(
      Math.min(xs1[i]!, xs2[i]!),
      Math.min(ys1[i]!, ys2[i]!),
      Math.max(xs1[i]!, xs2[i]!),
      Math.max(ys1[i]!, ys2[i]!),
      j => {
        if (j > i) compareEdges(i, j, contacts);
        return false;
      },
    );
  }
}

function compareEdges(i: number, j: number, contacts: Contact[]): void {
  if (nextEdge[i] === j || nextEdge[j] === i) return;
  const meeting = meet(i, j);
  if (meeting !== NONE) record(contacts, ringOf[i]!, ringOf[j]!, meeting === CROSS);
}

function record(contacts: Contact[], a: number, b: number, crossing: boolean): void {
  const known = contacts.find(contact => contact.a === a && contact.b === b);
  if (known === undefined) contacts.push({ a, b, crossing });
  else if (crossing) known.crossing = true;
}

/** How two edges meet. */
function meet(i: number, j: number): number {
  const px = xs1[i]!;
  const py = ys1[i]!;
  const qx = xs2[i]!;
  const qy = ys2[i]!;
  const rx = xs1[j]!;
  const ry = ys1[j]!;
  const sx = xs2[j]!;
  const sy = ys2[j]!;
  const r = orient2d(px, py, qx, qy, rx, ry);
  const s = orient2d(px, py, qx, qy, sx, sy);
  if ((r > 0 && s > 0) || (r < 0 && s < 0)) return NONE;
  if (r === 0 && s === 0) {
    return px === qx && rx === sx ? meetOnLine(py, qy, ry, sy) : meetOnLine(px, qx, rx, sx);
  }
  const p = orient2d(rx, ry, sx, sy, px, py);
  const q = orient2d(rx, ry, sx, sy, qx, qy);
  if ((p > 0 && q > 0) || (p < 0 && q < 0)) return NONE;
  return p === 0 || q === 0 || r === 0 || s === 0 ? TOUCH : CROSS;
}

/** How two intervals of one line meet. */
function meetOnLine(a1: number, a2: number, b1: number, b2: number): number {
  const from = Math.max(Math.min(a1, a2), Math.min(b1, b2));
  const to = Math.min(Math.max(a1, a2), Math.max(b1, b2));
  if (from > to) return NONE;
  return from === to ? TOUCH : CROSS;
}

/** Fills the edge arrays and gives the number of edges. */
function load(rings: Ring[]): number {
  let edges = 0;
  for (const ring of rings) edges += ring.length - 1;
  if (edges > capacity) reserve(edges);
  let at = 0;
  for (let r = 0; r < rings.length; r++) {
    const ring = rings[r]!;
    const first = at;
    for (let i = 1; i < ring.length; i++) {
      const from = ring[i - 1]!;
      const to = ring[i]!;
      xs1[at] = from[0];
      ys1[at] = from[1];
      xs2[at] = to[0];
      ys2[at] = to[1];
      ringOf[at] = r;
      nextEdge[at] = ++at;
    }
    nextEdge[at - 1] = first;
  }
  return edges;
}

function reserve(edges: number): void {
  capacity = 2 * edges;
  xs1 = new Float64Array(capacity);
  ys1 = new Float64Array(capacity);
  xs2 = new Float64Array(capacity);
  ys2 = new Float64Array(capacity);
  ringOf = new Uint32Array(capacity);
  nextEdge = new Uint32Array(capacity);
}
