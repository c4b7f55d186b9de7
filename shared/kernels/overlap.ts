import { bboxClip } from '@turf/bbox-clip';
import Flatbush from 'flatbush';
import { boxOf } from '../geo/box.ts';
import type { Box, MultiPolygon, Polygon } from '../geo/geometry-types.ts';
import { addPolygon, cutEdges, type EdgeList, newEdgeList } from './edge-list.ts';
import { enterBand, fillSweep, levelsOf, newSweep, type Sweep } from './sweep.ts';

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
  if (pieces.length === 0)
    return { of: () => ({ groups: new Float64Array(count), regions: new Map() }), near: () => [] };
  const index = new Flatbush(pieces.length);
  for (const { polygon } of pieces) index.add(...boxOf([polygon]));
  index.finish();
  const near = (box: Box) => index.search(...box).map(i => pieces[i]!);
  const measuring = newMeasuring();
  return {
    near: box => near(box).map(({ polygon }) => polygon),
    of(shape) {
      const box = boxOf(shape);
      const layer = near(box);
      const areas: Areas = {
        shape: 0,
        groups: new Float64Array(count),
        pieces: new Float64Array(layer.length),
        counted: new Int32Array(count),
        strips: 0,
      };
      if (layer.length > 0) {
        const groupsOf = layer.map(({ region }) => regions[region]!.groups);
        measureWithin({ shapes: shape.length, groupsOf, areas, ...measuring }, shape, layer, box);
      }
      const percent = (area: number) => (areas.shape > 0 ? (100 * area) / areas.shape : 0);
      return {
        groups: areas.groups.map(percent),
        regions: sharesOfRegions(layer, areas.pieces.map(percent)),
      };
    },
  };
}

function sharesOfRegions(layer: readonly Piece[], shares: Float64Array): Map<number, number> {
  const regions = new Map<number, number>();
  for (const [i, { region }] of layer.entries())
    if (shares[i]! > 0) regions.set(region, (regions.get(region) ?? 0) + shares[i]!);
  return regions;
}

function subdivide(piece: Piece, box: Box, halvings: number): Piece[] {
  if (verticesOf(piece.polygon) <= MAX_VERTICES || halvings === MAX_HALVINGS) return [piece];
  return halves(box).flatMap(half =>
    clip(piece.polygon, half).flatMap(polygon => subdivide({ ...piece, polygon }, half, halvings + 1)),
  );
}

/**
 * Clips a polygon to a box. Where a ring is outside, the result follows the box's sides, which leaves the
 * parity inside unchanged.
 */
function clip(coordinates: Polygon, box: Box): Polygon[] {
  const rings = bboxClip({ type: 'Polygon', coordinates }, box).geometry.coordinates as Polygon;
  return rings.length > 0 ? [rings] : [];
}

const verticesOf = (rings: Polygon) => rings.reduce((count, ring) => count + ring.length - 1, 0);

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
type Areas = {
  shape: number;
  groups: Float64Array;
  /** By the piece's position among those near the shape. */
  pieces: Float64Array;
  /** The strip that was last counted in each group, and the number of strips. */
  counted: Int32Array;
  strips: number;
};

/** Memory that measuring reuses. */
type Measuring = {
  /** The edges within each nested box. */
  lists: EdgeList[];
  sweep: Sweep;
  /** The shape's polygons and the layer's pieces that a place in a band is in. */
  within: number[];
  around: number[];
};

const newMeasuring = (): Measuring => ({
  lists: Array.from({ length: MAX_HALVINGS + 1 }, newEdgeList),
  sweep: newSweep(),
  within: [],
  around: [],
});

/** What to measure. The shape's polygons have the first numbers, followed by the layer's pieces. */
type Task = Measuring & { shapes: number; groupsOf: readonly (readonly number[])[]; areas: Areas };

function measureWithin(task: Task, shape: MultiPolygon, layer: readonly Piece[], box: Box): void {
  const list = task.lists[0]!;
  list.length = 0;
  for (const [i, polygon] of shape.entries()) addPolygon(list, polygon, i, box);
  for (const [i, { polygon }] of layer.entries()) addPolygon(list, polygon, shape.length + i, box);
  measure(task, box, 0);
}

function measure(task: Task, box: Box, halvings: number): void {
  const { lists, shapes, sweep } = task;
  const list = lists[halvings]!;
  // The shape's edges come first.
  if (list.length === 0 || list.polygons[0]! >= shapes) return;
  if (list.length <= MAX_VERTICES || halvings === MAX_HALVINGS) {
    fillSweep(sweep, list);
    addBands(task);
    return;
  }
  for (const half of halves(box)) {
    cutEdges(list, lists[halvings + 1]!, half);
    measure(task, half, halvings + 1);
  }
}

/**
 * Cuts the plane into bands at the latitudes where edges end or cross. Within a band, edges keep their order
 * and bound trapezoids. Simpson's rule computes their weighted area exactly, up to rounding.
 */
function addBands(task: Task): void {
  const { sweep } = task;
  const levels = levelsOf(sweep);
  for (let i = 1; i < levels.length; i++) {
    const south = levels[i - 1]!;
    const north = levels[i]!;
    if (south === north) continue;
    enterBand(sweep, south, north);
    addBand(task, south, north);
  }
}

function addBand(task: Task, south: number, north: number): void {
  const { shapes, areas, within, around } = task;
  const { active, actives, low, high, polygons } = task.sweep;
  const middleWeight = 2 * weightAt((south + north) / 2);
  const lower = ((north - south) * (weightAt(south) + middleWeight)) / 6;
  const upper = ((north - south) * (weightAt(north) + middleWeight)) / 6;
  for (let i = 0; i < actives; i++) {
    const edge = active[i]!;
    if (within.length > 0) {
      const before = active[i - 1]!;
      const area = lower * (low[edge]! - low[before]!) + upper * (high[edge]! - high[before]!);
      areas.shape += area;
      if (around.length > 0) addOverlap(task, area);
    }
    const polygon = polygons[edge]!;
    if (polygon < shapes) toggle(within, polygon);
    else toggle(around, polygon - shapes);
  }
}

/** A band crosses each polygon an even number of times, so the list is empty after its last edge. */
function toggle(list: number[], item: number): void {
  const at = list.indexOf(item);
  if (at < 0) {
    list.push(item);
    return;
  }
  list[at] = list.at(-1)!;
  list.pop();
}

/** Adds an area of the shape that is in some of the layer's pieces. A group that they share counts once. */
function addOverlap({ areas, groupsOf, around }: Task, area: number): void {
  const { groups, pieces, counted } = areas;
  areas.strips++;
  for (const piece of around) {
    pieces[piece]! += area;
    for (const group of groupsOf[piece]!) {
      if (counted[group] === areas.strips) continue;
      counted[group] = areas.strips;
      groups[group]! += area;
    }
  }
}

/** First eccentricity of WGS84, squared: f (2 - f) with f = 1 / 298.257223563 (NIMA TR8350.2). */
const E2 = (2 - 1 / 298.257223563) / 298.257223563;
const RAD = Math.PI / 180;

/** Relative area of a small rectangle in degrees (Snyder 1987, USGS PP 1395, eqs. 4-18 to 4-20). */
function weightAt(latDeg: number): number {
  const sin2 = Math.sin(latDeg * RAD) ** 2;
  return Math.sqrt(1 - sin2) / (1 - E2 * sin2) ** 2;
}
