import { toUnits } from './geometry-codec.ts';
import type { Position, Ring } from './geometry-types.ts';
import { orientation as turnOf } from './predicates.ts';

/** An edge, by its ring and the index of the vertex where it starts. */
export type EdgeRef = { ring: number; vertex: number };

/**
 * `crosses` and `runs_along` name two edges, possibly of the same ring. The other kinds name a hole (`a`).
 * `at` is where the edges meet or the hole starts, in degrees.
 */
export type RingFault = {
  what: 'crosses' | 'runs_along' | 'outside_shell' | 'in_hole';
  a: EdgeRef;
  b: EdgeRef;
  at: Position;
};

/**
 * Finds the westernmost fault of a polygon's rings (shell first; rings are closed and have no repeated
 * positions). Rings may touch at points. If several rings, or several parts of one, pass through a vertex,
 * they must nest like parentheses. Uses a plane sweep (Shamos and Hoey, Geometric intersection problems,
 * 1976).
 */
export function findRingFault(rings: Ring[]): RingFault | null {
  const edges = loadEdges(rings);
  const { x, y, previous, ringOf } = edges;
  const n = x.length;
  const order = Uint32Array.from({ length: n }, (_, v) => v).sort((v, w) => x[v]! - x[w]! || y[v]! - y[w]!);
  /** Edges under the sweep line, from south to north. */
  const status: number[] = [];
  const depthAbove = new Int32Array(n);
  const counterClockwise: (boolean | undefined)[] = rings.map(() => undefined);

  for (let from = 0, to = 0; from < n; from = to) {
    const p = order[from]!;
    while (to < n && x[order[to]!] === x[p] && y[order[to]!] === y[p]) to++;

    const low = firstNotBelow(edges, status, p);
    let high = low;
    while (high < status.length && side(edges, status[high]!, p) === 0) high++;
    const through = status.slice(low, high).filter(e => !endsAt(edges, e, p));
    const fresh = [...through];
    for (let k = from; k < to; k++) {
      const v = order[k]!;
      for (const e of [previous[v]!, v]) if (edges.lo[e] === v) fresh.push(e);
    }
    const clash = clashAt(edges, order.subarray(from, to), through);
    if (clash !== null) return faultAt(edges, clash, [x[p]!, y[p]!]);

    if (fresh.length > 1) fresh.sort((e, f) => -turn(edges, p, edges.hi[e]!, edges.hi[f]!));
    let depth = low > 0 ? depthAbove[status[low - 1]!]! : 0;
    for (const e of fresh) {
      const ring = ringOf[e]!;
      const rises = edges.lo[e] === e;
      if (counterClockwise[ring] === undefined) {
        // The inside of a ring is above the lowest edge at its westernmost vertex.
        counterClockwise[ring] = rises;
        if (ring > 0 && depth !== 1) {
          const what = depth === 0 ? 'outside_shell' : 'in_hole';
          return faultAt(edges, { what, e, f: e }, [x[p]!, y[p]!]);
        }
      }
      depth += rises === counterClockwise[ring] ? 1 : -1;
      depthAbove[e] = depth;
    }
    status.splice(low, high - low, ...fresh);
    const top = low + fresh.length;
    for (const i of top === low ? [low] : [low, top]) {
      const [e, f] = [status[i - 1], status[i]];
      if (e === undefined || f === undefined || !cross(edges, e, f)) continue;
      return faultAt(edges, { what: 'crosses', e, f }, crossing(edges, e, f));
    }
  }
  return null;
}

/**
 * Vertex v (in units) starts edge v, which ends at next[v]. lo and hi are an edge's ends in order of x, then
 * y.
 */
type Edges = {
  x: Float64Array;
  y: Float64Array;
  next: Uint32Array;
  previous: Uint32Array;
  ringOf: Uint32Array;
  firstOf: number[];
  lo: Uint32Array;
  hi: Uint32Array;
};

function loadEdges(rings: Ring[]): Edges {
  const n = rings.reduce((sum, ring) => sum + ring.length - 1, 0);
  const ints = () => new Uint32Array(n);
  const edges: Edges = {
    x: new Float64Array(n),
    y: new Float64Array(n),
    next: ints(),
    previous: ints(),
    ringOf: ints(),
    firstOf: [],
    lo: ints(),
    hi: ints(),
  };
  const { x, y, next, previous, ringOf, firstOf, lo, hi } = edges;
  let first = 0;
  for (const [r, ring] of rings.entries()) {
    const size = ring.length - 1;
    firstOf.push(first);
    for (let i = 0; i < size; i++) {
      const v = first + i;
      x[v] = toUnits(ring[i]![0]);
      y[v] = toUnits(ring[i]![1]);
      ringOf[v] = r;
      next[v] = first + ((i + 1) % size);
      previous[v] = first + ((i + size - 1) % size);
    }
    first += size;
  }
  for (let v = 0; v < n; v++) {
    const w = next[v]!;
    const rises = x[v]! < x[w]! || (x[v]! === x[w]! && y[v]! < y[w]!);
    lo[v] = rises ? v : w;
    hi[v] = rises ? w : v;
  }
  return edges;
}

