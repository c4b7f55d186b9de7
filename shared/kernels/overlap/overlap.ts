import { boxOf } from '../../geo/box.ts';
import type { MultiPolygon } from '../../geo/types.ts';
import { clipRing, newEdges, type Origin, type Window } from './clip.ts';
import { addPolygon, coverFrom, forgetAll, isInside, newMembership } from './membership.ts';
import { type ByPlace, type IndexedPolygon, indexPolygons, near } from './polygons.ts';
import { type Areas, newSweep, type Weight } from './sweep.ts';
import { areaWeight } from './weight.ts';

export type PreparedOverlap = {
  /**
   * Percent of a shape's area that lies in the union of the layer's polygons: 0 to 100, exact but for the rounding of doubles. Of the
   * area on the WGS84 ellipsoid, edges being straight in degrees. Parts of the shape that overlap count once. The shape must have area.
   */
  percentOf(shape: MultiPolygon): number;
};

/** From so many edges on a window is halved: the time of a sweep grows with their number times how many are abreast. */
const MAX_EDGES = 256;

/** Where more edges than that meet in one point no halving parts them. */
const MAX_HALVINGS = 40;

/**
 * A layer ready to be asked how much of a shape it covers. Its polygons may overlap; rings may have any direction and cross themselves
 * (what a ring winds around is in it), and holes may leave their shells and overlap (a place in one of them is out).
 * An answer costs what the edges near the shape cost, however many the polygons have elsewhere.
 */
export function prepareOverlap(polygons: readonly MultiPolygon[]): PreparedOverlap {
  const layer = indexPolygons(polygons.flat());
  return { percentOf: shape => percentOf(layer, shape) };
}

type Polygons = ByPlace<IndexedPolygon>;

// One of each for all layers, as questions are answered one after the other. They and the functions are not made anew for
// every layer: V8 keeps what it has compiled of functions only while they live.
const edges = newEdges();
const place = newMembership();
const sweep = newSweep();

function percentOf(layer: Polygons, shape: MultiPolygon): number {
  const [west, south, east, north] = boxOf(shape);
  const box = { west, south, east, north };
  const middle = { x: (west + east) / 2, y: (south + north) / 2 };
  start();
  gather(layer, false, box, middle, 0);
  if (edges.count === 0) return place.inLayer > 0 ? 100 : 0;

  const areas = { shape: 0, overlap: 0 };
  measure(layer, indexPolygons(shape), box, middle, areaWeight(south, north), areas, 0);
  // The two sums are rounded apart from each other.
  return areas.shape > 0 ? Math.min(100, Math.max(0, (100 * areas.overlap) / areas.shape)) : 0;
}

/** Adds what a window has of a shape and of its overlap with a layer to `areas`. */
function measure(
  layer: Polygons,
  shape: Polygons,
  window: Window,
  origin: Origin,
  weight: Weight,
  areas: Areas,
  halvings: number,
): void {
  const most = halvings < MAX_HALVINGS ? MAX_EDGES : Infinity;
  start();
  gather(shape, true, window, origin, most);
  if (edges.count === 0 && place.inShape === 0) return;
  gather(layer, false, window, origin, most);
  if (edges.count > most) {
    for (const half of halves(window)) measure(layer, shape, half, origin, weight, areas, halvings + 1);
    return;
  }
  const frame = {
    west: window.west - origin.x,
    south: window.south - origin.y,
    east: window.east - origin.x,
    north: window.north - origin.y,
  };
  sweep(edges, place, frame, weight, areas);
}

function start(): void {
  edges.count = 0;
  forgetAll(place);
}

/** Adds the polygons' edges in a window until there are more than `most`, or none when one of the polygons covers it all. */
function gather(polygons: Polygons, isShape: boolean, window: Window, origin: Origin, most: number): void {
  const before = { edges: edges.count, rings: place.rings, polygons: place.polygons };
  for (const { shell, holes } of near(polygons, window)) {
    if (edges.count > most) return;
    const count = edges.count;
    const windings = [clipRing(shell, place.rings, window, origin, edges)];
    for (const hole of near(holes, window)) {
      windings.push(clipRing(hole, place.rings + windings.length, window, origin, edges));
    }
    if (edges.count > count) addPolygon(place, isShape, windings);
    else if (isInside(windings)) {
      edges.count = before.edges;
      coverFrom(place, isShape, before);
      return;
    }
  }
}

function halves({ west, south, east, north }: Window): [Window, Window] {
  if (east - west > north - south) {
    const middle = (west + east) / 2;
    return [
      { west, south, east: middle, north },
      { west: middle, south, east, north },
    ];
  }
  const middle = (south + north) / 2;
  return [
    { west, south, east, north: middle },
    { west, south: middle, east, north },
  ];
}
