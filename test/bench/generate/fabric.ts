import type { Box, MultiPolygon, Position } from '../../../shared/geo/geometry-types.ts';
import type { Road, RoadClass } from '../../../shared/kernels/frontage/frontage.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { createRandom, normal, seedOf } from './random.ts';

/**
 * A ring without its closing vertex: x, y, x, y … in integers of 1e-7 degree. Exteriors are counterclockwise,
 * and holes are clockwise.
 */
export type FlatRing = number[];

export type ParcelShape = {
  kind: 'lot' | 'donut' | 'island' | 'multipart';
  /** The parcel's place in the county, as numbers that start at 1. The three together are unique. */
  section: number;
  block: number;
  lot: number;
  polygons: FlatRing[][];
  /** Measured in the plane of the section, accurate to about 1 part in 1,000. */
  areaSqM: number;
};

export type Section = { number: number; parcels: ParcelShape[]; roads: Road[] };

export type FabricOptions = {
  count: number;
  seed: number;
  /** The rectangle to fill, in degrees. If it is larger than the parcels need, only the middle is used. */
  extent: Box;
};

/**
 * Meters per 1e-7 degree of latitude: the length of the WGS84 equator divided by 360 * 10^7, as for
 * longitude.
 */
const UNIT_M = 0.01113195;

/**
 * Parcels per section, averaged over the county. A section is a square mile of suburb, or a township of
 * farms.
 */
const PARCELS_PER_SECTION = 120;
/** Limits parcels to 8 acres on average, so that a small roll does not turn a county into ranches. */
const MAX_MEAN_SQ_M = 8 * 4046.86;
const ISLAND_SHARE = 0.01;
const MULTIPART_SHARE = 0.015;
/** Share of blocks that have a row of lots no street reaches. */
const INNER_ROW_SHARE = 0.2;
/** Distance from a road's centerline to the lots next to it. */
const ROAD_M = 11;
const STREET_M = 8;
/**
 * Number of steps between two corners of a lot, along a street and away from it, and how far each step is
 * moved at random, as a share of the lot.
 */
const STEPS_ALONG = 3;
const STEPS_AWAY = 2;
const BEND = 0.04;
/** Roads bend every 60 m, by up to a meter, as mapped centerlines do. */
const ROAD_BEND_M = 60;
/** With less land per parcel there is no room for streets. */
const MIN_MEAN_SQ_M = 150;
/**
 * Among the roads between sections, one in HIGHWAY_EVERY is a highway, and one in NORMAL_EVERY is a state or
 * county road.
 */
const HIGHWAY_EVERY = 12;
const NORMAL_EVERY = 3;

/**
 * Generates the parcels of a county, section by section. Sections form a grid with irregular corners and
 * roads between them. A section is a stack of blocks with streets between them, and a block has rows of lots
 * whose bent boundaries match exactly.
 * @throws PlatError `generate` if the extent is too small for that number of parcels
 */
export function* fabric({ count, seed, extent }: FabricOptions): Generator<Section> {
  const [west, south, east, north] = middle(extent, count * MAX_MEAN_SQ_M);
  const scaleX = UNIT_M * Math.cos((((south + north) / 2) * Math.PI) / 180);
  const [widthM, heightM] = [(east - west) * 1e7 * scaleX, (north - south) * 1e7 * UNIT_M];
  const wanted = Math.max(1, Math.round(count / PARCELS_PER_SECTION));
  const columns = Math.max(1, Math.round(Math.sqrt((wanted * widthM) / heightM)));
  const rows = Math.max(1, Math.round(wanted / columns));
  if (widthM * heightM < count * MIN_MEAN_SQ_M)
    throw new PlatError('generate', `${count} parcels do not fit. Ask for fewer or choose a larger county.`);
  // Meters from the southwest corner. Points on the rim are exact. Points inside are moved by up to a twelfth
  // of a section.
  const corner = (column: number, row: number): Position => [
    (widthM / columns) * (column + (column % columns === 0 ? 0 : jitter(seed, 11, column, row) / 12)),
    (heightM / rows) * (row + (row % rows === 0 ? 0 : jitter(seed, 12, column, row) / 12)),
  ];
  const place = ([x, y]: Position): Position => [
    Math.round(west * 1e7 + x / scaleX),
    Math.round(south * 1e7 + y / UNIT_M),
  ];
  // Some sections are dense and others are open: their shares of the parcels are log-normally distributed.
  const random = createRandom(seedOf(seed, 9));
  const weights = Array.from({ length: columns * rows }, () => Math.exp(0.8 * normal(random)));
  const weight = weights.reduce((sum, one) => sum + one, 0);
  let [made, share] = [0, 0];
  for (let number = 1; number <= columns * rows; number++) {
    const [column, row] = [(number - 1) % columns, Math.floor((number - 1) / columns)];
    share += weights[number - 1]! / weight;
    const due = number === columns * rows ? count : Math.round(count * share);
    if (due === made) continue;
    const [southwest, southeast, northeast, northwest] = [
      corner(column, row),
      corner(column + 1, row),
      corner(column + 1, row + 1),
      corner(column, row + 1),
    ] as const;
    /** Computes a position from shares of the section's width and height. */
    const at = (u: number, v: number): Position => [
      (1 - v) * ((1 - u) * southwest[0] + u * southeast[0]) + v * ((1 - u) * northwest[0] + u * northeast[0]),
      (1 - v) * ((1 - u) * southwest[1] + u * southeast[1]) + v * ((1 - u) * northwest[1] + u * northeast[1]),
    ];
    const size: Position = [widthM / columns, heightM / rows];
    const { parcels, streets } = layOut({ number, wanted: due - made, seed, at, place, size, scaleX });
    made = due;
    const road = (roadClass: RoadClass, from: Position, to: Position): Road => {
      const bends = Math.floor(Math.hypot(to[0] - from[0], to[1] - from[1]) / ROAD_BEND_M);
      const line = Array.from({ length: bends + 2 }, (_, i): Position => {
        const share = i / (bends + 1);
        const off = i === 0 || i > bends ? 0 : jitter(seed, 15, number, from[0], to[1], i);
        const [x, y] = place([
          from[0] + share * (to[0] - from[0]) + off,
          from[1] + share * (to[1] - from[1]) + off,
        ]);
        return [x / 1e7, y / 1e7];
      });
      return { class: roadClass, line };
    };
    const roads = streets.map(v => road('local', at(0, v), at(1, v)));
    roads.push(road(classOf(row), southwest, southeast), road(classOf(column), southwest, northwest));
    if (row === rows - 1) roads.push(road(classOf(rows), northwest, northeast));
    if (column === columns - 1) roads.push(road(classOf(columns), southeast, northeast));
    yield { number, parcels, roads };
  }
}

