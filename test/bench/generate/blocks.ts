import { addVertex, type EdgeRing, type Mesh, newMesh, ringThrough, shapeOf, UNIT_M } from './mesh.ts';
import { between, normal, type Random } from './random.ts';

/** The middle of a road, in 1e-7 degree. */
export type Centreline = [from: [x: number, y: number], to: [x: number, y: number]];

/** A block with the mesh that its lots will share. */
export type Block = { mesh: Mesh; edges: EdgeRing; areaSqM: number };

type Point = readonly [x: number, y: number];

/** Half the width of a section road and of a street, in metres; block fronts wander into them by less. */
const SECTION_ROAD_M = 11;
const STREET_M = 8;
const WANDER_M = 2;
/** No street where a block would end up narrower than this. */
const MIN_BLOCK_M = 45;
/** One bend in a block's front for about every so many metres. */
const BEND_M = 110;

/**
 * Cuts a section into blocks with streets between them, for about 8 to 24 lots each. The streets' middles go on to the middle
 * of the street that they end in, or near that of a section road.
 * @param quad the section's corners, counter-clockwise and convex, in integers of 1e-7 degree.
 * @param scaleX metres in a unit of longitude.
 */
export function cutBlocks(
  quad: [number, number][],
  lots: number,
  scaleX: number,
  random: Random,
): { blocks: Block[]; streets: Centreline[] } {
  const [originX, originY] = quad[0]!;
  const corners: Point[] = quad.map(([x, y]) => [(x - originX) * scaleX, (y - originY) * UNIT_M]);
  let section = corners;
  corners.forEach((corner, i) => {
    const next = corners[(i + 1) % corners.length]!;
    section = leftOf(section, corner, [next[0] - corner[0], next[1] - corner[1]], SECTION_ROAD_M);
  });

  const blocks = [section];
  const streets: Centreline[] = [];
  const wanted = Math.round(lots / between(random, 8, 24));
  while (blocks.length < wanted) {
    const largest = blocks.reduce((best, block, i) => (area(block) > area(blocks[best]!) ? i : best), 0);
    const halves = cutByStreet(blocks[largest]!, random);
    if (halves === undefined) break;
    blocks.splice(largest, 1, ...halves.blocks);
    const [from, to] = halves.street.map(([x, y]): [number, number] => [
      originX + x / scaleX,
      originY + y / UNIT_M,
    ]);
    streets.push([from!, to!]);
  }
  return { blocks: blocks.map(block => meshOf(block, originX, originY, scaleX, random)), streets };
}

/** Two blocks with a street between them, across the longest side; undefined where they would be too narrow. */
function cutByStreet(
  block: Point[],
  random: Random,
): { blocks: [Point[], Point[]]; street: [Point, Point] } | undefined {
  let longest: Point = [0, 0];
  for (const [i, [x, y]] of block.entries()) {
    const [nextX, nextY] = block[(i + 1) % block.length]!;
    if (Math.hypot(nextX - x, nextY - y) > Math.hypot(...longest)) longest = [nextX - x, nextY - y];
  }
  const turn = Math.PI / 2 + 0.03 * normal(random);
  const way: Point = [
    longest[0] * Math.cos(turn) - longest[1] * Math.sin(turn),
    longest[0] * Math.sin(turn) + longest[1] * Math.cos(turn),
  ];
  const [x, y] = centroid(block);
  const shift = 0.08 * normal(random);
  const through: Point = [x + shift * longest[0], y + shift * longest[1]];
  const left = leftOf(block, through, way, STREET_M);
  const right = leftOf(block, through, [-way[0], -way[1]], STREET_M);
  if (!isWide(left) || !isWide(right)) return undefined;
  return { blocks: [left, right], street: chord(block, through, way) };
}

/** The part of a line in a convex polygon, and half a street more at either end. */
function chord(polygon: Point[], [px, py]: Point, [dx, dy]: Point): [Point, Point] {
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  let [first, last] = [Infinity, -Infinity];
  for (const [i, [x, y]] of polygon.entries()) {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!;
    const here = ux * (y - py) - uy * (x - px);
    const there = ux * (nextY - py) - uy * (nextX - px);
    if (here >= 0 === there >= 0) continue;
    const share = here / (here - there);
    const along = (x + share * (nextX - x) - px) * ux + (y + share * (nextY - y) - py) * uy;
    first = Math.min(first, along);
    last = Math.max(last, along);
  }
  const at = (along: number): Point => [px + along * ux, py + along * uy];
  return [at(first - STREET_M), at(last + STREET_M)];
}

/** The part of a convex polygon that lies at least `distanceM` to the left of a line (Sutherland and Hodgman 1974). */
function leftOf(polygon: Point[], [px, py]: Point, [dx, dy]: Point, distanceM: number): Point[] {
  const length = Math.hypot(dx, dy);
  const height = ([x, y]: Point) => ((y - py) * dx - (x - px) * dy) / length - distanceM;
  const kept: Point[] = [];
  for (const [i, point] of polygon.entries()) {
    const next = polygon[(i + 1) % polygon.length]!;
    const here = height(point);
    const there = height(next);
    if (here >= 0) kept.push(point);
    if (here >= 0 !== there >= 0) {
      const share = here / (here - there);
      kept.push([point[0] + share * (next[0] - point[0]), point[1] + share * (next[1] - point[1])]);
    }
  }
  return kept;
}

function isWide(polygon: Point[]): boolean {
  if (polygon.length < 3) return false;
  let perimeter = 0;
  for (const [i, [x, y]] of polygon.entries()) {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!;
    perimeter += Math.hypot(nextX - x, nextY - y);
  }
  // A rectangle a by b has 2ab/(a + b) here, which lies between its narrow side and twice that.
  return (4 * area(polygon)) / perimeter > MIN_BLOCK_M;
}

function area(polygon: Point[]): number {
  let sum = 0;
  for (const [i, [x, y]] of polygon.entries()) {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!;
    sum += x * nextY - nextX * y;
  }
  return sum / 2;
}

function centroid(polygon: Point[]): Point {
  return [
    polygon.reduce((sum, [x]) => sum + x, 0) / polygon.length,
    polygon.reduce((sum, [, y]) => sum + y, 0) / polygon.length,
  ];
}

function meshOf(polygon: Point[], originX: number, originY: number, scaleX: number, random: Random): Block {
  const mesh = newMesh(scaleX, UNIT_M);
  const vertices: number[] = [];
  const place = (x: number, y: number) =>
    vertices.push(addVertex(mesh, originX + Math.round(x / scaleX), originY + Math.round(y / UNIT_M)));
  for (const [i, [x, y]] of polygon.entries()) {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!;
    const length = Math.hypot(nextX - x, nextY - y);
    place(x, y);
    const bends = Math.floor(length / BEND_M + random());
    for (let k = 1; k <= bends; k++) {
      const share = (k - 0.25 + 0.5 * random()) / (bends + 1);
      const off = (WANDER_M * (2 * random() - 1)) / length;
      place(x + share * (nextX - x) + off * (nextY - y), y + share * (nextY - y) - off * (nextX - x));
    }
  }
  const edges = ringThrough(mesh, vertices);
  return { mesh, edges, areaSqM: shapeOf(mesh, edges).areaSqM };
}
