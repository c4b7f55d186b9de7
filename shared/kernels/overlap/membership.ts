/**
 * In how many polygons of a shape and of a layer a place lies that moves across their edges. A place is in a ring that winds
 * around it (non-zero rule, in either direction), and in a polygon when it is in its first ring and in none of its holes.
 */
export type Membership = {
  /** Polygons of either kind around the place. */
  inShape: number;
  inLayer: number;
  /** Where the place starts, and returns to. */
  startInShape: number;
  startInLayer: number;

  rings: number;
  winding: number[];
  startWinding: number[];
  polygonOf: number[];
  isHole: boolean[];

  polygons: number;
  isShape: boolean[];
  /** What keeps the place out of each polygon: not being in its first ring counts 1, each hole around the place 1. */
  bars: number[];
  startBars: number[];
};

export function newMembership(): Membership {
  return {
    inShape: 0,
    inLayer: 0,
    startInShape: 0,
    startInLayer: 0,
    rings: 0,
    winding: [],
    startWinding: [],
    polygonOf: [],
    isHole: [],
    polygons: 0,
    isShape: [],
    bars: [],
    startBars: [],
  };
}

export function forgetAll(of: Membership): void {
  of.rings = 0;
  of.polygons = 0;
  of.inShape = of.startInShape = 0;
  of.inLayer = of.startInLayer = 0;
}

/** Adds a polygon, given the winding numbers of its rings around the start, the holes' last. */
export function addPolygon(of: Membership, isShape: boolean, windings: readonly number[]): void {
  const polygon = of.polygons++;
  for (let i = 0; i < windings.length; i++) {
    const ring = of.rings++;
    of.winding[ring] = of.startWinding[ring] = windings[i]!;
    of.polygonOf[ring] = polygon;
    of.isHole[ring] = i > 0;
  }
  const bars = countBars(windings);
  of.isShape[polygon] = isShape;
  of.bars[polygon] = of.startBars[polygon] = bars;
  if (bars > 0) return;
  if (isShape) of.inShape = ++of.startInShape;
  else of.inLayer = ++of.startInLayer;
}

/** Is the start in a polygon whose rings wind around it so often? */
export function isInside(windings: readonly number[]): boolean {
  return countBars(windings) === 0;
}

function countBars(windings: readonly number[]): number {
  let bars = 0;
  for (let i = 0; i < windings.length; i++) if ((windings[i] === 0) === (i === 0)) bars++;
  return bars;
}

/** Replaces the polygons of a kind, which are those added last, by one that is everywhere. */
export function coverFrom(
  of: Membership,
  isShape: boolean,
  first: { rings: number; polygons: number },
): void {
  of.rings = first.rings;
  of.polygons = first.polygons;
  if (isShape) of.inShape = of.startInShape = 1;
  else of.inLayer = of.startInLayer = 1;
}

/** Moves the place across an edge of a ring that adds `turn` to its winding number. */
export function cross(of: Membership, ring: number, turn: number): void {
  const before = of.winding[ring]!;
  const after = before + turn;
  of.winding[ring] = after;
  if (before !== 0 && after !== 0) return;
  const polygon = of.polygonOf[ring]!;
  const bars = of.bars[polygon]!;
  const left = (after !== 0) === of.isHole[ring] ? bars + 1 : bars - 1;
  of.bars[polygon] = left;
  if (bars > 0 && left > 0) return;
  const entered = left === 0 ? 1 : -1;
  if (of.isShape[polygon]) of.inShape += entered;
  else of.inLayer += entered;
}

/** Takes the place back to the start as far as a ring is concerned; all rings that were crossed must be named. */
export function returnToStart(of: Membership, ring: number): void {
  const polygon = of.polygonOf[ring]!;
  of.winding[ring] = of.startWinding[ring]!;
  of.bars[polygon] = of.startBars[polygon]!;
  of.inShape = of.startInShape;
  of.inLayer = of.startInLayer;
}