const classOf = (gridLine: number): RoadClass =>
  gridLine % HIGHWAY_EVERY === 0 ? 'highway' : gridLine % NORMAL_EVERY === 0 ? 'normal' : 'local';

/** A number from -1 to 1, always the same for the same arguments. */
const jitter = (...parts: number[]) => (2 * (seedOf(...parts) >>> 0)) / 2 ** 32 - 1;

function middle([west, south, east, north]: Box, areaSqM: number): Box {
  const cos = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const whole = (east - west) * (north - south) * 1e14 * UNIT_M * UNIT_M * cos;
  const half = Math.min(1, Math.sqrt(areaSqM / whole)) / 2;
  const [x, y] = [(west + east) / 2, (south + north) / 2];
  const [halfX, halfY] = [(east - west) * half, (north - south) * half];
  return [x - halfX, y - halfY, x + halfX, y + halfY];
}

type Plan = {
  number: number;
  wanted: number;
  seed: number;
  at(u: number, v: number): Position;
  /** Converts meters to units of 1e-7 degree. */
  place(meters: Position): Position;
  /** The section's size in meters. */
  size: Position;
  scaleX: number;
};

/** The lots of a section, and the positions of the streets between its blocks as shares of its height. */
function layOut(plan: Plan): { parcels: ParcelShape[]; streets: number[] } {
  const { number, wanted, seed, size } = plan;
  const random = createRandom(seedOf(seed, 10, number));
  const islands = Math.round(wanted * ISLAND_SHARE * 2 * random());
  const pairs = wanted < 20 ? 0 : Math.round(wanted * MULTIPART_SHARE * 2 * random());
  const lots = wanted + pairs - islands;
  const blocks = Math.max(1, Math.round(Math.sqrt(lots / 8)));
  const rowsOf = Array.from({ length: blocks }, () => (random() < INNER_ROW_SHARE ? 3 : 2));
  const rows = rowsOf.reduce((sum, n) => sum + n, 0);
  const columns = Math.ceil(lots / rows);
  // Surplus lots are merged with the one in the next row: one lot instead of two.
  let through = rows * columns - lots;
  const [marginU, marginV] = [ROAD_M / size[0], ROAD_M / size[1]];
  const blockV = (1 - 2 * marginV - ((blocks - 1) * 2 * STREET_M) / size[1]) / blocks;
  // Columns differ in width, so that lots differ in size.
  const widths = Array.from({ length: columns }, () => Math.exp(0.5 * normal(random)));
  const total = widths.reduce((sum, width) => sum + width, 0);
  const edges = [0];
  for (const width of widths) edges.push(edges.at(-1)! + width / total);
  const streets: number[] = [];
  const parcels: ParcelShape[] = [];
  for (const [block, blockRows] of rowsOf.entries()) {
    const bottom = marginV + block * (blockV + (2 * STREET_M) / size[1]);
    if (block > 0) streets.push(bottom - STREET_M / size[1]);
    const grid = (i: number, j: number): Position => {
      const column = Math.min(Math.floor(i / STEPS_ALONG), columns - 1);
      const width = edges[column + 1]! - edges[column]!;
      const u = edges[column]! + (i / STEPS_ALONG - column) * width;
      const [offU, offV] = [jitter(seed, 13, number, block, i, j), jitter(seed, 14, number, block, i, j)];
      return plan.at(
        marginU + (1 - 2 * marginU) * (u + (offU * BEND * Math.min(width, 1 / columns)) / 2),
        bottom + (blockV / blockRows) * (j / STEPS_AWAY + offV * BEND),
      );
    };
    for (let column = 0, lot = 1; column < columns; column++) {
      for (let row = 0; row < blockRows; row++, lot++) {
        const more = Math.min(through, blockRows - 1 - row);
        const ring = outline(grid, column, row, 1 + more).flatMap(plan.place);
        parcels.push(parcelOf(plan, 'lot', [block + 1, lot], [[ring]]));
        through -= more;
        row += more;
      }
    }
  }
  return { parcels: joined(plan, withIslands(plan, parcels, islands), pairs), streets };
}

