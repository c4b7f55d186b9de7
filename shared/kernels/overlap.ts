import { bboxClip } from '@turf/bbox-clip';
import Flatbush from 'flatbush';
import { boxOf } from '../geo/box.ts';
import type { Box, MultiPolygon, Polygon } from '../geo/geometry-types.ts';

export type PreparedOverlap = {
  /** Percentage of a shape's area within the union of the layer's polygons. Edges are straight in degrees. */
  percentOf(shape: MultiPolygon): number;
};

/**
 * Polygons and windows with more vertices are split, because time grows with the square of a window's vertex
 * count.
 */
const MAX_VERTICES = 128;

/** Limit on nested splits, because splitting can't separate more than MAX_VERTICES vertices at one point. */
const MAX_HALVINGS = 40;

/**
 * Prepares a layer of valid polygons, which may overlap. The cost of a query then depends only on what is
 * near the shape. This is our own code, because @turf/intersect and polyclip-ts are several times slower.
 */
export function prepareOverlap(polygons: readonly MultiPolygon[]): PreparedOverlap {
  const pieces = polygons.flat().flatMap(polygon => subdivide(polygon, boxOf([polygon]), 0));
  if (pieces.length === 0) return { percentOf: () => 0 };
  const index = new Flatbush(pieces.length);
  for (const piece of pieces) index.add(...boxOf([piece]));
  index.finish();
  return {
    percentOf(shape) {
      const box = boxOf(shape);
      const layer = clipAll(
        index.search(...box).map(i => pieces[i]!),
        box,
      );
      if (layer.length === 0) return 0;
      const areas = { shape: 0, overlap: 0 };
      measure(shape, layer, box, areas, 0);
      return areas.shape > 0 ? (100 * areas.overlap) / areas.shape : 0;
    },
  };
}

function subdivide(polygon: Polygon, box: Box, halvings: number): Polygon[] {
  if (verticesOf([polygon]) <= MAX_VERTICES || halvings === MAX_HALVINGS) return [polygon];
  return halves(box).flatMap(half =>
    clipAll([polygon], half).flatMap(piece => subdivide(piece, half, halvings + 1)),
  );
}

/**
 * Clips polygons to a box. Where a ring is outside, the result follows the box's sides, which leaves the
 * parity inside unchanged.
 */
function clipAll(polygons: readonly Polygon[], box: Box): Polygon[] {
  return polygons
    .map(coordinates => bboxClip({ type: 'Polygon', coordinates }, box).geometry.coordinates as Polygon)
    .filter(rings => rings.length > 0);
}

const verticesOf = (polygons: readonly Polygon[]) =>
  polygons.reduce((sum, rings) => rings.reduce((count, ring) => count + ring.length - 1, sum), 0);

function halves([west, south, east, north]: Box): [Box, Box] {
  if (east - west > north - south) {
    const middle = (west + east) / 2;
    return [
      [west, south, middle, north],
      [middle, south, east, north],
    ];
  }
  const middle = (south + north) / 2;
  return [
    [west, south, east, middle],
    [west, middle, east, north],
  ];
}

/** Areas of the shape and of its overlap with the layer, in proportion to areas on the ellipsoid. */
type Areas = { shape: number; overlap: number };

function measure(shape: Polygon[], layer: Polygon[], box: Box, areas: Areas, halvings: number): void {
  if (shape.length === 0) return;
  if (verticesOf(shape) + verticesOf(layer) <= MAX_VERTICES || halvings === MAX_HALVINGS) {
    addBands(edgesOf(shape, layer), shape.length, areas);
    return;
  }
  for (const half of halves(box))
    measure(clipAll(shape, half), clipAll(layer, half), half, areas, halvings + 1);
}

/**
 * An edge from y1 up to y2, at x1 + slope * (y - y1). `low` and `high` are its x at the ends of the current
 * band.
 */
type Edge = { x1: number; y1: number; y2: number; slope: number; polygon: number; low: number; high: number };

