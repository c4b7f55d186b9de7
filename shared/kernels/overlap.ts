import { bboxClip } from '@turf/bbox-clip';
import Flatbush from 'flatbush';
import { boxOf } from '../geo/box.ts';
import type { Box, MultiPolygon, Polygon } from '../geo/geometry-types.ts';

/** An area of a layer. The groups are those in which it counts, such as its class. */
export type Region = { shape: MultiPolygon; groups: readonly number[] };

/** Percentages of a shape's area. Edges are straight in degrees. */
export type Shares = {
  /** The share within the union of each group's regions. */
  groups: Float64Array;
  /** The share within each region that has any, by the region's position in the layer. */
  regions: ReadonlyMap<number, number>;
};

export type PreparedShares = {
  of(shape: MultiPolygon): Shares;
  /** Pieces of the layer's polygons. Near the box, they cover the same ground. */
  near(box: Box): Polygon[];
};

export type PreparedOverlap = {
  /** Percentage of a shape's area within the union of the layer's polygons. */
  percentOf(shape: MultiPolygon): number;
  near: PreparedShares['near'];
};

/** Prepares a layer of valid polygons, which may overlap. */
export function prepareOverlap(polygons: readonly MultiPolygon[]): PreparedOverlap {
  const shares = prepareShares(
    polygons.map(shape => ({ shape, groups: [0] })),
    1,
  );
  return { percentOf: shape => shares.of(shape).groups[0]!, near: shares.near };
}

/**
 * Polygons and windows with more vertices are split, because time grows with the square of a window's vertex
 * count.
 */
const MAX_VERTICES = 128;

/** Limit on nested splits, because splitting can't separate more than MAX_VERTICES vertices at one point. */
const MAX_HALVINGS = 40;

/** A part of a region that has few vertices. */
type Piece = { polygon: Polygon; region: number };

/**
 * Prepares a layer of valid regions, which may overlap. The cost of a query then depends only on what is near
 * the shape. This is our own code, because @turf/intersect and polyclip-ts are several times slower.
 * @param count the number of groups. The regions' groups are below it
 */
export function prepareShares(regions: readonly Region[], count: number): PreparedShares {
  const pieces: Piece[] = regions.flatMap(({ shape }, region) =>
    shape.flatMap(polygon => subdivide({ polygon, region }, boxOf([polygon]), 0)),
  );
  const groupsOf = regions.map(({ groups }) => groups);
  if (pieces.length === 0)
    return { of: () => ({ groups: new Float64Array(count), regions: new Map() }), near: () => [] };
  const index = new Flatbush(pieces.length);
  for (const { polygon } of pieces) index.add(...boxOf([polygon]));
  index.finish();
  const near = (box: Box) => index.search(...box).map(i => pieces[i]!);
  return {
    near: box => near(box).map(({ polygon }) => polygon),
    of(shape) {
      const areas: Areas = { shape: 0, groups: new Float64Array(count), regions: new Map() };
      const box = boxOf(shape);
      const layer = clipPieces(near(box), box);
      if (layer.length > 0) measure({ shape, layer, groupsOf }, box, areas, 0);
      const percent = (area: number) => (areas.shape > 0 ? (100 * area) / areas.shape : 0);
      for (const [region, area] of areas.regions) areas.regions.set(region, percent(area));
      return { groups: areas.groups.map(percent), regions: areas.regions };
    },
  };
}

function subdivide(piece: Piece, box: Box, halvings: number): Piece[] {
  if (verticesOf([piece.polygon]) <= MAX_VERTICES || halvings === MAX_HALVINGS) return [piece];
  return halves(box).flatMap(half =>
    clipPieces([piece], half).flatMap(part => subdivide(part, half, halvings + 1)),
  );
}

const clipPieces = (pieces: readonly Piece[], box: Box): Piece[] =>
  pieces.flatMap(({ polygon, region }) => clipAll([polygon], box).map(part => ({ polygon: part, region })));

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

/** Areas of the shape and of its overlaps, in proportion to areas on the ellipsoid. */
type Areas = { shape: number; groups: Float64Array; regions: Map<number, number> };

/** A part of the shape, and of the layer within its box. */
type Part = { shape: Polygon[]; layer: Piece[]; groupsOf: readonly (readonly number[])[] };

function measure(part: Part, box: Box, areas: Areas, halvings: number): void {
  const { shape, layer, groupsOf } = part;
  if (shape.length === 0) return;
  const polygons = layer.map(({ polygon }) => polygon);
  if (verticesOf(shape) + verticesOf(polygons) <= MAX_VERTICES || halvings === MAX_HALVINGS) {
    addBands(edgesOf(shape, polygons), part, areas);
    return;
  }
  for (const half of halves(box))
    measure(
      { shape: clipAll(shape, half), layer: clipPieces(layer, half), groupsOf },
      half,
      areas,
      halvings + 1,
    );
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
function addBands(edges: Edge[], part: Part, areas: Areas): void {
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
    addBand(active, part, south, north, areas);
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

function addBand(active: readonly Edge[], part: Part, south: number, north: number, areas: Areas): void {
  const shapes = part.shape.length;
  const middleWeight = 2 * weightAt((south + north) / 2);
  const lower = ((north - south) * (weightAt(south) + middleWeight)) / 6;
  const upper = ((north - south) * (weightAt(north) + middleWeight)) / 6;
  const within = new Set<number>();
  const around = new Set<number>();
  for (const [i, { polygon, low, high }] of active.entries()) {
    if (within.size > 0) {
      const area = lower * (low - active[i - 1]!.low) + upper * (high - active[i - 1]!.high);
      areas.shape += area;
      if (around.size > 0) addOverlap(around, part, area, areas);
    }
    const set = polygon < shapes ? within : around;
    const key = polygon < shapes ? polygon : polygon - shapes;
    if (!set.delete(key)) set.add(key);
  }
}

/** Adds an area of the shape that is in some of the layer's pieces. A group that they share counts once. */
function addOverlap(
  around: ReadonlySet<number>,
  { layer, groupsOf }: Part,
  area: number,
  areas: Areas,
): void {
  const counted: number[] = [];
  for (const piece of around) {
    const { region } = layer[piece]!;
    areas.regions.set(region, (areas.regions.get(region) ?? 0) + area);
    for (const group of groupsOf[region]!) {
      if (counted.includes(group)) continue;
      counted.push(group);
      areas.groups[group]! += area;
    }
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
