import { intersection, setPrecision, union } from 'polyclip-ts';
import { boxesIntersect, boxOf } from './box.ts';
import type { Repair } from './geometry-checks.ts';
import { findFlaws } from './geometry-flaws.ts';
import type { MultiPolygon, Polygon, Position, Ring } from './geometry-types.ts';
import { cleanRing, isCounterClockwise, planarArea, windRings } from './ring.ts';

/**
 * 0.1 micrometers on the ground: a hundred times the rounding of a double near 180 degrees, and
 * far below any survey.
 */
const NEAR_DEG = 1e-12;

/**
 * Grids, in parts of a degree, to which positions are moved when rounding keeps the clipper's
 * result from being valid.
 */
const GRIDS = [null, 1e9, 1e7];

/**
 * Unions of a union before the next grid is tried. Two suffice for nearly every tangle of the property tests.
 */
const MAX_PASSES = 5;

/**
 * Makes polygons valid, with what that took in `repairs`; null when the clipper fails. Groups without flaws
 * stay as they came.
 */
export function resolveOverlaps(polygons: MultiPolygon, repairs: Set<Repair>): MultiPolygon | null {
  if (polygons.length === 1) return settleGroup(polygons, repairs);
  const settled: MultiPolygon = [];
  for (const group of groupByBox(polygons)) {
    const valid = settleGroup(group, repairs);
    if (valid === null) return null;
    for (const polygon of valid) settled.push(polygon);
  }
  // Groups put parts in another order; what was valid keeps its own.
  return settled.length === polygons.length && settled.every(polygon => polygons.includes(polygon))
    ? polygons
    : settled;
}

/** Snaps until nothing changes. No tangle of the property tests took more than three. */
const MAX_SNAPS = 8;

/**
 * Valid polygons on the grid of 1e-7 degrees, where rounding may fold thin parts over; null when
 * the clipper fails.
 */
export function snapToGrid(polygons: MultiPolygon): MultiPolygon | null {
  let current = polygons;
  for (let i = 0; i < MAX_SNAPS; i++) {
    const snapped = snap(current, 1e7);
    for (const polygon of snapped) windRings(polygon);
    const settled = resolveOverlaps(snapped, new Set());
    if (settled === null || settled === snapped) return settled;
    current = settled;
  }
  return null;
}

/**
 * One boundary of prepared parts of a parcel: equal ones collapse, overlapping ones are united.
 * Throws when that fails.
 */
export function combineParts(parts: MultiPolygon[]): MultiPolygon {
  const distinct = new Map<string, MultiPolygon[number]>();
  for (const polygons of parts) {
    for (const polygon of polygons) {
      const key = polygon.join(';');
      if (!distinct.has(key)) distinct.set(key, polygon);
    }
  }
  if (distinct.size < 2) return [...distinct.values()];
  const united = resolveOverlaps([...distinct.values()], new Set());
  if (united === null)
    throw new Error(`the union of ${distinct.size} parts of one parcel could not be resolved`);
  return united;
}

function settleGroup(polygons: MultiPolygon, repairs: Set<Repair>): MultiPolygon | null {
  const flaws = findFlaws(polygons);
  if (flaws === null) return polygons;
  const { found } = flaws;
  const clipped = unionOf(found.has('hole_outside_shell') ? freeStrayHoles(polygons) : polygons);
  if (clipped === null) return null;
  if (found.size === 0) {
    if (sameShape(clipped, polygons)) return polygons;
    found.add(clipped.length < polygons.length ? 'parts_merged' : 'self_touch_split');
  }
  for (const repair of found) repairs.add(repair);
  return clipped;
}

/**
 * By polyclip-ts, whose rounding may leave a corner beyond an edge: an invalid result is noded and united
 * again, then on coarser grids.
 */
function unionOf(polygons: MultiPolygon): MultiPolygon | null {
  for (const grid of GRIDS) {
    let current = grid === null ? polygons : snap(polygons, grid);
    for (let pass = 0; pass < MAX_PASSES && current.length > 0; pass++) {
      const united = clip(() => union(current)) ?? clip(() => union(current), NEAR_DEG);
      if (united === null) break;
      current = clean(united);
      if (isValid(current)) return current;
      current = clean(nodeNearMisses(current));
      if (isValid(current)) return current;
    }
  }
  return null;
}

/**
 * Clips with coordinates closer than `toleranceDeg` taken as equal; null when the clipper gives up, as it
 * does on edges that nearly coincide.
 */
function clip(operation: () => MultiPolygon, toleranceDeg?: number): MultiPolygon | null {
  setPrecision(toleranceDeg);
  try {
    return operation();
  } catch {
    return null;
  } finally {
    setPrecision(); // The tolerance is the library's, not the call's.
  }
}