/**
 * All edges except horizontal ones, sorted by their lower ends. Polygons are numbered, starting with the
 * shape's polygons.
 */
function edgesOf(shape: readonly Polygon[], layer: readonly Polygon[]): Edge[] {
  const edges: Edge[] = [];
  for (const [polygon, rings] of [...shape, ...layer].entries()) {
    for (const ring of rings) {
      for (let i = 1; i < ring.length; i++) {
        const rises = ring[i]![1] > ring[i - 1]![1];
        const [x1, y1] = ring[rises ? i - 1 : i]!;
        const [x2, y2] = ring[rises ? i : i - 1]!;
        if (y1 !== y2) edges.push({ x1, y1, y2, slope: (x2 - x1) / (y2 - y1), polygon, low: 0, high: 0 });
      }
    }
  }
  return edges.sort((a, b) => a.y1 - b.y1);
}

/**
 * Cuts the plane into bands at the latitudes where edges end or cross. Within a band, edges keep their order
 * and bound trapezoids. Simpson's rule computes their weighted area exactly, up to rounding.
 */
function addBands(edges: Edge[], shapes: number, areas: Areas): void {
  const levels = levelsOf(edges);
  let active: Edge[] = [];
  let next = 0;
  for (let i = 1; i < levels.length; i++) {
    const south = levels[i - 1]!;
    const north = levels[i]!;
    if (south === north) continue;
    active = active.filter(edge => edge.y2 > south);
    while (next < edges.length && edges[next]!.y1 <= south) active.push(edges[next++]!);
    for (const edge of active) {
      edge.low = xAt(edge, south);
      edge.high = xAt(edge, north);
    }
    active.sort((a, b) => a.low + a.high - b.low - b.high);
    addBand(active, shapes, south, north, areas);
  }
}

/** Latitudes where edges end or cross, ascending. */
function levelsOf(edges: readonly Edge[]): Float64Array {
  const levels: number[] = [];
  for (const [i, a] of edges.entries()) {
    levels.push(a.y1, a.y2);
    for (let j = i + 1; j < edges.length && edges[j]!.y1 < a.y2; j++) {
      const b = edges[j]!;
      const north = Math.min(a.y2, b.y2);
      const below = xAt(a, b.y1) - b.x1;
      const above = xAt(a, north) - xAt(b, north);
      if (below * above < 0) levels.push(b.y1 + ((north - b.y1) * below) / (below - above));
    }
  }
  return Float64Array.from(levels).sort();
}

function addBand(active: readonly Edge[], shapes: number, south: number, north: number, areas: Areas): void {
  const middleWeight = 2 * weightAt((south + north) / 2);
  const lower = ((north - south) * (weightAt(south) + middleWeight)) / 6;
  const upper = ((north - south) * (weightAt(north) + middleWeight)) / 6;
  const around = new Set<number>();
  let inShape = 0;
  for (const [i, { polygon, low, high }] of active.entries()) {
    if (inShape > 0) {
      const area = lower * (low - active[i - 1]!.low) + upper * (high - active[i - 1]!.high);
      areas.shape += area;
      if (around.size > inShape) areas.overlap += area;
    }
    const entered = !around.delete(polygon);
    if (entered) around.add(polygon);
    if (polygon < shapes) inShape += entered ? 1 : -1;
  }
}

const xAt = ({ x1, y1, slope }: Edge, y: number): number => x1 + (y - y1) * slope;

/** First eccentricity of WGS84, squared: f (2 - f) with f = 1 / 298.257223563 (NIMA TR8350.2). */
const E2 = (2 - 1 / 298.257223563) / 298.257223563;
const RAD = Math.PI / 180;

/** Relative area of a small rectangle in degrees (Snyder 1987, USGS PP 1395, eqs. 4-18 to 4-20). */
function weightAt(latDeg: number): number {
  const sin = Math.sin(latDeg * RAD);
  return Math.cos(latDeg * RAD) / (1 - E2 * sin * sin) ** 2;
}