/** Runs counterclockwise and visits every step of the grid. */
function outline(
  grid: (i: number, j: number) => Position,
  column: number,
  row: number,
  height: number,
): Position[] {
  const [i0, i1] = [column * STEPS_ALONG, (column + 1) * STEPS_ALONG];
  const [j0, j1] = [row * STEPS_AWAY, (row + height) * STEPS_AWAY];
  const ring: Position[] = [];
  for (let i = i0; i < i1; i++) ring.push(grid(i, j0));
  for (let j = j0; j < j1; j++) ring.push(grid(i1, j));
  for (let i = i1; i > i0; i--) ring.push(grid(i, j1));
  for (let j = j1; j > j0; j--) ring.push(grid(i0, j));
  return ring;
}

function parcelOf(
  { number: section, scaleX }: Plan,
  kind: ParcelShape['kind'],
  [block, lot]: [number, number],
  polygons: FlatRing[][],
): ParcelShape {
  const areaSqM = polygons.flat().reduce((sum, ring) => sum + areaOf(ring), 0) * scaleX * UNIT_M;
  return { kind, section, block, lot, polygons, areaSqM };
}

/** Area in square units, positive for a counterclockwise ring. */
function areaOf(ring: FlatRing): number {
  const [x0, y0] = ring as [number, number];
  let double = 0;
  for (let i = 2; i + 3 < ring.length; i += 2)
    double += (ring[i]! - x0) * (ring[i + 3]! - y0) - (ring[i + 2]! - x0) * (ring[i + 1]! - y0);
  return double / 2;
}

/** Puts a parcel in the middle of some lots, which get a hole there. */
function withIslands(plan: Plan, lots: ParcelShape[], islands: number): ParcelShape[] {
  const made: ParcelShape[] = [];
  for (let k = 0; k < islands; k++) {
    const host = lots[Math.floor(((k + 0.5) * lots.length) / islands)]!;
    const ring = host.polygons[0]![0]!;
    const n = ring.length / 2;
    const center = [0, 1].map(axis => ring.reduce((sum, v, i) => sum + (i % 2 === axis ? v : 0), 0) / n);
    const island = ring.map((v, i) => Math.round(center[i % 2]! + 0.3 * (v - center[i % 2]!)));
    const hole = Array.from({ length: n }, (_, i) => island.slice(2 * (n - 1 - i), 2 * (n - i))).flat();
    Object.assign(host, parcelOf(plan, 'donut', [host.block, host.lot], [[ring, hole]]));
    made.push(parcelOf(plan, 'island', [host.block, 500 + host.lot], [[island]]));
  }
  return [...lots, ...made];
}

/** Joins pairs of plain lots that share no vertex into one parcel per pair. */
function joined(plan: Plan, lots: ParcelShape[], pairs: number): ParcelShape[] {
  const plain = lots.filter(lot => lot.kind === 'lot');
  const gone = new Set<ParcelShape>();
  for (let k = 0; k < pairs; k++) {
    const [first, second] = [plain[3 * k], plain[plain.length - 1 - 3 * k]];
    if (first === undefined || second === undefined || 6 * pairs > plain.length) break;
    gone.add(second);
    const polygons = [...first.polygons, ...second.polygons];
    Object.assign(first, parcelOf(plan, 'multipart', [first.block, first.lot], polygons));
  }
  return lots.filter(lot => !gone.has(lot));
}

/** A parcel's shape in degrees. */
export function shapeOf(polygons: readonly FlatRing[][]): MultiPolygon {
  return polygons.map(rings =>
    rings.map(flat => {
      const ring: Position[] = [];
      for (let i = 0; i < flat.length; i += 2) ring.push([flat[i]! / 1e7, flat[i + 1]! / 1e7]);
      return [...ring, [...ring[0]!]];
    }),
  );
}
