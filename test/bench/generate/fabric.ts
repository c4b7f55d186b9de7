import { PlatError } from '../../../shared/errors.ts';
import type { Box } from '../../../shared/geo/types.ts';
import { type Block, type Centreline, cutBlocks } from './blocks.ts';
import { cutLots, type Lot, type LotKind, putIsland, wholeBlock } from './lots.ts';
import { type EdgeRing, type Mesh, start, UNIT_M, wholeEdges } from './mesh.ts';
import { below, createRandom, normal, type Random, seedOf } from './random.ts';

/** A ring without its closing vertex, x, y, x, y … in integers of 1e-7 degree; exteriors counter-clockwise, holes clockwise. */
export type FlatRing = number[];

export type ParcelShape = {
  kind: LotKind | 'multipart';
  /** Numbers from 1 that tell a parcel's place in the county and are unique together. */
  section: number;
  block: number;
  lot: number;
  polygons: FlatRing[][];
  /** In the plane of the section, to about a part in 10,000. */
  areaSqM: number;
};

export type Section = {
  number: number;
  /** The blocks as they were before they were cut: parcels of the section fill them without gap or overlap. */
  blocks: FlatRing[];
  parcels: ParcelShape[];
  /** Streets between the blocks, and the roads on the section's sides, each in one section only. */
  roads: { centreline: Centreline; gridLine: number | 'street' }[];
};

export type FabricOptions = {
  count: number;
  seed: number;
  /** The rectangle to fill, in degrees. Larger than the parcels need, only its middle is used. */
  extent: Box;
};

/** Parcels of a section, on average over the county: a square mile of suburb, a township of farms. */
const PARCELS_A_SECTION = 120;
/** A small roll is not spread over a county as ranches: 8 acres a parcel on average. */
const MAX_MEAN_SQ_M = 8 * 4046.86;
const ISLAND_SHARE = 0.01;
const MULTIPART_SHARE = 0.015;

/**
 * The parcels of a county, section by section: a grid of sections with wandering corners and roads between them, each
 * cut into blocks by roads and the blocks into lots. Towns are denser than the country. Only one section is in memory.
 * @throws PlatError `generate` when the extent is too small for so many parcels.
 */
export function* fabric({ count, seed, extent: whole }: FabricOptions): Generator<Section> {
  const extent = middle(whole, count * MAX_MEAN_SQ_M);
  const scaleX = UNIT_M * Math.cos((((extent[1] + extent[3]) / 2) * Math.PI) / 180);
  const widthM = (extent[2] - extent[0]) * 1e7 * scaleX;
  const heightM = (extent[3] - extent[1]) * 1e7 * UNIT_M;
  const sections = Math.max(1, Math.round(count / PARCELS_A_SECTION));
  const columns = Math.max(1, Math.round(Math.sqrt((sections * widthM) / heightM)));
  const rows = Math.max(1, Math.round(sections / columns));
  const corner = cornerOf(seed, extent, columns, rows);
  const shares = densities(seed, columns, rows);
  let made = 0;
  let due = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const number = row * columns + column + 1;
      // What a section could not hold, the next ones make up for.
      due += shares[number - 1]! * count;
      const wanted = (number === rows * columns ? count : Math.round(due)) - made;
      const quad = [
        corner(column, row),
        corner(column + 1, row),
        corner(column + 1, row + 1),
        corner(column, row + 1),
      ];
      if (wanted <= 0) continue;
      const section = makeSection(number, quad, scaleX, wanted, createRandom(seedOf(seed, 10, number)));
      if (section.parcels.length > wanted) section.parcels.length = wanted;
      made += section.parcels.length;
      const [southwest, southeast, northeast, northwest] = quad as [Corner, Corner, Corner, Corner];
      section.roads.push({ centreline: [southwest, southeast], gridLine: row });
      section.roads.push({ centreline: [southwest, northwest], gridLine: column });
      if (row === rows - 1) section.roads.push({ centreline: [northwest, northeast], gridLine: rows });
      if (column === columns - 1)
        section.roads.push({ centreline: [southeast, northeast], gridLine: columns });
      yield section;
    }
  }
  if (made < count) {
    throw new PlatError(
      'generate',
      `Only ${made} of ${count} parcels fit. Ask for fewer or choose a larger county.`,
    );
  }
}

function middle([west, south, east, north]: Box, areaSqM: number): Box {
  const cos = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const whole = (east - west) * (north - south) * 1e14 * UNIT_M * UNIT_M * cos;
  const shrink = Math.min(1, Math.sqrt(areaSqM / whole)) / 2;
  const x = (west + east) / 2;
  const y = (south + north) / 2;
  const halfX = (east - west) * shrink;
  const halfY = (north - south) * shrink;
  return [x - halfX, y - halfY, x + halfX, y + halfY];
}

/** Corners of the grid, in integers: on the extent's rim exact, inside off by up to a twelfth of a cell. */
function cornerOf(seed: number, [west, south, east, north]: Box, columns: number, rows: number) {
  const stepX = ((east - west) * 1e7) / columns;
  const stepY = ((north - south) * 1e7) / rows;
  return (column: number, row: number): [number, number] => {
    const random = createRandom(seedOf(seed, 11, column, row));
    const offX = column === 0 || column === columns ? 0 : (random() - 0.5) / 6;
    const offY = row === 0 || row === rows ? 0 : (random() - 0.5) / 6;
    return [Math.round(west * 1e7 + (column + offX) * stepX), Math.round(south * 1e7 + (row + offY) * stepY)];
  };
}