function isValid(polygons: MultiPolygon): boolean {
  if (polygons.length === 0) return true;
  if (!polygons.every(isWound)) return false;
  const flaws = findFlaws(polygons);
  return flaws === null || flaws.found.size === 0;
}

/**
 * A hole that shares no area with its shell is really a part: GeoJSON writers put parts there, and dropping
 * it would lose land.
 */
function freeStrayHoles(polygons: MultiPolygon): MultiPolygon {
  return polygons.flatMap(([shell, ...holes]) => {
    const within: Ring[] = [];
    const stray: Polygon[] = [];
    for (const hole of holes) {
      const shared = clip(() => intersection([hole], [shell!]), NEAR_DEG);
      if (shared?.length === 0) stray.push([hole]);
      else within.push(hole);
    }
    return [[shell!, ...within], ...stray];
  });
}

/** Did the union leave everything as it was, by rings and planar area? Then touching rings were valid. */
function sameShape(a: MultiPolygon, b: MultiPolygon): boolean {
  if (a.length !== b.length || a.flat().length !== b.flat().length) return false;
  const areaA = planarArea(a);
  return Math.abs(areaA - planarArea(b)) <= 1e-9 * areaA;
}

/** Rings as the clipper left them, without what rounding made of slivers. */
function clean(polygons: MultiPolygon): MultiPolygon {
  const kept: MultiPolygon = [];
  for (const polygon of polygons) {
    const rings = polygon.map(ring => cleanRing(ring, new Set()));
    if (!Array.isArray(rings[0])) continue;
    kept.push(rings.filter(ring => Array.isArray(ring)));
  }
  return kept;
}

function isWound(polygon: Polygon): boolean {
  return polygon.every((ring, i) => isCounterClockwise(ring) === (i === 0));
}

function snap(polygons: MultiPolygon, grid: number): MultiPolygon {
  const round = ([lon, lat]: Position): Position => [
    Math.round(lon * grid) / grid,
    Math.round(lat * grid) / grid,
  ];
  return clean(polygons.map(polygon => polygon.map(ring => ring.map(round))));
}

/** Groups of polygons connected by meeting boxes, in the order of their first members. */
function groupByBox(polygons: MultiPolygon): MultiPolygon[] {
  // Holes count too: one that lies beyond its shell may end as a part.
  const boxes = polygons.map(polygon => boxOf(polygon.map(ring => [ring])));
  let groups: number[][] = [];
  for (const [i, box] of boxes.entries()) {
    const met = groups.filter(group => group.some(j => boxesIntersect(boxes[j]!, box)));
    groups = [...groups.filter(group => !met.includes(group)), [...met.flat(), i].sort((j, k) => j - k)];
  }
  return groups.sort((a, b) => a[0]! - b[0]!).map(group => group.map(i => polygons[i]!));
}

/**
 * Puts a corner into edges that run past another by less than rounding (Hobby 1999). Quadratic: few need it.
 */
function nodeNearMisses(polygons: MultiPolygon): MultiPolygon {
  const corners = polygons.flat(2);
  return polygons.map(polygon => polygon.map(ring => nodeRing(ring, corners)));
}

function nodeRing(ring: Ring, corners: Position[]): Ring {
  const noded: Ring = [ring[0]!];
  for (let i = 1; i < ring.length; i++) {
    const from = ring[i - 1]!;
    const to = ring[i]!;
    const passed = corners.filter(corner => passesBy(corner, from, to));
    passed.sort((a, b) => along(a, from, to) - along(b, from, to));
    noded.push(...passed, to);
  }
  return noded;
}

/** Is the corner within `NEAR_DEG` of the edge, between its ends and not one of them? */
function passesBy(corner: Position, from: Position, to: Position): boolean {
  for (const k of [0, 1] as const) {
    if (corner[k] < Math.min(from[k], to[k]) - NEAR_DEG || corner[k] > Math.max(from[k], to[k]) + NEAR_DEG)
      return false;
  }
  const fraction = along(corner, from, to);
  if (fraction <= 0 || fraction >= 1) return false;
  const dLon = to[0] - from[0];
  const dLat = to[1] - from[1];
  const cross = dLon * (corner[1] - from[1]) - dLat * (corner[0] - from[0]);
  if (Math.abs(cross) > NEAR_DEG * Math.hypot(dLon, dLat)) return false;
  return !(corner[0] === from[0] && corner[1] === from[1]) && !(corner[0] === to[0] && corner[1] === to[1]);
}

/** How far along the edge a corner lies: 0 at its beginning, 1 at its end. */
function along(corner: Position, from: Position, to: Position): number {
  const dLon = to[0] - from[0];
  const dLat = to[1] - from[1];
  return ((corner[0] - from[0]) * dLon + (corner[1] - from[1]) * dLat) / (dLon * dLon + dLat * dLat);
}
