import type { MultiPolygon, Polygon, Position } from '../../shared/geo/geometry-types.ts';
import type { QueryGeometry } from '../../shared/geo/query-geometry.ts';

/**
 * A slow, exact definition of "intersects": checks every pair of edges and every corner, using BigInt
 * arithmetic on decimals. Shares no code with the kernels. Coordinates must be whole numbers of 10^-digits
 * degrees.
 */

type Point = [bigint, bigint];
type Edge = [Point, Point];

export function exactlyIntersects(query: QueryGeometry, parcel: MultiPolygon, digits = 7): boolean {
  const scale = 10 ** digits;
  const point = ([lon, lat]: Position): Point => [
    BigInt(Math.round(lon * scale)),
    BigInt(Math.round(lat * scale)),
  ];
  const polygons = query.polygons.map(polygon => polygon.map(ring => ring.map(point)));
  const lines = query.lines.map(line => line.map(point));
  const points = query.points.map(point);
  const parts = parcel.map(polygon => polygon.map(ring => ring.map(point)));

  const queryEdges = [...polygons.flat(), ...lines].flatMap(edgesOf);
  const parcelEdges = parts.flat().flatMap(edgesOf);
  return (
    queryEdges.some(a => parcelEdges.some(b => edgesMeet(a, b))) ||
    [...points, ...lines.flat(), ...polygons.flat(2)].some(p => parts.some(part => isIn(p, part))) ||
    parts.flat(2).some(p => polygons.some(polygon => isIn(p, polygon)))
  );
}

/** Whether a position is within a polygon or on its edge. */
export function exactlyCovers(polygon: Polygon, position: Position, digits = 7): boolean {
  return exactlyIntersects({ points: [position], lines: [], polygons: [] }, [polygon], digits);
}

function edgesOf(path: Point[]): Edge[] {
  return path.slice(1).map((to, i) => [path[i]!, to]);
}

function sign(n: bigint): number {
  return n > 0n ? 1 : n < 0n ? -1 : 0;
}

function side([a, b]: Edge, c: Point): number {
  return sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

function between(a: bigint, b: bigint, c: bigint): boolean {
  return (a <= c && c <= b) || (b <= c && c <= a);
}

function isOn(edge: Edge, p: Point): boolean {
  const [a, b] = edge;
  return side(edge, p) === 0 && between(a[0], b[0], p[0]) && between(a[1], b[1], p[1]);
}

function edgesMeet(e: Edge, f: Edge): boolean {
  if (side(e, f[0]) * side(e, f[1]) < 0 && side(f, e[0]) * side(f, e[1]) < 0) return true;
  return isOn(e, f[0]) || isOn(e, f[1]) || isOn(f, e[0]) || isOn(f, e[1]);
}

function isIn(p: Point, polygon: Point[][]): boolean {
  const edges = polygon.flatMap(edgesOf);
  if (edges.some(edge => isOn(edge, p))) return true;
  // Casts a ray to the north. An edge includes its western end.
  let inside = false;
  for (const [a, b] of edges) {
    if (a[0] <= p[0] === b[0] <= p[0]) continue;
    const west = a[0] < b[0] ? a : b;
    const east = a[0] < b[0] ? b : a;
    if (side([west, east], p) < 0) inside = !inside;
  }
  return inside;
}