/** Each section's share of the parcels: a few towns in open country, and chance. */
function densities(seed: number, columns: number, rows: number): Float64Array {
  const random = createRandom(seedOf(seed, 12));
  const towns = Array.from({ length: 6 }, () => ({
    column: random() * columns,
    row: random() * rows,
    reach: (0.05 + 0.12 * random()) * Math.max(columns, rows),
  }));
  const shares = new Float64Array(columns * rows);
  let sum = 0;
  for (let i = 0; i < shares.length; i++) {
    let density = 1;
    for (const town of towns) {
      const distance =
        Math.hypot((i % columns) - town.column, Math.floor(i / columns) - town.row) / town.reach;
      density += 5 * Math.exp(-distance * distance);
    }
    shares[i] = density * Math.exp(0.25 * normal(random));
    sum += shares[i]!;
  }
  return shares.map(share => share / sum);
}

type Corner = [number, number];

type PlacedLot = { lot: Lot; mesh: Mesh; block: number; number: number };

function makeSection(
  number: number,
  quad: [number, number][],
  scaleX: number,
  wanted: number,
  random: Random,
): Section {
  const pairs = wanted < 20 ? 0 : Math.floor(wanted * MULTIPART_SHARE + random());
  const { blocks, streets } = cutBlocks(quad, wanted, scaleX, random);
  const outlines = blocks.map(({ mesh, edges }) => flatRing(mesh, edges));
  const totalSqM = blocks.reduce((sum, block) => sum + block.areaSqM, 0);
  const lots: PlacedLot[] = [];
  let due = 0;
  blocks.forEach((block, index) => {
    due += ((wanted + pairs) * block.areaSqM) / totalSqM;
    const count = index === blocks.length - 1 ? wanted + pairs : Math.round(due);
    const made = makeBlock(block, Math.max(1, count - lots.length), random);
    for (const [i, lot] of made.entries())
      lots.push({ lot, mesh: block.mesh, block: index + 1, number: i + 1 });
  });
  return {
    number,
    blocks: outlines,
    parcels: joinLots(number, lots, Math.max(0, lots.length - wanted), random),
    roads: streets.map(centreline => ({ centreline, gridLine: 'street' })),
  };
}

function makeBlock({ mesh, edges }: Block, count: number, random: Random): Lot[] {
  const lots = [wholeBlock(mesh, edges, random)];
  const islands = count > 3 && random() < ISLAND_SHARE * count ? 1 : 0;
  cutLots(mesh, lots, count - islands, random);
  if (islands > 0) {
    const around = lots[below(random, lots.length)]!;
    const island = around.kind === 'lot' ? putIsland(mesh, around, random) : undefined;
    if (island !== undefined) lots.push(island);
    cutLots(mesh, lots, count, random);
  }
  return lots;
}

/** Turns lots into parcels, `pairs` of them of two lots that have no vertex in common. */
function joinLots(section: number, lots: PlacedLot[], pairs: number, random: Random): ParcelShape[] {
  const joined = new Set<PlacedLot>();
  const parcels: ParcelShape[] = [];
  for (let attempt = 0; parcels.length < pairs && attempt < 40 * pairs; attempt++) {
    const first = lots[below(random, lots.length)]!;
    const second = lots[below(random, lots.length)]!;
    if (first === second || joined.has(first) || joined.has(second) || touch(first, second)) continue;
    joined.add(first).add(second);
    const parts = [parcelOf(section, first), parcelOf(section, second)] as const;
    parcels.push({
      ...parts[0],
      kind: 'multipart',
      polygons: parts.flatMap(part => part.polygons),
      areaSqM: parts[0].areaSqM + parts[1].areaSqM,
    });
  }
  for (const lot of lots) {
    if (!joined.has(lot)) parcels.push(parcelOf(section, lot));
  }
  return parcels;
}

function touch(a: PlacedLot, b: PlacedLot): boolean {
  if (a.mesh !== b.mesh) return false;
  const vertices = new Set(ringsOf(a).flatMap(ring => ring.map(edge => start(a.mesh, edge))));
  return ringsOf(b).some(ring => ring.some(edge => vertices.has(start(b.mesh, edge))));
}

const ringsOf = ({ lot, mesh }: PlacedLot) => [lot.ring, ...lot.holes].map(ring => wholeEdges(mesh, ring));

function parcelOf(section: number, { lot, mesh, block, number }: PlacedLot): ParcelShape {
  const polygon = [lot.ring, ...lot.holes].map(ring => flatRing(mesh, ring));
  return { kind: lot.kind, section, block, lot: number, polygons: [polygon], areaSqM: lot.shape.areaSqM };
}

function flatRing(mesh: Mesh, ring: EdgeRing): FlatRing {
  const flat: FlatRing = [];
  for (const edge of wholeEdges(mesh, ring)) {
    const vertex = start(mesh, edge);
    flat.push(mesh.x[vertex]!, mesh.y[vertex]!);
  }
  return flat;
}
