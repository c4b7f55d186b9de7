import Flatbush from 'flatbush';
import { extent, ringExtent } from '../geometry/extent.ts';
import type { MultiPolygon } from '../geometry/types.ts';
import { clipRing, newEdges, type Origin, type Window } from './clip.ts';
import { addPolygon, coverFrom, forgetAll, isInside, newMembership } from './membership.ts';
import { indexRing, type RingRuns } from './runs.ts';
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

/** The first ring of a polygon, then its holes. */
type IndexedPolygon = RingRuns[];

/**
 * A layer ready to be asked how much of a shape it covers. Its polygons may overlap; rings may have any direction and cross themselves
 * (what a ring winds around is in it), and holes may leave their shells and overlap (a place in one of them is out).
 * An answer costs what the edges near the shape cost, however many the polygons have elsewhere.
 */
export function prepareOverlap(polygons: readonly MultiPolygon[]): PreparedOverlap {
  const layer = polygons.flat().filter(polygon => polygon.length > 0);
  const indexed = layer.map(polygon => polygon.map(indexRing));
  const index = layer.length === 0 ? null : new Flatbush(layer.length);
  for (const polygon of layer) index?.add(...ringExtent(polygon[0]!));
  index?.finish();

  const edges = newEdges();
  const place = newMembership();
  const sweep = newSweep();

  return {
    percentOf(shape) {
      const [west, south, east, north] = extent(shape);
      const box = { west, south, east, north };
      const middle = { x: (west + east) / 2, y: (south + north) / 2 };
      start();
      gather(layerNear(box), false, box, middle);
      if (edges.count === 0) return place.inLayer > 0 ? 100 : 0;

      const areas = { shape: 0, overlap: 0 };
      const parts = shape.map(polygon => polygon.map(indexRing));
      measure(parts, box, middle, areaWeight(south, north), areas, 0);
      // The two sums are rounded apart from each other.
      return areas.shape > 0 ? Math.min(100, Math.max(0, (100 * areas.overlap) / areas.shape)) : 0;
    },
  };

  /** Adds what a window has of a shape and of its overlap to `areas`. */
  function measure(
    shape: IndexedPolygon[],
    window: Window,
    origin: Origin,
    weight: Weight,
    areas: Areas,
    halvings: number,
  ): void {
    start();
    gather(shape, true, window, origin);
    if (edges.count === 0 && place.inShape === 0) return;
    if (edges.count <= MAX_EDGES) gather(layerNear(window), false, window, origin);
    if (edges.count > MAX_EDGES && halvings < MAX_HALVINGS) {
      for (const half of halves(window)) measure(shape, half, origin, weight, areas, halvings + 1);
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

  /** Adds the polygons' edges in a window, or none when one of them covers it all. */
  function gather(
    polygons: Iterable<IndexedPolygon>,
    isShape: boolean,
    window: Window,
    origin: Origin,
  ): void {
    const before = { edges: edges.count, rings: place.rings, polygons: place.polygons };
    for (const polygon of polygons) {
      const count = edges.count;
      const windings = polygon.map((ring, i) => clipRing(ring, place.rings + i, window, origin, edges));
      if (edges.count > count) addPolygon(place, isShape, windings);
      else if (isInside(windings)) {
        edges.count = before.edges;
        coverFrom(place, isShape, before);
        return;
      }
    }
  }

  function* layerNear({ west, south, east, north }: Window): Generator<IndexedPolygon> {
    for (const i of index?.search(west, south, east, north) ?? []) yield indexed[i]!;
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
