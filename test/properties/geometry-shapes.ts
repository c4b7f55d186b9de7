import fc from 'fast-check';
import geographiclib from 'geographiclib-geodesic';
import { orient2d } from 'robust-predicates';
import type { MultiPolygon, Polygon, Position, Ring } from '../../shared/geo/geometry-types.ts';

/** Arbitraries of parcel shapes and plain, slow readings of what the kernels promise about them. */

const M_PER_DEG = 111_195;
const RAD = Math.PI / 180;

/** Local meters east and north of a place, as degrees. */
export function place(lon: number, lat: number, meters: [number, number][]): Ring {
  const east = M_PER_DEG * Math.cos(lat * RAD);
  const ring = meters.map(([x, y]): Position => [lon + x / east, lat + y / M_PER_DEG]);
  return [...ring, [...ring[0]!] as Position];
}

/** Between two sizes with every order of magnitude alike. */
const logSize = (min: number, max: number) =>
  fc.double({ min: Math.log(min), max: Math.log(max), noNaN: true }).map(Math.exp);

const unit = fc.double({ min: 0, max: 1, noNaN: true });

const site = fc.record({
  lon: fc.double({ min: -179, max: 179, noNaN: true }),
  lat: fc.double({ min: -60, max: 71, noNaN: true }),
});

/**
 * A star-shaped (so simple, mostly concave) outline of 3 to 20 corners between `inner` and `outer`
 * meters from its center.
 */
const outline = (inner: number, outer: number) =>
  fc.array(fc.tuple(unit, unit), { minLength: 3, maxLength: 20 }).map(corners =>
    corners.map(([turn, reach], i): [number, number] => {
      const angle = (2 * Math.PI * (i + 0.9 * turn)) / corners.length;
      const radius = inner + reach * (outer - inner);
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    }),
  );

/** A concave parcel of `min` to `max` meters across, one in two with a hole. */
export const parcels = (min: number, max: number): fc.Arbitrary<Polygon> =>
  fc
    .record({ site, size: logSize(min, max), shell: outline(0.3, 0.5), hole: fc.option(outline(0.05, 0.1)) })
    .map(({ site: { lon, lat }, size, shell, hole }) => {
      const scale = (shape: [number, number][]) =>
        shape.map(([x, y]): [number, number] => [x * size, y * size]);
      const polygon = [place(lon, lat, scale(shell))];
      // Three corners may make a shell that leaves its center out; a hole there would not lie within it.
      if (hole !== null && shell.length >= 8) polygon.push(place(lon, lat, scale(hole)).reverse());
      return polygon;
    });

/** A strip of `length` meters by 1 to 20 m, at any bearing, with its far end cut aslant. */
export const slivers = (minLength: number, maxLength: number): fc.Arbitrary<Polygon> =>
  fc
    .record({ site, length: logSize(minLength, maxLength), width: logSize(1, 20), bearing: unit, cut: unit })
    .map(({ site: { lon, lat }, length, width, bearing, cut }) => {
      const [s, c] = [Math.sin(2 * Math.PI * bearing), Math.cos(2 * Math.PI * bearing)];
      const corners = [
        [0, 0],
        [length, 0],
        [length * (0.2 + 0.8 * cut), width],
        [0, width],
      ];
      return [
        place(
          lon,
          lat,
          corners.map(([x, y]): [number, number] => [c * x! - s * y!, s * x! + c * y!]),
        ),
      ];
    });

/**
 * Closed rings of random corners on a coarse grid: they cross, touch, retrace and repeat
 * themselves in every way.
 */
export const tangles: fc.Arbitrary<Ring> = fc
  .tuple(
    fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })), {
      minLength: 3,
      maxLength: 11,
    }),
    fc.constantFrom(1, 1e-3, 0.37e-4),
  )
  .map(([corners, scale]) => {
    const ring = corners.map(([x, y]): Position => [-72 + x * scale, 43 + y * scale]);
    return [...ring, [...ring[0]!] as Position];
  });

export function geographicLibAreaSqM(polygons: MultiPolygon): number {
  let total = 0;
  for (const polygon of polygons) {
    for (const [i, ring] of polygon.entries()) {
      const area = geographiclib.Geodesic.WGS84.Polygon(false);
      for (const [lon, lat] of ring.slice(1)) area.AddPoint(lat, lon);
      total += (i === 0 ? 1 : -1) * Math.abs(area.Compute(false, true).area!);
    }
  }
  return total;
}

/** How often a closed ring winds around a point that is not on it (Sunday 2001). */
export function windingNumber([x, y]: Position, ring: Ring): number {
  let winding = 0;
  for (let i = 1; i < ring.length; i++) {
    const [x1, y1] = ring[i - 1]!;
    const [x2, y2] = ring[i]!;
    const left = -orient2d(x1, y1, x2, y2, x, y);
    if (y1 <= y && y2 > y && left > 0) winding++;
    if (y1 > y && y2 <= y && left < 0) winding--;
  }
  return winding;
}

/**
 * OGC rules that can be read edge by edge: no ring meets itself, and no two rings cross or
 * run along each other.
 */
export function isClean(polygons: MultiPolygon): boolean {
  const edges = polygons
    .flat()
    .flatMap((ring, r) => ring.slice(1).map((to, i) => ({ from: ring[i]!, to, r, i, n: ring.length - 1 })));
  for (const [k, a] of edges.entries()) {
    for (const b of edges.slice(k + 1)) {
      const neighbors = a.r === b.r && (b.i - a.i === 1 || b.i - a.i === a.n - 1);
      const sides = [
        side(a.from, a.to, b.from),
        side(a.from, a.to, b.to),
        side(b.from, b.to, a.from),
        side(b.from, b.to, a.to),
      ];
      const [p, q, r, s] = sides as [number, number, number, number];
      const cross = p * q < 0 && r * s < 0;
      const inLine = p === 0 && q === 0 && overlap(a.from, a.to, b.from, b.to);
      const touch =
        [b.from, b.to].some(v => onEdge(v, a.from, a.to)) ||
        [a.from, a.to].some(v => onEdge(v, b.from, b.to));
      if (cross || inLine || (touch && a.r === b.r && !neighbors)) return false;
    }
  }
  return true;
}

function side(a: Position, b: Position, c: Position): number {
  return Math.sign(-orient2d(a[0], a[1], b[0], b[1], c[0], c[1]));
}

function onEdge(v: Position, a: Position, b: Position): boolean {
  const within = (k: 0 | 1) => Math.min(a[k], b[k]) <= v[k] && v[k] <= Math.max(a[k], b[k]);
  return side(a, b, v) === 0 && within(0) && within(1);
}

function overlap(a: Position, b: Position, c: Position, d: Position): boolean {
  const shared = (k: 0 | 1) =>
    Math.min(Math.max(a[k], b[k]), Math.max(c[k], d[k])) -
    Math.max(Math.min(a[k], b[k]), Math.min(c[k], d[k]));
  return shared(0) >= 0 && shared(1) >= 0 && (shared(0) > 0 || shared(1) > 0);
}