/** Positive if the turn from a through b to c is to the left. Exact. */
function turn({ x, y }: Edges, a: number, b: number, c: number): number {
  return turnOf(x[a]!, y[a]!, x[b]!, y[b]!, x[c]!, y[c]!);
}

/** Positive if a vertex is above an edge, 0 if it is on the edge's line. */
const side = (edges: Edges, e: number, v: number): number => turn(edges, edges.lo[e]!, edges.hi[e]!, v);

function endsAt({ x, y, hi }: Edges, e: number, v: number): boolean {
  return x[hi[e]!] === x[v] && y[hi[e]!] === y[v];
}

function firstNotBelow(edges: Edges, status: number[], v: number): number {
  let low = 0;
  let high = status.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (side(edges, status[middle]!, v) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Clash = { what: RingFault['what']; e: number; f: number };

/** One end of an edge as seen from a vertex. `chain` identifies the pass of a ring through the vertex. */
type Spoke = { end: number; edge: number; chain: number; west: boolean };

/**
 * The first conflict between the rings with a vertex at a point (`here`) and the edges that run through it.
 */
function clashAt(edges: Edges, here: Uint32Array, through: number[]): Clash | null {
  const p = here[0]!;
  if (here.length === 1 && through.length === 0) return spikeAt(edges, p);
  const spokes: Spoke[] = [];
  for (const v of here) {
    for (const edge of [edges.previous[v]!, v]) {
      const west = edges.hi[edge] === v;
      spokes.push({ end: west ? edges.lo[edge]! : edges.hi[edge]!, edge, chain: v, west });
    }
  }
  for (const edge of through) {
    // Negative, so that it can't equal a vertex's index.
    const chain = -1 - edge;
    spokes.push({ end: edges.lo[edge]!, edge, chain, west: true });
    spokes.push({ end: edges.hi[edge]!, edge, chain, west: false });
  }
  // Sort counterclockwise starting due south, each half-plane separately, because the sign of the turn is
  // only meaningful within one.
  spokes.sort((s, t) =>
    s.west === t.west ? -turn(edges, p, s.end, t.end) : Number(s.west) - Number(t.west),
  );
  for (const [i, spoke] of spokes.entries()) {
    const before = spokes[i - 1];
    if (before !== undefined && before.west === spoke.west && turn(edges, p, before.end, spoke.end) === 0) {
      return { what: 'runs_along', e: before.edge, f: spoke.edge };
    }
  }
  const open: Spoke[] = [];
  const seen = new Set<number>();
  for (const spoke of spokes) {
    const last = open.at(-1);
    if (last?.chain === spoke.chain) open.pop();
    else if (last !== undefined && seen.has(spoke.chain))
      return { what: 'crosses', e: last.edge, f: spoke.edge };
    else open.push(spoke);
    seen.add(spoke.chain);
  }
  return null;
}

/** Whether the two edges at a vertex overlap. A fast path for a vertex where nothing else meets. */
function spikeAt(edges: Edges, v: number): Clash | null {
  const { previous, next, lo } = edges;
  const before = previous[v]!;
  const sameSide = (lo[before] === v) === (lo[v] === v);
  if (!sameSide || turn(edges, v, before, next[v]!) !== 0) return null;
  return { what: 'runs_along', e: before, f: v };
}

/** Whether two edges cross at a point inside both. Touching is checked at the vertices. */
function cross(edges: Edges, e: number, f: number): boolean {
  const { lo, hi } = edges;
  return (
    opposite(side(edges, e, lo[f]!), side(edges, e, hi[f]!)) &&
    opposite(side(edges, f, lo[e]!), side(edges, f, hi[e]!))
  );
}

const opposite = (a: number, b: number): boolean => (a > 0 && b < 0) || (a < 0 && b > 0);

/** Where two edges cross, in units, rounded. Used only in messages. */
function crossing(edges: Edges, e: number, f: number): Position {
  const { x, y, lo, hi } = edges;
  const from = Math.abs(side(edges, f, lo[e]!));
  const share = from / (from + Math.abs(side(edges, f, hi[e]!)));
  const along = (c: Float64Array) => c[lo[e]!]! + share * (c[hi[e]!]! - c[lo[e]!]!);
  return [along(x), along(y)];
}

function edgeRef({ ringOf, firstOf }: Edges, e: number): EdgeRef {
  return { ring: ringOf[e]!, vertex: e - firstOf[ringOf[e]!]! };
}

function faultAt(edges: Edges, { what, e, f }: Clash, [x, y]: Position): RingFault {
  const [a, b] = e < f ? [e, f] : [f, e];
  // Rounded to 1e-7 degrees (11 mm).
  const at: Position = [Math.round(x) / 1e7, Math.round(y) / 1e7];
  return { what, a: edgeRef(edges, a), b: edgeRef(edges, b), at };
}
