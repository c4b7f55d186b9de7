import { intersection, setPrecision, union } from 'polyclip-ts';
import { boxesIntersect, boxOf } from './box.ts';
import type { Repair } from './geometry-checks.ts';
import { findFlaws } from './geometry-flaws.ts';
import type { MultiPolygon, Polygon, Position, Ring } from './geometry-types.ts';
import { cleanRing, isCounterClockwise, planarArea, windRings } from './ring.ts';

/** 0.1 micrometers on the ground: a hundred times the rounding error of a double near 180 degrees. */
const NEAR_DEG = 1e-12;

/** Grids (in steps per degree) to round to, one after another, until the clipper's result is valid. */
const GRIDS = [null, 1e9, 1e7];

/**
 * Maximum number of unions per grid before the next grid is tried. In the property tests, two are nearly
 * always enough.
 */
const MAX_PASSES = 5;

/**
 * Makes polygons valid and adds the repairs to `repairs`. Returns null if the clipper fails. Groups of valid
 * polygons are returned unchanged.
 */
export function resolveOverlaps(polygons: MultiPolygon, repairs: Set<Repair>): MultiPolygon | null {
  if (polygons.length === 1) return repairGroup(polygons, repairs);
  const settled: MultiPolygon = [];
  for (const group of groupByBox(polygons)) {
    const valid = repairGroup(group, repairs);
    if (valid === null) return null;
    for (const polygon of valid) settled.push(polygon);
  }
  // Return valid input as it is, because grouping would change the order of its parts.
  return settled.length === polygons.length && settled.every(polygon => polygons.includes(polygon))
    ? polygons
    : settled;
}

/** Maximum number of rounds until rounding changes nothing. The property tests need up to three. */
const MAX_SNAPS = 8;

/**
 * Rounds valid polygons to 1e-7 degrees and repairs what rounding makes invalid. Returns null if the clipper
 * fails.
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
 * Combines the prepared parts of a parcel into one boundary: drops duplicates and unites overlapping parts.
 * Throws if the union fails.
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
  if (united === null) throw new Error(`could not compute the union of ${distinct.size} parts of one parcel`);
  return united;
}

function repairGroup(polygons: MultiPolygon, repairs: Set<Repair>): MultiPolygon | null {
  const flaws = findFlaws(polygons);
  if (flaws === null) return polygons;
  const { repairs: needed } = flaws;
  const clipped = unionOf(needed.has('hole_outside_shell') ? splitStrayHoles(polygons) : polygons);
  if (clipped === null) return null;
  if (needed.size === 0) {
    if (sameShape(clipped, polygons)) return polygons;
    needed.add(clipped.length < polygons.length ? 'parts_merged' : 'self_touch_split');
  }
  for (const repair of needed) repairs.add(repair);
  return clipped;
}

/**
 * Computes the union with polyclip-ts, whose rounding may leave a corner just beyond an edge. If the result
 * is invalid, adds such corners as vertices and computes the union again, first without rounding, then on
 * coarser grids.
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
 * Runs the clipper, treating coordinates closer than `toleranceDeg` as equal. Returns null if the clipper
 * throws, as it does on edges that nearly coincide.
 */
function clip(operation: () => MultiPolygon, toleranceDeg?: number): MultiPolygon | null {
  setPrecision(toleranceDeg);
  try {
    return operation();
  } catch {
    return null;
  } finally {
    setPrecision(); // The tolerance is global to the library.
  }
}

function isValid(polygons: MultiPolygon): boolean {
  if (polygons.length === 0) return true;
  if (!polygons.every(isWound)) return false;
  const flaws = findFlaws(polygons);
  return flaws === null || flaws.repairs.size === 0;
}

/**
 * Turns holes that share no area with their shell into parts. Some GeoJSON writers list parts as holes, and
 * dropping those would lose land.
 */
function splitStrayHoles(polygons: MultiPolygon): MultiPolygon {
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

/** Whether the union kept all rings and the planar area. If so, the touching rings were valid. */
function sameShape(a: MultiPolygon, b: MultiPolygon): boolean {
  if (a.length !== b.length || a.flat().length !== b.flat().length) return false;
  const areaA = planarArea(a);
  return Math.abs(areaA - planarArea(b)) <= 1e-9 * areaA;
}

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

/** Groups polygons whose boxes meet. Groups are in the order of their first members. */
function groupByBox(polygons: MultiPolygon): MultiPolygon[] {
  // Consider holes too, because a hole outside its shell may become a part.
  const boxes = polygons.map(polygon => boxOf(polygon.map(ring => [ring])));
  let groups: number[][] = [];
  for (const [i, box] of boxes.entries()) {
    const met = groups.filter(group => group.some(j => boxesIntersect(boxes[j]!, box)));
    groups = [...groups.filter(group => !met.includes(group)), [...met.flat(), i].sort((j, k) => j - k)];
  }
  return groups.sort((a, b) => a[0]! - b[0]!).map(group => group.map(i => polygons[i]!));
}

/**
 * Adds corners as vertices to edges that pass within rounding distance of them (Hobby 1999). Quadratic, but
 * rarely needed.
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

/** Whether the corner is within `NEAR_DEG` of the edge and between its ends. */
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

/** Position of a corner along the edge: 0 at its start, 1 at its end. */
function along(corner: Position, from: Position, to: Position): number {
  const dLon = to[0] - from[0];
  const dLat = to[1] - from[1];
  return ((corner[0] - from[0]) * dLon + (corner[1] - from[1]) * dLat) / (dLon * dLon + dLat * dLat);
}
