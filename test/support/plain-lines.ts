/** Points, lines, and polygons on a plane in meters, for the simple reference implementations. */
export type Point = readonly [x: number, y: number];
export type Line = readonly [from: Point, to: Point];
/** The edges of one or more polygons, in any order. */
export type Ground = { edges: Line[] };

export function edgesOf(ring: readonly Point[]): Line[] {
  return ring.slice(1).map((to, i) => [ring[i]!, to]);
}

/** A ring's area, in either winding order. */
export function areaOf(ring: readonly Line[]): number {
  const origin = ring[0]![0];
  return Math.abs(ring.reduce((sum, [a, b]) => sum + leftOf([origin, a], b), 0)) / 2;
}

/** Visits equal pieces of a line, each up to half a meter long. */
export function eachPiece([[ax, ay], [bx, by]]: Line, visit: (middle: Point, pieceM: number) => void): void {
  const lengthM = Math.hypot(bx - ax, by - ay);
  const count = Math.ceil(lengthM / 0.5);
  for (let k = 0; k < count; k++) {
    const share = (k + 0.5) / count;
    visit([ax + share * (bx - ax), ay + share * (by - ay)], lengthM / count);
  }
}

export function nearestPoint([[ax, ay], [bx, by]]: Line, [x, y]: Point): Point {
  const [dx, dy] = [bx - ax, by - ay];
  const share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  if (!(share > 0)) return [ax, ay];
  return share >= 1 ? [bx, by] : [ax + share * dx, ay + share * dy];
}

export const distance = ([ax, ay]: Point, [bx, by]: Point) => Math.sqrt((bx - ax) ** 2 + (by - ay) ** 2);
export const onward = ([x, y]: Point, [dx, dy]: Point, byM: number): Point => [x + byM * dx, y + byM * dy];

export function direction([[ax, ay], [bx, by]]: Line): Point {
  const lengthM = Math.hypot(bx - ax, by - ay);
  return [(bx - ax) / lengthM, (by - ay) / lengthM];
}

/** How far (x, y) is to the left of a line, times the line's length. */
export const leftOf = ([[ax, ay], [bx, by]]: Line, [x, y]: Point) =>
  (bx - ax) * (y - ay) - (by - ay) * (x - ax);

export function cross(a: Line, b: Line): boolean {
  return leftOf(a, b[0]) > 0 !== leftOf(a, b[1]) > 0 && leftOf(b, a[0]) > 0 !== leftOf(b, a[1]) > 0;
}

export function gap(a: Line, b: Line): number {
  if (cross(a, b)) return 0;
  const ends = [
    [a, b[0]],
    [a, b[1]],
    [b, a[0]],
    [b, a[1]],
  ] as const;
  return Math.min(...ends.map(([line, p]) => distance(nearestPoint(line, p), p)));
}

/** Even-odd. */
export function holds({ edges }: Ground, [x, y]: Point): boolean {
  let inside = false;
  for (const [[ax, ay], [bx, by]] of edges) {
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  }
  return inside;
}
